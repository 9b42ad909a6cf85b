"""ModuleTracker: which modules run at the moment, forward or backward."""

from __future__ import annotations

import weakref
from collections.abc import Callable
from typing import Any, Self

from .. import _core
from .._core import Tensor
from ..autograd.graph import register_multi_grad_hook
from ..nn.modules.module import Module, register_module_forward_hook, register_module_forward_pre_hook
from ..pytree import tree_leaves

__all__ = ["ModuleTracker"]


class ModuleTracker:
    """A block in which `parents` has the names of the modules that run at the moment, and "Global".

    >>> from torch.utils.module_tracker import ModuleTracker
    >>> class Shown(torch.nn.Module):
    ...     def forward(self, x):
    ...         print(sorted(tracker.parents))
    ...         return x
    >>> with ModuleTracker() as tracker:
    ...     y = torch.nn.Sequential(Shown())(torch.ones(1))
    ['Global', 'Sequential', 'Sequential.0']
    """

    def __init__(self) -> None:
        self.parents = {"Global"}
        self._names: weakref.WeakKeyDictionary[Module, str] = weakref.WeakKeyDictionary()
        self._handles: list[Any] = []
        self._clears = False

    @property
    def is_bw(self) -> bool:
        """Whether a backward pass runs."""
        return _core.current_run() != 0

    def __enter__(self) -> Self:
        self._handles = [register_module_forward_pre_hook(self._enter), register_module_forward_hook(self._leave)]
        return self

    def __exit__(self, *exception: object) -> None:
        for handle in self._handles:
            handle.remove()
        self._handles = []

    def _name(self, module: Module) -> str:
        if module not in self._names:
            self._names[module] = type(module).__name__
        name = self._names[module]
        for child_name, child in module.named_children():
            self._names.setdefault(child, f"{name}.{child_name}")
        return name

    def _enter(self, module: Module, inputs: Any) -> None:
        name = self._name(module)
        self.parents.add(name)
        self._at_gradients(inputs, lambda *_: self.parents.discard(name))

    def _leave(self, module: Module, inputs: Any, output: Any) -> None:
        name = self._name(module)
        self.parents.discard(name)
        self._at_gradients(output, lambda *_: self._enter_backward(name))

    def _at_gradients(self, values: Any, hook: Callable[..., None]) -> None:
        recorded = [leaf for leaf in tree_leaves(values) if isinstance(leaf, Tensor) and leaf.requires_grad]
        if recorded:
            self._handles.append(register_multi_grad_hook(recorded, hook))

    def _enter_backward(self, name: str) -> None:
        if not self._clears:
            self._clears = True
            _core.queue_callback(self._end_backward)
        self.parents.add(name)

    def _end_backward(self) -> None:
        self._clears = False
        self.parents = {"Global"}
