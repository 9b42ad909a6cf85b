"""torch.classes: classes of compiled extensions. Libraries can be named; none of their classes is here."""

from __future__ import annotations

from typing import NoReturn

__path__: list[str] = []


class _Library:
    """The classes of one library."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __getattr__(self, name: str) -> NoReturn:
        if name.startswith("__"):
            raise AttributeError(name)
        raise RuntimeError(
            f"Tried to instantiate class '{self._name}.{name}', but it does not exist! Ensure that it is registered "
            "via torch::class_. chainrule runs no compiled extensions of PyTorch"
        )


def __getattr__(name: str) -> _Library:
    if name.startswith("__"):
        raise AttributeError(f"module 'torch.classes' has no attribute '{name}'")
    return _Library(name)
