"""The loss function does not reduce."""

# cause: grad can be implicitly created only for scalar outputs
import torch

w = torch.ones(3, requires_grad=True)
loss = torch.nn.functional.mse_loss(w, torch.zeros(3), reduction="none")  # HERE
loss.backward()
