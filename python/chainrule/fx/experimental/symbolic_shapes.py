"""torch.fx.experimental.symbolic_shapes: sizes are numbers here, so each question has its answer at once."""

from __future__ import annotations

from typing import Any

from ...compat.refusal import refused_class

__all__ = [
    "free_symbols",
    "free_unbacked_symbols",
    "guard_or_false",
    "guard_or_true",
    "guard_size_oblivious",
    "has_free_symbols",
    "statically_known_true",
    "sym_eq",
]

_REASON = "chainrule does not compile, and traces no programs for a compiler"
DimDynamic = refused_class("fx.experimental.symbolic_shapes.DimDynamic", _REASON, NotImplementedError)
ShapeEnv = refused_class("fx.experimental.symbolic_shapes.ShapeEnv", _REASON, NotImplementedError)


class GuardOnDataDependentSymNode(RuntimeError):  # noqa: N818  (PyTorch's name)
    """What PyTorch's compiler raises; nothing raises it here."""


def guard_or_false(a: Any) -> bool:
    """Whether it holds."""
    return bool(a)


guard_or_true = guard_size_oblivious = statically_known_true = guard_or_false


def free_symbols(val: Any) -> set:
    """None: sizes are numbers."""
    return set()


free_unbacked_symbols = free_symbols


def has_free_symbols(val: Any) -> bool:
    """False."""
    return False


def sym_eq(x: Any, y: Any) -> bool:
    """Whether two sizes, or lists of sizes, are equal."""
    return x == y
