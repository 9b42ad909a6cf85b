"""Losses are averaged by NumPy."""

# cause: through detach\(\)
# ask: torch.explain_none(w, loss)
# look: w.grad
import numpy
import torch

w = torch.ones(3, requires_grad=True)
v = torch.ones(3, requires_grad=True)
losses = [(w * k).sum() for k in range(3)]
mean = numpy.mean([each.detach().numpy() for each in losses])  # HERE
loss = v.sum() * float(mean)
loss.backward()
