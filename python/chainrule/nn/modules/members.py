"""Members: a module's parameters, buffers or submodules by name, which are its attributes at the same time."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any
from weakref import ref

if TYPE_CHECKING:
    from .module import Module


KINDS = ("_parameters", "_buffers", "_modules")


def find_member(self: Module, name: str) -> Any:
    """`Module.__getattr__`: members that the ordinary look-up does not find, and the error."""
    for kind in KINDS:
        members = self.__dict__.get(kind)
        if members is not None and name in members:
            return members[name]
    raise AttributeError(f"'{type(self).__name__}' object has no attribute '{name}'")


def _nobody() -> None:
    return


class Members(dict):
    """A dict of members that keeps the module's attributes up to date.

    PyTorch finds `self.weight` in `__getattr__`, after the ordinary look-up has failed: dear in a forward that asks
    for five of them. Here whatever enters or leaves this dict enters or leaves the module's `__dict__` as well, also
    when the dict is changed directly (`module._modules["fc"] = ...`), so an ordinary look-up finds it. A class with a
    `__getattr__` of its own expects to be asked for members: its modules keep them out of their `__dict__`. The module
    is held weakly: a cycle would keep every dropped module until the next garbage collection.
    """

    __slots__ = ("_owner",)

    def __init__(self, owner: Module | Any = (), items: Mapping[str, Any] | Iterable[tuple[str, Any]] = ()):
        if isinstance(owner, (dict, list, tuple)):  # somebody makes a dict of this type, for no module
            super().__init__(owner)
            self._owner = _nobody
            return
        super().__init__(items)
        self._owner = ref(owner)
        self.show()

    def show(self) -> None:
        """Makes the members attributes of the module, or takes them out if its class asks to find them itself."""
        attributes = self._attributes()
        attributes.update(self)
        owner = self._owner()
        if owner is not None and attributes is not owner.__dict__:
            for name in self:
                owner.__dict__.pop(name, None)

    def _attributes(self) -> dict[str, Any]:
        owner = self._owner()
        return {} if owner is None or type(owner).__getattr__ is not find_member else owner.__dict__

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
