"""Custom functions, hooks, classes and processes that programs use, made for one library."""

from __future__ import annotations

import functools
import os
import pickle


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
def called_back(torch):
    """Asks for its gradient."""

    class CalledBack(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x, gradient):
            ctx.gradient = gradient
            return x * 2 - x

        @staticmethod
        def backward(ctx, g):
            return ctx.gradient(g * 0.5), None

    return CalledBack


@functools.cache
def failing(torch):
    """Raises after it has calculated."""

    class Failing(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.kept = x * 2 + 1
            raise ZeroDivisionError("a Function that fails")

        @staticmethod
        def backward(ctx, g):
            return g

    return Failing


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


def shrink_gradient(leaf):
    leaf.grad.mul_(0.75)


def in_a_child(state, work, t):
    """What work(t) returns in a forked process, or the class of what it raises. This one sees nothing of it."""
    if state.torch.__name__ == "torch":
        return _at_home(state, work, t.clone())  # PyTorch refuses backward in a forked process
    ours, childs = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            os.close(ours)
            with os.fdopen(childs, "wb") as pipe:
                pickle.dump(_result(work, t), pipe)
            os._exit(0)
        finally:
            os._exit(1)
    os.close(childs)
    with os.fdopen(ours, "rb") as pipe:
        said = pipe.read()
    _, status = os.waitpid(child, 0)
    return pickle.loads(said) if status == 0 else f"died with {status}, {said!r}"


def _at_home(state, work, t):
    seen, held = len(state.diary), len(state.held)
    try:
        return _result(work, t)
    finally:
        del state.diary[seen:], state.held[held:]


def _result(work, t):
    try:
        return work(t)
    except (RuntimeError, ValueError, IndexError, TypeError) as error:
        return type(error).__name__
