"""retain_grad() comes after backward()."""

# cause: retain_grad\(\) was called only after
# ask: torch.explain_none(h, loss)
# look: h.grad
import torch

x = torch.ones(3, requires_grad=True)
h = x * 2
loss = h.square().sum()
loss.backward()
h.retain_grad()  # HERE
