"""A conditional expression picks the detached one."""

# cause: detach
# ask: torch.explain_none(w, loss)
import torch

training = False
w = torch.ones(2, requires_grad=True)
v = torch.ones(2, requires_grad=True)
h = w * 2 if training else w.detach() * 2  # HERE
loss = (h * v).sum()
loss.backward()
