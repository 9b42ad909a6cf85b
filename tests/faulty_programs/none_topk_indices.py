"""The indices of topk are used, not its values."""

# cause: no gradient|int64
# ask: torch.explain_none(scores, loss)
# look: scores.grad
import torch

scores = torch.tensor([0.3, 0.1, 0.9], requires_grad=True)
table = torch.ones(3, requires_grad=True)
best = scores.topk(2).indices  # HERE
loss = table[best].sum()
loss.backward()
