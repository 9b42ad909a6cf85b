"""Weights ten times too large in every layer."""

# cause: exploding gradients
# ask: torch.explain.doctor(net, loss)
# look: loss
import torch

torch.manual_seed(0)
net = torch.nn.Sequential(*(torch.nn.Linear(16, 16) for _ in range(6)))
with torch.no_grad():
    for p in net.parameters():
        p *= 10
out = net(torch.randn(32, 16))  # HERE
loss = out.square().mean()
