"""A learning rate that is too large: the loss grows until it is infinite."""

# cause: inf made by pow|nan.*PowBackward
# under: nan_guard
import torch

w = torch.tensor([3.0], requires_grad=True)
optimizer = torch.optim.SGD([w], lr=10.0)
for _ in range(200):
    loss = (w**4).sum()  # HERE
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
