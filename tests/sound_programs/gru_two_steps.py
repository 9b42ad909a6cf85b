"""A state over two batches."""

# ask: torch.explain.missing(net, loss)
import torch

torch.manual_seed(0)
net = torch.nn.GRU(2, 3, batch_first=True)
state = None
for _ in range(2):
    net.zero_grad()
    out, state = net(torch.randn(2, 4, 2), state)
    loss = out.square().mean()
    loss.backward()
    state = state.detach()
