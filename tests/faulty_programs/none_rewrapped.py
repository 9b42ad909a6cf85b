"""torch.tensor() copies the value and not its history."""

# cause: tensor\(
# ask: torch.explain_none(w, loss)
# look: w.grad
import warnings

import torch

w = torch.ones(3, requires_grad=True)
v = torch.ones(3, requires_grad=True)


warnings.simplefilter("ignore")
h = (w * 2).sum()
h = torch.tensor(h)  # HERE
loss = h * v.sum()
loss.backward()
