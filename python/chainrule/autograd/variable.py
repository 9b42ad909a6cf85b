"""Variable, from the time before tensors had gradients: it makes a tensor."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .. import _core
from .._core import Tensor
from ..error_words import at_call
from ..user_warning import warn_user


class _VariableType(type):
    def __instancecheck__(cls, instance: Any) -> bool:
        return isinstance(instance, Tensor)


class _ExecutionEngine:
    """What runs backward passes, as far as libraries ask for it by PyTorch's private name."""

    @staticmethod
    def queue_callback(function: Callable[[], Any]) -> None:
        """Has a function called when the backward pass that runs now has made all its gradients."""
        _core.queue_callback(function)


class Variable(metaclass=_VariableType):
    """The tensor itself, without its history, as one that may require a gradient.

    Args:
        data: a tensor.
        requires_grad: whether gradients are calculated for it.
        volatile: without effect; use no_grad().

    >>> torch.autograd.Variable(torch.ones(2), requires_grad=True)
    tensor([1., 1.], requires_grad=True)
    """

    _execution_engine = _ExecutionEngine()

    def __new__(cls, data: Tensor | None = None, requires_grad: bool = False, volatile: bool = False) -> Any:
        if volatile:
            warn_user("volatile was removed and now has no effect. Use `with torch.no_grad():` instead.")
        if data is None:
            return _core.functions["empty"](0).requires_grad_(requires_grad)
        if not isinstance(data, Tensor):
            raise at_call(TypeError, f"Variable data has to be a tensor, but got {type(data).__name__}")
        return data.detach().requires_grad_(requires_grad)
