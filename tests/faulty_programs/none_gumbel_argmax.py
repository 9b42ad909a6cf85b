"""one_hot of an argmax has no gradient."""

# cause: argmax
# ask: torch.explain_none(logits, loss)
# look: logits.grad
import torch

logits = torch.tensor([[0.3, -0.1]], requires_grad=True)
w = torch.ones(2, 2, requires_grad=True)
choice = torch.nn.functional.one_hot(logits.argmax(1), 2).float()  # HERE
loss = (choice @ w).sum()
loss.backward()
