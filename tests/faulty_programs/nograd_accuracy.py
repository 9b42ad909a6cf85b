"""The accuracy is used as a loss."""

# cause: does not require grad
# ask: torch.explain_none(loss)
import torch

w = torch.ones(3, 2, requires_grad=True)
scores = torch.ones(4, 3) @ w
hits = scores.argmax(1) == torch.zeros(4)  # HERE
loss = hits.float().mean()
loss.backward()
