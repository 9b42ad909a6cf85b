"""A method of a plain class detaches."""

# cause: detach
# ask: torch.explain_none(w, loss)
import torch


class Encoder:
    def encode(self, x):
        return torch.sigmoid(x).detach()  # HERE


w = torch.ones(3, requires_grad=True)
v = torch.ones(3, requires_grad=True)
encoder = Encoder()
loss = (encoder.encode(w) * v).sum()
loss.backward()
