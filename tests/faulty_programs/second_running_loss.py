"""A running loss is accumulated over steps and differentiated in each."""

# cause: second time
# look: loss
import torch

w = torch.ones(3, requires_grad=True)
total = torch.zeros(())
for step in range(2):
    total = total + (w.exp() * step).sum()  # HERE
    total.backward()
