"""The detached value is kept in a dictionary."""

# cause: detach
# ask: torch.explain_none(w, loss)
import torch

w = torch.ones(3, requires_grad=True)
v = torch.ones(3, requires_grad=True)
cache = {}
cache["h"] = torch.tanh(w).detach()  # HERE
loss = (cache["h"] * v).sum()
loss.backward()
