"""What nested tensors of both layouts have in common: a class of Tensor around packed values.

A nested tensor is its packed values under another class. To the core it is an ordinary tensor, so its gradient, its
hooks and its place in the graph are those of the values, and the engine knows nothing of rows. Python sees the
class, whose __torch_function__ is asked about every operation: it looks up a rule by the operation's name
(`dispatch`), which calculates on `packed(x)`, an ordinary tensor, and wraps what comes. An operation without a rule
raises, so nobody who thinks of padded rows gets at packed ones. What does not ask the class (tensor(), DLPack,
buffers, transforms) refuses nested tensors itself.
"""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

from .. import _core
from .._core import Tensor
from ..error_words import at_call
from ..overrides import DisableTorchFunctionSubclass

_grad = vars(Tensor)["grad"]


def packed(x: Tensor) -> Tensor:
    """The packed values as an ordinary tensor: the same memory, the same gradient."""
    return _core.view_as_subclass(Tensor, x)


class Nested(Tensor):
    """A tensor of rows of different sizes, which lie packed in memory."""

    _rows: Any

    @classmethod
    def __torch_function__(cls, func: Callable, types: Any, args: tuple = (), kwargs: dict | None = None) -> Any:
        from .dispatch import called

        return called(func, args, kwargs or {})

    # ---- of another kind with the same rows

    def _alike(self, values: Tensor) -> Any:
        """What an operation has just given, with these rows."""
        result = _core.result_as_subclass(type(self), values)
        result._rows = self._rows
        return result

    def _seen(self, values: Tensor) -> Any:
        """Somebody else's values, with these rows."""
        result = _core.view_as_subclass(type(self), values)
        result._rows = self._rows
        return result

    def _as_gradient(self, gradient: Tensor | None) -> Any:
        """What the engine gives, which knows packed values only."""
        if gradient is None or isinstance(gradient, Nested):
            return gradient
        return self._seen(gradient)

    # ---- the graph

    is_nested: Any = property(lambda self: True)

    @property
    def grad(self) -> Any:
        """The gradient, nested as the tensor itself."""
        return self._as_gradient(_grad.__get__(self))

    @grad.setter
    def grad(self, value: Tensor | None) -> None:
        if value is not None and not isinstance(value, Nested):
            raise at_call(RuntimeError, "the gradient of a nested tensor has to be nested, with the same offsets")
        _grad.__set__(self, None if value is None else packed(value))

    @grad.deleter
    def grad(self) -> None:
        _grad.__set__(self, None)

    data: Any = property(lambda self: self.detach())

    def register_hook(self, hook: Callable) -> Any:
        def around(gradient: Tensor) -> Any:
            changed = hook(self._as_gradient(gradient))
            return packed(changed) if isinstance(changed, Nested) else changed

        with DisableTorchFunctionSubclass():
            return Tensor.register_hook(self, around)

    # ---- Python's protocols

    def __len__(self) -> int:
        return self.size(0)

    def __bool__(self) -> bool:
        if self.numel() != 1:
            raise at_call(RuntimeError, "Boolean value of Tensor with more than one value is ambiguous")
        return bool(packed(self))

    def __format__(self, spec: str) -> str:
        return object.__format__(self, spec)

    def __deepcopy__(self, memo: dict) -> Any:
        if id(self) in memo:
            return memo[id(self)]
        if not self.is_leaf:
            raise at_call(
                RuntimeError,
                "Only Tensors created explicitly by the user (graph leaves) support the deepcopy protocol at the "
                "moment",
            )
        result = memo[id(self)] = leaf(
            type(self), packed(self).detach().clone(), copy.copy(self._rows), self.requires_grad
        )
        if self.grad is not None:
            result.grad = copy.deepcopy(self.grad, memo)
        return result

    def __copy__(self) -> Any:
        return self._seen(packed(self).detach()).requires_grad_(self.requires_grad)

    def __buffer__(self, flags: int) -> Any:
        raise at_call(BufferError, "a nested tensor has no memory to show; values() has")

    def numpy(self, **options: Any) -> Any:
        raise at_call(RuntimeError, f".numpy() is not supported for tensor subclasses.{_WAY_OUT}")

    def __array__(self, *args: Any, **options: Any) -> Any:
        return self.numpy()

    def __dlpack__(self, *args: Any, **options: Any) -> Any:
        raise at_call(RuntimeError, f"a nested tensor cannot be exported.{_WAY_OUT}")


_WAY_OUT = " values() has the packed items, to_padded_tensor(padding) an ordinary tensor"


def leaf(kind: type, values: Tensor, rows: Any, requires_grad: bool) -> Any:
    """A nested tensor without a history."""
    result = _core.make_subclass(kind, values, requires_grad)
    result._rows = rows
    return result


def _no_attribute(name: str) -> property:
    def missing(self: Nested) -> Any:
        raise at_call(
            NotImplementedError, f"nested tensors have no {name}; to_padded_tensor(padding) gives one that has"
        )

    return property(missing)


for _name in ("H", "mH", "real", "imag", "nbytes"):
    setattr(Nested, _name, _no_attribute(_name))
