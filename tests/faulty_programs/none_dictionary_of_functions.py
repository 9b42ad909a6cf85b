"""Activations are chosen from a dictionary of lambdas."""

# cause: detach
# ask: torch.explain_none(w, loss)
import torch

ACTIVATIONS = {
    "relu": lambda t: torch.relu(t),
    "stop": lambda t: t.detach(),  # HERE
}
w = torch.ones(3, requires_grad=True)
v = torch.ones(3, requires_grad=True)
hidden = ACTIVATIONS["stop"](w * 2)
loss = (hidden * v).sum()
loss.backward()
