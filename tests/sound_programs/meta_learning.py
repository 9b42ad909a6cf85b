"""An inner step that is differentiated."""

# ask: torch.explain_none(w, loss)
import torch

w = torch.tensor([1.0, -1.0], requires_grad=True)
inner = (w**2).sum()
(g,) = torch.autograd.grad(inner, w, create_graph=True)
adapted = w - 0.1 * g
loss = (adapted - 1).square().sum()
loss.backward()
