"""A custom backward returns one gradient for two inputs."""

# cause: incorrect number of gradients|number of gradients
import torch


class Mul(torch.autograd.Function):
    @staticmethod
    def forward(ctx, a, b):
        ctx.save_for_backward(a, b)
        return a * b

    @staticmethod
    def backward(ctx, g):
        _, b = ctx.saved_tensors
        return g * b  # HERE


a = torch.ones(2, requires_grad=True)
b = torch.ones(2, requires_grad=True)
out = Mul.apply(a, b).sum()
out.backward()
