"""backward() gives a gradient for a plain number."""

# cause: gradient different than None
import torch


class Power(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, n):
        ctx.save_for_backward(x)
        ctx.n = n
        return x**n

    @staticmethod
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        return g * ctx.n * x ** (ctx.n - 1), g  # HERE


x = torch.ones(2, requires_grad=True)
loss = Power.apply(x, 3).sum()
loss.backward()
