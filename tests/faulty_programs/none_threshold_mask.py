"""A hard threshold cuts the gradient."""

# cause: no gradient|>
# ask: torch.explain_none(logits, loss)
# look: logits.grad
import torch

logits = torch.tensor([0.3, -0.1], requires_grad=True)
w = torch.ones(2, requires_grad=True)
chosen = (torch.sigmoid(logits) > 0.5).float()  # HERE
loss = (chosen * w).sum()
loss.backward()
