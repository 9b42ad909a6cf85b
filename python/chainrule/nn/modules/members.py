"""Members: a module's parameters, buffers or submodules by name, which are its attributes at the same time."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any
from weakref import ref

if TYPE_CHECKING:
    from .module import Module


class Members(dict):
    """A dict of members that keeps the module's attributes up to date.

    PyTorch finds `self.weight` in `__getattr__`, after the ordinary look-up has failed: dear in a forward that asks
    for five of them. Here whatever enters or leaves this dict enters or leaves the module's `__dict__` as well, also
    when the dict is changed directly (`module._modules["fc"] = ...`), so an ordinary look-up finds it. The module is
    held weakly: a cycle would keep every dropped module until the next garbage collection.
    """

    __slots__ = ("_owner",)

    def __init__(self, owner: Module, items: Mapping[str, Any] | Iterable[tuple[str, Any]] = ()):
        super().__init__(items)
        self._owner = ref(owner)
        owner.__dict__.update(self)

    def _attributes(self) -> dict[str, Any]:
        owner = self._owner()
        return {} if owner is None else owner.__dict__

    def __setitem__(self, name: str, value: Any) -> None:
        super().__setitem__(name, value)
        self._attributes()[name] = value

    def __delitem__(self, name: str) -> None:
        super().__delitem__(name)
        self._attributes().pop(name, None)

    def update(self, *args: Any, **kwargs: Any) -> None:
        for name, value in dict(*args, **kwargs).items():
            self[name] = value

    def __ior__(self, other: Any) -> Members:
        self.update(other)
        return self

    def setdefault(self, name: str, default: Any = None) -> Any:
        if name not in self:
            self[name] = default
        return self[name]

    def pop(self, name: str, *default: Any) -> Any:
        value = super().pop(name, *default)
        self._attributes().pop(name, None)
        return value

    def popitem(self) -> tuple[str, Any]:
        name, value = super().popitem()
        self._attributes().pop(name, None)
        return name, value

    def clear(self) -> None:
        for name in list(self):
            del self[name]

    def __reduce__(self):
        # A copy belongs to no module yet: it is a plain dict until Module.__setstate__ takes it in.
        return dict, (), None, None, iter(self.items())
