"""What an instance of an autograd.Function is: a node that no call made, outside of every graph."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import Any

from ..tensor_methods import RemovableHandle, _add_hook


class UnusedNode:
    """Answers as a node does. It has no inputs and no outputs, and its hooks are never called: nothing runs it."""

    next_functions = ()
    _input_metadata = ()
    _sequence_number = 0

    def name(self) -> str:
        return type(self).__name__

    @cached_property
    def metadata(self) -> dict:
        return {}

    @cached_property
    def _hooks_of_instance(self) -> dict[int, Callable]:
        return {}

    def register_hook(self, fn: Callable) -> RemovableHandle:
        return _add_hook(self._hooks_of_instance, fn)

    register_prehook = register_hook

    def _register_hook_dict(self, tensor: Any) -> None:
        """Takes the hooks of a tensor over, as far as there are any."""
        self._hooks_of_instance.update(tensor._backward_hooks or {})

    def _sequence_nr(self) -> int:
        return self._sequence_number

    def _set_sequence_nr(self, number: int) -> None:
        self._sequence_number = number
