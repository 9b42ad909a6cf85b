"""autograd.grad is asked for an input that was replaced by an interpolation."""

# cause: real\b
import torch

judge = torch.nn.Linear(2, 1)
real = torch.ones(4, 2, requires_grad=True)
mixed = (0.5 * real).detach().requires_grad_()
torch.autograd.grad(judge(mixed).sum(), real)  # HERE
