"""The version of PyTorch that chainrule stands for, and how scripts compare it."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any


def _key(version: Any) -> tuple:
    """What orders versions: numbers, then whether it is a pre-release, then what follows a plus.

    Args:
        version: "2.13.0+chainrule", "2.13", a tuple or a packaging Version.
    """
    text = ".".join(map(str, version)) if isinstance(version, tuple) else str(version)
    match = re.match(r"\s*v?(\d+(?:\.\d+)*)([a-z.]*[0-9]*)(\+.*)?\s*$", text)
    if match is None:
        raise ValueError(f"{text[:50]!r} is no version")
    numbers = [int(part) for part in match[1].split(".")]
    while numbers and numbers[-1] == 0:  # 2.0 is 2
        numbers.pop()
    early = match[2].startswith(("a", "b", "rc", ".dev", "dev"))
    return tuple(numbers), not early, match[3] or ""


class TorchVersion(str):
    """A version as text, which compares by its numbers: TorchVersion("2.13.0") > "2.9" and > (2, 9)."""

    __slots__ = ()

    def _compared(self, other: Any, compare: Callable[[Any, Any], bool], of_text: Callable[[str, Any], bool]) -> bool:
        try:
            return compare(_key(self), _key(other))
        except ValueError:
            return of_text(str(self), other)

    def __lt__(self, other: Any) -> bool:
        return self._compared(other, tuple.__lt__, str.__lt__)

    def __le__(self, other: Any) -> bool:
        return self._compared(other, tuple.__le__, str.__le__)

    def __gt__(self, other: Any) -> bool:
        return self._compared(other, tuple.__gt__, str.__gt__)

    def __ge__(self, other: Any) -> bool:
        return self._compared(other, tuple.__ge__, str.__ge__)

    def __eq__(self, other: Any) -> bool:
        return self._compared(other, tuple.__eq__, str.__eq__)

    def __ne__(self, other: Any) -> bool:
        return not self == other

    __hash__ = str.__hash__


__version__ = TorchVersion("2.13.0+chainrule")
