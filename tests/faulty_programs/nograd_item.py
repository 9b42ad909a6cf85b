"""The loss was rebuilt from numbers."""

# cause: does not require grad
# ask: torch.explain_none(loss)
import torch

w = torch.ones(3, requires_grad=True)
total = 0.0
for x in w:
    total += (x * 2).item()  # HERE
loss = torch.tensor(total)
loss.backward()
