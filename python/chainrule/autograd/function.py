"""Functions with a gradient of their own: the class Function, as in PyTorch; see differentiable for the short way."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from .. import _core
from .._core import FunctionCtx, Tensor
from ..error_words import at_call
from ..user_warning import warn_user
from .grad_mode import no_grad
from .unused_node import UnusedNode

__all__ = ["Function", "FunctionCtx", "FunctionMeta", "InplaceFunction", "once_differentiable"]


def signature_of(function: Callable) -> Any:
    """As inspect says, which is imported when it is first needed: that takes as long as half of chainrule."""
    import inspect

    return inspect.signature(function)


class FunctionMeta(type):
    """Gives each Function the type of its nodes: grad_fn of what Exp.apply(x) returns is an ExpBackward."""

    def __init__(cls, name: str, bases: tuple, namespace: dict):
        super().__init__(name, bases, namespace)
        module = cls.__module__ or ""  # None in code that was executed without a __name__
        is_library = module.partition(".")[0] == __name__.partition(".")[0]
        node_name = namespace.get("_node_name", f"{name}Backward")
        setattr(cls, "_backward_cls", _core.make_function_node_type(node_name, not is_library))  # noqa: B010
        setattr(cls, "_input_count", _count_inputs(cls))  # noqa: B010

    @property
    def _generated_cls(cls) -> type:
        """The type of nodes that are made inside a transform, as PyTorch names them."""
        return _core.make_function_node_type(f"{cls.__name__}GeneratedBackward", True)


def _count_inputs(cls: Any) -> int:
    """How many inputs forward takes when defaults are filled in, which happens where setup_context sees the inputs."""
    if "Function" not in globals() or cls.setup_context is Function.setup_context:
        return 0
    code = getattr(cls.forward, "__code__", None)
    return code.co_argcount if code and cls.forward.__defaults__ else 0


def bind(cls: type[Function], *args: Any, **kwargs: Any) -> tuple:
    """The arguments of forward by position, keywords and defaults included."""
    separate = cls.setup_context is not Function.setup_context
    signature = signature_of(cls.forward)
    given = args if separate else (None, *args)
    _check_keywords(cls, list(signature.parameters.values()), len(given), kwargs)
    bound = signature.bind(*given, **kwargs)
    if separate:
        bound.apply_defaults()
    if bound.kwargs:
        raise at_call(TypeError, f"{cls.__name__}.apply() takes no keyword-only argument '{next(iter(bound.kwargs))}'")
    return bound.args if separate else bound.args[1:]


def _check_keywords(cls: type[Function], parameters: list, count: int, kwargs: dict[str, Any]) -> None:
    """Python's words for a call with wrong keywords, before it counts what is missing."""
    names = [p.name for p in parameters]
    takes_all = any(p.kind is p.VAR_KEYWORD for p in parameters)
    for name in kwargs:
        if name not in names and not takes_all:
            raise at_call(TypeError, f"{cls.forward.__qualname__}() got an unexpected keyword argument '{name}'")
        if name in names[:count]:
            raise at_call(TypeError, f"{cls.forward.__qualname__}() got multiple values for argument '{name}'")


