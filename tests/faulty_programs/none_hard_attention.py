"""A one-hot vector of the best score has no gradient for the scores."""

# cause: argmax\(\), which has no gradient
# ask: torch.explain_none(scores, loss)
# look: scores.grad
import torch
from torch.nn import functional

scores = torch.tensor([0.1, 0.9, 0.3], requires_grad=True)
values = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
best = scores.argmax()  # HERE
chosen = functional.one_hot(best, 3).float()
loss = (chosen * values).sum()
loss.backward()
