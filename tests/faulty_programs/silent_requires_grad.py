"""requires_grad was set on the loss to silence the error."""

# cause: detach
# ask: torch.explain.doctor(net, loss)
# look: loss
import torch

net = torch.nn.Linear(3, 1)
out = net(torch.ones(2, 3)).detach()  # HERE
loss = out.mean()
loss.requires_grad = True
