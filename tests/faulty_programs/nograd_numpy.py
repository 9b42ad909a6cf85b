"""The loss goes through NumPy."""

# cause: does not require grad
# ask: torch.explain_none(loss)
import torch

w = torch.ones(3, requires_grad=True)
h = w * 2
array = h.detach().numpy()  # HERE
loss = torch.from_numpy(array).sum()
loss.backward()
