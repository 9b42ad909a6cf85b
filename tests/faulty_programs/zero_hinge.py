"""Every sample is right by a margin: the hinge is flat."""

# cause: maximum is flat
# ask: torch.explain_none(w, loss)
# look: w.grad
import torch

w = torch.ones(3, requires_grad=True)
margins = 1 - (w * 5)
loss = torch.maximum(margins, torch.zeros(3)).sum()  # HERE
loss.backward()
