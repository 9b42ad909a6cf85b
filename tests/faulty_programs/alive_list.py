"""A list of outputs keeps their graphs."""

# cause: outputs
# ask: torch.explain.alive()
# look: len(outputs)
import torch

w = torch.ones(1000, requires_grad=True)
outputs = []
for _ in range(3):
    outputs.append(torch.exp(w))  # HERE
