"""An object with __call__ reads its argument out."""

# cause: item|tolist
# ask: torch.explain_none(w, loss)
import torch


class Scaler:
    def __init__(self, by):
        self.by = by

    def __call__(self, t):
        return torch.tensor([v * self.by for v in t.tolist()])  # HERE


w = torch.tensor([1.0, 2.0], requires_grad=True)
v = torch.tensor([1.0, 2.0], requires_grad=True)
scale = Scaler(3.0)
loss = (scale(w) * v).sum()
loss.backward()
