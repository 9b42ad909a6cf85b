"""A memory buffer is written to in each step while earlier reads need it."""

# cause: variable: memory
import torch

w = torch.ones(3, requires_grad=True)
memory = torch.zeros(4, 3)
loss = 0.0
for step in range(3):
    loss = loss + (memory[step] * w * memory.sum()).sum()
    memory[step] = step + 1.0  # HERE
loss.backward()
