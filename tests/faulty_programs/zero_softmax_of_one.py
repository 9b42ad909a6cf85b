"""The softmax over one class is 1, whatever the score."""

# cause: softmax
# ask: torch.explain_none(w, loss)
# look: w.grad
import torch

w = torch.ones(4, 1, requires_grad=True)
p = torch.softmax(w, dim=1)  # HERE
loss = -p.log().sum()
loss.backward()
