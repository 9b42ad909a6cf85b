"""A custom backward returns the gradient of the wrong shape."""

# cause: invalid gradient
import torch


class Scale(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, factor):
        ctx.save_for_backward(x, factor)
        return x * factor

    @staticmethod
    def backward(ctx, grad):
        x, factor = ctx.saved_tensors
        return grad * factor, (grad * x)[:2]  # HERE


x = torch.ones(4, requires_grad=True)
factor = torch.tensor([2.0, 3.0, 4.0, 5.0], requires_grad=True)
y = Scale.apply(x, factor).sum()
y.backward()
