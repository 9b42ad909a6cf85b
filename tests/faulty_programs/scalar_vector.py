"""The loss has an element per sample."""

# cause: grad can be implicitly created only for scalar outputs
import torch

w = torch.ones(3, requires_grad=True)
loss = w.square()  # HERE
loss.backward()
