"""Custom functions, hooks and classes that programs use, made for one library."""

from __future__ import annotations

import functools


@functools.cache
def scaled(torch):
    class Scaled(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x, factor):
            ctx.factor = factor
            return x * factor + 0.0

        @staticmethod
        def backward(ctx, g):
            return g * ctx.factor, None

    return Scaled


@functools.cache
def product(torch):
    """Two inputs, saved tensors, and gradients that are expressions."""

    class Product(torch.autograd.Function):
        @staticmethod
        def forward(ctx, a, b):
            ctx.save_for_backward(a, b)
            return a * b, a - b

        @staticmethod
        def backward(ctx, first, second):
            a, b = ctx.saved_tensors
            return first * b + second, first * a - second

    return Product


@functools.cache
def written(torch):
    """Writes into its input and says so."""

    class Written(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.mark_dirty(x)
            x.mul_(0.75)
            x += 0.125
            return x

        @staticmethod
        def backward(ctx, g):
            return (g * 3) * 0.25

    return Written


@functools.cache
def kept_output(torch):
    """Saves its output."""

    class KeptOutput(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            y = (x * 0.5).tanh()
            ctx.save_for_backward(y)
            return y

        @staticmethod
        def backward(ctx, g):
            (y,) = ctx.saved_tensors
            return g * (1 - y * y) * 0.5

    return KeptOutput


@functools.cache
def subclass(torch):
    """A tensor class that calculates on the way."""

    class Doubling(torch.Tensor):
        @classmethod
        def __torch_function__(cls, function, types, args=(), kwargs=None):
            with torch._C.DisableTorchFunctionSubclass():
                result = function(*args, **(kwargs or {}))
                if isinstance(result, torch.Tensor) and result.is_floating_point() and function is torch.Tensor.mul:
                    result = result * 2
            return result

    return Doubling
