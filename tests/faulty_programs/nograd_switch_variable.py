"""set_grad_enabled with a variable that is False."""

# cause: set_grad_enabled|recording was off|no_grad
# ask: torch.explain_none(h)
import torch

training = False
w = torch.ones(2, requires_grad=True)
with torch.set_grad_enabled(training):
    h = torch.exp(w)  # HERE
loss = h.sum()
