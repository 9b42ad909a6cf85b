"""The loss is clipped, as in PPO, and every ratio is outside."""

# cause: clamp
# ask: torch.explain_none(ratio, loss)
# look: ratio.grad
import torch

ratio = torch.tensor([2.0, 3.0], requires_grad=True)
loss = torch.clamp(ratio, 0.8, 1.2).mean()  # HERE
loss.backward()
