"""All units are dead."""

# cause: relu
# ask: torch.explain_none(w, loss)
# look: w.grad
import torch

w = torch.full((3,), -1.0, requires_grad=True)
h = torch.relu(w)  # HERE
loss = h.sum()
loss.backward()
