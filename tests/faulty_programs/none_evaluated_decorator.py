"""A helper function of the loss is decorated with inference_mode."""

# cause: under inference_mode\(\)
# ask: torch.explain_none(w, loss)
# look: w.grad
import torch

w = torch.ones(3, requires_grad=True)
v = torch.ones(3, requires_grad=True)


@torch.inference_mode()
def smoothness(weights):
    return (weights[1:] - weights[:-1]).square().sum()  # HERE


loss = v.sum() + smoothness(w).clone()
loss.backward()
