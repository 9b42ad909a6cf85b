"""How values leave the graph: by which methods and functions, and what is known of a value on its way."""

from __future__ import annotations

import ast
from collections.abc import Iterable
from dataclasses import dataclass, replace

from .source import Line

__all__ = ["CARRIES", "COPIES", "NOTHING", "Departure", "Taint", "departure_of", "join", "switches_off"]

# How a value leaves the graph, by the method or function that takes it out.
_DEPARTURES = {
    **dict.fromkeys(("detach", "detach_", "state_dict"), "detached"),
    **dict.fromkeys(("item", "tolist", "numpy", "__array__"), "read out"),
    **dict.fromkeys(("long", "int", "short", "bool", "char", "byte"), "integer cast"),
    **dict.fromkeys(
        ("argmax", "argmin", "argsort", "searchsorted", "bucketize", "nonzero", "multinomial", "sample", "bernoulli"),
        "no gradient",
    ),
    **dict.fromkeys(("eq", "ne", "lt", "le", "gt", "ge", "isclose", "logical_not", "bincount", "histc"), "no gradient"),
}
COPIES = {"Parameter", "tensor", "as_tensor", "asarray", "from_numpy", "array", "Tensor", "FloatTensor"}
_INTEGERS = {"int8", "int16", "int32", "int64", "uint8", "bool", "long", "short", "int"}


@dataclass(frozen=True)
class Departure:
    """A place where a value left the graph."""

    how: str  # detached, read out, integer cast, no gradient, no_grad
    by: str  # as written: detach(), float(), argmax()
    line: Line
    surely: bool = True  # not so in a branch that may not have been taken


@dataclass(frozen=True)
class Taint:
    """What a value has of the one that is followed."""

    carries: bool = False  # a gradient can flow from it to that one
    lost: tuple[Departure, ...] = ()  # where that one went into it without its gradient

    def __or__(self, other: Taint) -> Taint:
        if not other.carries and not other.lost:
            return self
        return Taint(self.carries or other.carries, tuple(dict.fromkeys(self.lost + other.lost)))

    def __bool__(self) -> bool:
        return self.carries or bool(self.lost)

    def left(self, departure: Departure) -> Taint:
        """What is behind a departure, if there was something to lose."""
        return Taint(False, (*self.lost, departure)) if self.carries else self

    def perhaps(self) -> Taint:
        """The same, in a branch that may not have been taken."""
        return Taint(self.carries, tuple(replace(d, surely=False) for d in self.lost))


NOTHING, CARRIES = Taint(), Taint(True)


def join(taints: Iterable[Taint]) -> Taint:
    """What several values have together."""
    found = NOTHING
    for taint in taints:
        found |= taint
    return found


def departure_of(e: ast.Call, name: str, is_method: bool) -> tuple[str, str] | None:
    """How a call takes its argument out of the graph, and by what."""
    if not is_method:
        if name in ("float", "int", "bool"):
            return "read out", f"{name}()"
        return ("detached", f"{name}()") if name in COPIES else None
    if name in _DEPARTURES:
        return _DEPARTURES[name], f"{name}()"
    if name in COPIES:
        return "detached", f"{name}()"
    given = [*e.args, *(k.value for k in e.keywords)]
    if name in ("to", "type") and any(ast.unparse(a).rpartition(".")[2] in _INTEGERS for a in given):
        return "integer cast", f"{name}()"
    return None


def switches_off(e: ast.expr) -> str | None:
    """`no_grad()` and its kin, as a context or a decorator."""
    text = ast.unparse(e).rpartition(".")[2]
    if text.startswith(("no_grad", "inference_mode")):
        return text if text.endswith(")") else f"{text}()"
    return text if text.startswith("set_grad_enabled(False") else None
