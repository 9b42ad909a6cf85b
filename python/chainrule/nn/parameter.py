"""Parameter: a tensor that a module counts among its own and that an optimiser changes."""

from __future__ import annotations

from typing import Any

from .. import _core
from .._core import Tensor

__all__ = ["Parameter"]


class _ParameterType(type(Tensor)):
    """Counts tensors of other classes that were made parameters as instances."""

    def __instancecheck__(cls, instance: Any) -> bool:
        if cls is Parameter and isinstance(instance, Tensor) and getattr(instance, "_is_param", False):
            return True
        return super().__instancecheck__(instance)


class Parameter(Tensor, metaclass=_ParameterType):
    """The memory of `data` as a leaf that requires a gradient; what is calculated from it is a plain tensor.

    Args:
        data: the tensor; without one the parameter is empty. A tensor of a subclass keeps its class.
        requires_grad: whether gradients are calculated for it.
    """

    def __new__(cls, data: Tensor | None = None, requires_grad: bool = True) -> Any:
        if data is None:
            return _core.make_subclass(cls, _core.functions["empty"](0), requires_grad)
        if type(data) is Tensor or type(data) is Parameter:
            return _core.make_subclass(cls, data, requires_grad)
        parameter: Any = data.detach().requires_grad_(requires_grad)
        if type(parameter) is not type(data):
            raise RuntimeError(
                f"Creating a Parameter from an instance of type {type(data).__name__} requires that detach() returns "
                f"an instance of the same type, but return type {type(parameter).__name__} was found instead."
            )
        setattr(parameter, "_is_param", True)  # noqa: B010  (no attribute of plain tensors)
        return parameter

    def __deepcopy__(self, memo: dict) -> Parameter:
        if id(self) not in memo:
            memo[id(self)] = type(self)(self.data.clone(), self.requires_grad)
        return memo[id(self)]

    def __repr__(self, *, tensor_contents: str | None = None) -> str:
        return "Parameter containing:\n" + super().__repr__(tensor_contents=tensor_contents)


_core.set_parameter_type(Parameter)
