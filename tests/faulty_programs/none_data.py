""".data leaves the graph as well."""

# cause: \.data
# ask: torch.explain_none(w, loss)
# look: w.grad
import torch

w = torch.ones(3, requires_grad=True)
v = torch.ones(3, requires_grad=True)

h = w.data * 2  # HERE
loss = (h * v).sum()
loss.backward()
