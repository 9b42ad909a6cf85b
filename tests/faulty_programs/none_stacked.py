"""A list of results was made a tensor by torch.tensor."""

# cause: tensor\(
# ask: torch.explain_none(w, loss)
# look: w.grad
import warnings

import torch

w = torch.ones(3, requires_grad=True)
v = torch.ones(3, requires_grad=True)


warnings.simplefilter("ignore")
parts = [x * 2 for x in w]
h = torch.tensor(parts)  # HERE
loss = (h * v).sum()
loss.backward()
