"""A round trip through NumPy."""

# cause: detach|numpy
# ask: torch.explain_none(w, loss)
# look: w.grad
import numpy as np
import torch

w = torch.ones(3, requires_grad=True)
v = torch.ones(3, requires_grad=True)


logs = np.log(w.detach().numpy() + 1)  # HERE
loss = (torch.from_numpy(logs) * v).sum()
loss.backward()
