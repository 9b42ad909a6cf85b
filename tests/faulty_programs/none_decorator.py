"""The feature extractor is decorated with no_grad."""

# cause: no_grad
# ask: torch.explain_none(w, loss)
# look: w.grad
import torch

w = torch.ones(3, requires_grad=True)
v = torch.ones(3, requires_grad=True)


@torch.no_grad()
def features(x):
    return torch.tanh(x)  # HERE


loss = (features(w) * v).sum()
loss.backward()
