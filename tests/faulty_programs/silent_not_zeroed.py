"""zero_grad() was forgotten."""

# cause: zero
# ask: torch.explain.doctor(net, loss)
# look: loss
import torch

net = torch.nn.Linear(3, 1)
for step in range(2):
    loss = net(torch.ones(2, 3)).square().mean()
    if step == 0:
        loss.backward()  # HERE