class Function(UnusedNode, metaclass=FunctionMeta):
    """Base of operations whose gradient is written by hand: override forward and backward, call apply.

    >>> import chainrule as torch
    >>> class Exp(torch.autograd.Function):
    ...     @staticmethod
    ...     def forward(ctx, x):
    ...         y = x.exp()
    ...         ctx.save_for_backward(y)
    ...         return y
    ...
    ...     @staticmethod
    ...     def backward(ctx, g):
    ...         (y,) = ctx.saved_tensors
    ...         return g * y
    >>> x = torch.tensor([0.0, 1.0], requires_grad=True)
    >>> Exp.apply(x).sum().backward()
    >>> x.grad
    tensor([1.0000, 2.7183])
    """

    generate_vmap_rule = False
    boxed_grads_call = False  # whether backward gets the gradients as a list, which it may empty
    clear_saved_tensors_on_access = False  # whether ctx.saved_tensors may be read once only, and lets go of them then

    def __init__(self, *args: Any, **kwargs: Any):
        warn_user(
            f"{self.__class__} should not be instantiated. Methods on autograd functions are all static, so you should "
            "invoke them on the class itself. Instantiating an autograd function will raise an error in a future "
            "version of PyTorch.",
            DeprecationWarning,
        )

    def __call__(self, *args: Any, **kwargs: Any):
        raise at_call(
            RuntimeError,
            "Legacy autograd function with non-static forward method is deprecated. "
            "Please use new-style autograd function with static forward method. "
            "(Example: https://pytorch.org/docs/stable/autograd.html#torch.autograd.Function)",
        )

    apply = classmethod(_core.function_apply)

    @staticmethod
    def forward(*args: Any, **kwargs: Any) -> Any:
        """The value: forward(ctx, *args), or forward(*args) beside a setup_context."""
        raise at_call(NotImplementedError, "You must implement the forward function for custom autograd.Function.")

    @staticmethod
    def setup_context(ctx: Any, inputs: tuple, output: Any) -> Any:
        """What backward will need, given forward's inputs and output."""
        raise at_call(NotImplementedError, "setup_context is not implemented.")

    @staticmethod
    def backward(ctx: Any, *grad_outputs: Any) -> Any:
        """The gradients of the inputs, one for each argument of forward, given those of the outputs."""
        raise at_call(
            NotImplementedError,
            "You must implement either the backward or vjp method for "
            "your custom autograd.Function to use it with backward mode AD.",
        )

    @staticmethod
    def vjp(ctx: Any, *grad_outputs: Any) -> Any:
        """Another name for backward."""
        return Function.backward(ctx, *grad_outputs)

    @staticmethod
    def jvp(ctx: Any, *grad_inputs: Any) -> Any:
        """The tangents of the outputs, given those of the inputs. Without one, backward's transpose gives them."""
        raise at_call(
            NotImplementedError,
            "You must implement the jvp function for custom autograd.Function to use it with forward mode AD.",
        )

    @staticmethod
    def vmap(info: Any, in_dims: tuple, *args: Any) -> tuple:
        """(output, out_dims) for inputs that have one more dimension, at in_dims."""
        raise at_call(
            NotImplementedError,
            "To use autograd.Function with vmap, you must either override the "
            "vmap staticmethod or set generate_vmap_rule=True.",
        )


_core.set_function_defaults(Function.setup_context, Function.backward, Function.vjp, Function.jvp, bind)


class InplaceFunction(Function):
    """Kept for old code; a Function may work in place by ctx.mark_dirty."""


class _DelayedError(Function):
    """Passes gradients of a once_differentiable backward on, and raises if they are differentiated again."""

    _node_name = "Error"

    @staticmethod
    def forward(ctx: Any, *gradients: Tensor) -> tuple:
        return tuple(g.detach() for g in gradients)

    @staticmethod
    def backward(ctx: Any, *grad_outputs: Any) -> Any:
        raise at_call(
            RuntimeError, "trying to differentiate twice a function that was marked with @once_differentiable"
        )


def once_differentiable(fn: Callable) -> Callable:
    """Marks a backward that may not be differentiated; what it calculates is not recorded."""

    @functools.wraps(fn)
    def wrapper(ctx: Any, *args: Any) -> Any:
        with no_grad():
            outputs = fn(ctx, *args)
        if not _core.is_grad_enabled() or not any(isinstance(a, Tensor) and a.requires_grad for a in args):
            return outputs
        several = outputs if isinstance(outputs, tuple) else (outputs,)
        nothing = _core.functions["empty"](0)  # takes the place of None in the graph
        marked = _DelayedError.apply(*(nothing if g is None else g.detach().requires_grad_() for g in several))
        return tuple(None if g is None else m for g, m in zip(several, marked, strict=True))

    return wrapper
