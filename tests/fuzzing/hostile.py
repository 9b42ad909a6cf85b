"""Objects with bad manners: they raise when they are asked, lie about their length, or change what they are part of."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy

__all__ = ["Asked", "Lying", "Raising", "changing", "deep", "numpy", "subclass", "within_itself", "wrapper"]


class Raising:
    """Raises whatever it is asked."""

    def __getitem__(self, _: Any) -> Any:
        raise ValueError("asked for an item")

    def __len__(self) -> int:
        raise ValueError("asked for its length")

    def __iter__(self) -> Any:
        raise ValueError("asked for its items")

    def __index__(self) -> int:
        raise ValueError("asked for an integer")

    def __float__(self) -> float:
        raise ValueError("asked for a number")

    def __complex__(self) -> complex:
        raise ValueError("asked for a complex number")

    def __bool__(self) -> bool:
        raise ValueError("asked for a truth value")

    def __eq__(self, _: object) -> bool:
        raise ValueError("compared")

    def __hash__(self) -> int:
        raise ValueError("hashed")


class Lying:
    """A sequence whose length is not that of its items."""

    def __init__(self, length: int, items: Any):
        self.length, self.items = length, items

    def __len__(self) -> int:
        return self.length

    def __getitem__(self, i: int) -> Any:
        return self.items[i]


class Asked(int):
    """A number that does something before it says its value."""

    action: Any = staticmethod(lambda: None)

    def __new__(cls, value: int, action: Any = None) -> Asked:
        made = super().__new__(cls, value)
        if action is not None:
            made.action = action
        return made

    def __index__(self) -> int:
        self.action()
        return int.__int__(self)

    def __float__(self) -> float:
        self.action()
        return float(int.__int__(self))

    def __bool__(self) -> bool:
        self.action()
        return int.__int__(self) != 0


class Plain:
    """As Asked, but no number of Python's."""

    def __init__(self, value: int, action: Any):
        self.value, self.action = value, action

    def __index__(self) -> int:
        self.action()
        return self.value

    def __float__(self) -> float:
        self.action()
        return float(self.value)


def changing(how: str, kind: str = "plain") -> list:
    """A list that one of its items changes when it is asked: "clear", "grow", "replace" or "nest"."""
    items: list = [1, 2, 3]
    actions = {
        "clear": items.clear,
        "grow": lambda: items.extend([4] * 100) if len(items) < 10_000 else None,
        "replace": lambda: items.__setitem__(slice(None), ["x", None, object()]),
        "nest": lambda: items.__setitem__(2, [1, 2]),
    }
    items[1] = (Plain if kind == "plain" else Asked)(2, actions[how])
    return items


def within_itself() -> list:
    """A list that contains itself."""
    items: list = [1]
    items.append(items)
    return items


@lru_cache
def deep(depth: int) -> list:
    """A list in a list in a list. It is kept: taking it apart needs as much stack as anything does with it."""
    items: list = []
    for _ in range(depth):
        items = [items]
    return items


@lru_cache
def subclass(torch: Any) -> type:
    """A plain subclass of Tensor."""
    return type("Sub", (torch.Tensor,), {})


@lru_cache
def wrapper(torch: Any, answer: str) -> type:
    """A subclass whose __torch_function__ answers oddly: "raise", "none", "text", "resize" its arguments."""

    def asked(cls: type, function: Any, types: Any, args: tuple = (), kwargs: dict | None = None) -> Any:
        if answer == "raise":
            raise ValueError("called")
        if answer == "resize":
            with torch._C.DisableTorchFunctionSubclass():
                for t in args:
                    if isinstance(t, torch.Tensor) and t.is_leaf and not t.requires_grad:
                        t.resize_(0)
                return function(*args, **(kwargs or {}))
        return None if answer == "none" else "text"

    return type("Odd", (torch.Tensor,), {"__torch_function__": classmethod(asked)})
