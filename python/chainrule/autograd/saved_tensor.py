"""A tensor that a node keeps, before it is unpacked: grad_fn._raw_saved_self."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NoReturn

from .._core import Node, Tensor
from ..error_words import at_call

__all__ = ["SavedTensor"]


class SavedTensor:
    """A place among the saved tensors of a node; register_hooks decides what is kept there.

    >>> y = torch.tensor(3., requires_grad=True).exp()
    >>> y.grad_fn._raw_saved_result.register_hooks(lambda t: t * 2, lambda t: t / 2)
    >>> y.grad_fn._saved_result.item() == y.item()
    True
    """

    _node: Node
    _place: int

    def __init__(self) -> NoReturn:
        raise at_call(RuntimeError, "Trying to create a SavedTensor object from Python is forbidden.")

    def register_hooks(self, pack_hook: Callable[[Tensor], Any], unpack_hook: Callable[[Any], Tensor]) -> None:
        """Keeps what pack_hook(tensor) returns, and makes it a tensor again by unpack_hook."""
        for hook in (pack_hook, unpack_hook):
            if not callable(hook):
                raise at_call(TypeError, f"register_hooks(): incompatible function arguments: {hook!r} is not callable")
        self._node._pack_at(self._place, pack_hook, unpack_hook)

    def unpack(self) -> Tensor:
        """The tensor that was saved."""
        return self._node._unpack_at(self._place)

    @property
    def data(self) -> Any:
        """What is kept: the tensor, or what a pack hook made of it; None when it was freed."""
        kept = self._node._kept_at(self._place)
        return None if kept is None else kept[0]

    @property
    def unpack_hook(self) -> Callable[[Any], Tensor] | None:
        kept = self._node._kept_at(self._place)
        return None if kept is None else kept[1]


def at(node: Node, place: int) -> SavedTensor:
    """What the core calls for an attribute of this kind."""
    made = object.__new__(SavedTensor)
    made._node, made._place = node, place
    return made
