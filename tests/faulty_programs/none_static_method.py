"""A static method of a utility class makes an array."""

# cause: numpy
# ask: torch.explain_none(logits, loss)
import numpy as np
import torch


class Ops:
    @staticmethod
    def softplus(x):
        return np.log1p(np.exp(x.detach().numpy()))  # HERE


logits = torch.tensor([0.5, -1.0], requires_grad=True)
scale = torch.tensor([1.0, 2.0], requires_grad=True)
values = torch.as_tensor(Ops.softplus(logits))
loss = (values * scale).sum()
loss.backward()
