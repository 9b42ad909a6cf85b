"""PyTorch's names for parts of printing, for packages that print tensors of their own."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

from . import printing
from .printing import printoptions as printoptions
from .printing import set_printoptions as set_printoptions


def __getattr__(name: str) -> Any:
    if name == "PRINT_OPTS":
        return SimpleNamespace(**printing.get_printoptions())
    raise AttributeError(f"module '{__name__}' has no attribute '{name}'")


def _tensor_str(self: Any, indent: int) -> str:
    return printing._contents(self, indent)


def _add_suffixes(tensor_str: str, suffixes: list[str], indent: int, force_newline: bool) -> str:
    if force_newline and suffixes:
        suffixes = [f"\n{' ' * indent}{suffixes[0]}", *suffixes[1:]]
    return printing._append_suffixes(tensor_str, suffixes, indent)


def _str_intern(inp: Any, *, tensor_contents: str | None = None) -> str:
    return printing.tensor_repr(inp, tensor_contents=tensor_contents)
