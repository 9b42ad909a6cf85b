"""Four parts of a batch, each divided by four."""

# ask: torch.explain.doctor(net, loss, optimizer, accumulate=4)
import torch

torch.manual_seed(0)
net = torch.nn.Linear(3, 1)
optimizer = torch.optim.SGD(net.parameters(), lr=0.01)
for part in range(4):
    loss = net(torch.randn(4, 3)).square().mean() / 4
    if part < 3:
        loss.backward()
