"""A masked row minus its maximum is -inf - -inf."""

# cause: NaN made by sub|nan.*SubBackward
# under: nan_guard
import torch

x = torch.ones(2, 2, requires_grad=True)
scores = x.masked_fill(torch.tensor([[True, True], [False, True]]), float("-inf"))
shifted = scores - scores.max(1, keepdim=True).values  # HERE
loss = torch.exp(shifted).sum()
loss.backward()
