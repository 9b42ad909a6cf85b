"""Four passes are added and the loss is not divided."""

# cause: divided
# ask: torch.explain.doctor(net, loss, accumulate=4)
# look: loss
import torch

net = torch.nn.Linear(3, 1)
for part in range(4):
    loss = net(torch.ones(2, 3)).square().mean()  # HERE
    if part < 3:
        loss.backward()
