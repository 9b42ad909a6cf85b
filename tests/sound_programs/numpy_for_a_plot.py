"""A detached copy goes to NumPy for a plot."""

# ask: torch.explain_none(w, loss)
import torch

w = torch.tensor([0.5, -0.5], requires_grad=True)
curve = torch.tanh(w)
points = curve.detach().numpy().copy()
loss = curve.square().sum()
loss.backward()
