"""A branch that is not taken detaches."""

# ask: torch.explain_none(w, loss)
import torch

w = torch.tensor([0.1, 0.2], requires_grad=True)
hidden = torch.tanh(w)
frozen = False
if frozen:
    hidden = hidden.detach()
loss = hidden.sum()
loss.backward()
