"""Operations that are written in Python, inside vmap: their bodies call operations that have rules."""

from __future__ import annotations

import ast
import importlib
from collections.abc import Callable
from typing import Any, NamedTuple

from ..ops.table import OPERATIONS
from .batch_along import _suits
from .batch_rules import RULES, Call, loop
from .batched import at_depth

# Bodies that look at values, or leave the core's operations: those run once per sample.
_LOOKS_AT_VALUES = """
histogram histogramdd isclose allclose equal logspace range frexp istft
"""
# Those that look at the values of the arguments behind the first, where these are batched.
_LOOKS_AT_OTHERS = "quantile nanquantile cov isin segment_reduce"


class _Body(NamedTuple):
    """An overload: where its function is, and its parameters as (kind, name, default), without `out`."""

    module: str
    function: str
    parameters: list[tuple[str, str, Any]]
    keyword_only: int  # from this parameter on

    def find(self) -> Callable:
        place = self.module if "." in self.module else f"ops.{self.module}"
        return getattr(importlib.import_module(f"chainrule.{place}"), self.function)

    def bind(self, args: tuple, kwargs: dict[str, Any]) -> list | None:
        """The arguments in the body's order; None if they are not this overload's."""
        names = {name for _, name, _ in self.parameters}
        spread = bool(self.parameters) and self.parameters[0][0] == "Tensor[*]"
        if spread and not (len(args) == 1 and isinstance(args[0], (list, tuple))):
            args = (args,)
        if len(args) > self.keyword_only or kwargs.keys() - names:
            return None
        values = []
        for i, (kind, name, default) in enumerate(self.parameters):
            value = args[i] if i < len(args) else kwargs.get(name, default)
            if value is _MISSING or not _suits(kind.rstrip("?!"), value):
                return None
            if kind.startswith("int[") and value is not None:
                value = (value,) if isinstance(value, int) else tuple(value)
            values.append(value)
        return values


_MISSING = object()


def _parse(module: str, text: str) -> tuple[str, _Body]:
    name, _, rest = text.partition("(")
    inside = rest[: rest.index(") ->") if ") ->" in rest else rest.rindex(")")]
    parameters, keyword_only = [], None
    for part in inside.split(", ") if inside else ():
        if part == "*":
            keyword_only = len(parameters)
            continue
        declared, _, default = part.partition("=")
        kind, parameter = declared.rsplit(" ", 1)
        if parameter != "out":
            parameters.append((kind, parameter, ast.literal_eval(default) if default else _MISSING))
    count = len(parameters) if keyword_only is None else keyword_only
    return name.split(".")[0], _Body(module, name.replace(".", "_"), parameters, count)


def _overloads() -> dict[str, list[_Body]]:
    found: dict[str, list[_Body]] = {}
    for module, lines in OPERATIONS.items():
        for line in filter(None, map(str.strip, lines.splitlines())):
            name, body = _parse(module, line.split(None, 1)[1])
            found.setdefault(name, []).append(body)
    return found


def _rule(name: str, bodies: list[_Body]) -> Callable:
    def run(call: Call, *args: Any, **kwargs: Any) -> Any:
        if name in _LOOKS_AT_OTHERS.split() and any(map(call.is_batched, (*args[1:], *kwargs.values()))):
            return loop(call, args, kwargs)
        kwargs.pop("out", None)
        for body in bodies:
            values = body.bind(args, kwargs)
            if values is not None:
                with at_depth(call.level):
                    return body.find()(*values)
        return call.function(*args, **kwargs)  # raises, in the operation's own words

    return run


for _name, _bodies in _overloads().items():
    if _name not in RULES and _name not in _LOOKS_AT_VALUES.split():
        RULES[_name] = _rule(_name, _bodies)
