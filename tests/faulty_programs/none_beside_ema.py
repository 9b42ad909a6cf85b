"""A running mean is detached on purpose; the prediction goes through NumPy."""

# cause: numpy
# ask: torch.explain_none(w, loss)
import numpy as np
import torch

w = torch.ones(4, requires_grad=True)
v = torch.ones(4, requires_grad=True)
average = torch.zeros(4)
for step in range(2):
    h = w * (step + 1)
    average = 0.9 * average + 0.1 * h.detach()
    smooth = torch.from_numpy(np.tanh(h.detach().numpy()))  # HERE
    loss = ((smooth - average) * v).sum()
loss.backward()
