"""as_tensor of a list reads the numbers out."""

# cause: through as_tensor\(\)
# ask: torch.explain_none(w, loss)
# look: w.grad
import torch

w = torch.ones(3, requires_grad=True)
v = torch.ones(3, requires_grad=True)
terms = [*(w * 2)]
loss = torch.as_tensor(terms).sum() * v.sum()  # HERE
loss.backward()
