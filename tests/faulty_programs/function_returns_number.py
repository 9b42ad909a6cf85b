"""A custom backward returns a number."""

# cause: (expected Variable|expected.*[Tt]ensor|got (float|int))
import torch


class Sum(torch.autograd.Function):
    @staticmethod
    def forward(ctx, a):
        return a.sum()

    @staticmethod
    def backward(ctx, g):
        return 1.0  # HERE


a = torch.ones(2, requires_grad=True)
out = Sum.apply(a)
out.backward()
