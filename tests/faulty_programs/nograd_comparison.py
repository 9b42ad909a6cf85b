"""The loss counts hits."""

# cause: does not require grad
# ask: torch.explain_none(loss)
import torch

w = torch.tensor([0.2, 0.8], requires_grad=True)
hits = w > 0.5  # HERE
loss = hits.float().sum()
loss.backward()
