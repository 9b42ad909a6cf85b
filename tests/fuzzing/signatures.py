"""What a function takes: the core tells of its own, and what a name means there it means elsewhere, mostly."""

from __future__ import annotations

import inspect
import re
from collections import Counter, defaultdict
from dataclasses import dataclass
from functools import cache
from typing import Any

import chainrule
from chainrule import _core

from .arguments import compiled
from .surface import Target


@dataclass(frozen=True)
class Parameter:
    name: str
    kind: str  # Tensor, Operand, int, int[], float, Number, bool, str, dtype, Tensor[], ..., object
    required: bool
    keyword_only: bool = False


@cache
def signatures_of(target: Target) -> list[list[Parameter]]:
    """The ways to call it. Without a signature of its own: a tensor and something."""
    known = _of_core().get(("method" if target.is_method else "function", target.name))
    if known is None and ".linalg." in target.path:
        known = _of_core().get(("function", f"linalg_{target.name}"))
    if known is None:
        function = compiled(target.path)(chainrule, None)
        known = _by_inspection(function)
    return known or [[Parameter("input", "Tensor", True), Parameter("other", "object", False)]]


@cache
def _of_core() -> dict[tuple[str, str], list[list[Parameter]]]:
    found: dict[tuple[str, str], list[list[Parameter]]] = defaultdict(list)
    for form, name, text in _core.signatures():
        found[form, name].append(_parsed(text))
    return found


def _parsed(text: str) -> list[Parameter]:
    """`add(Operand input, Operand other, *, Number alpha=1, Tensor? out=None) -> Tensor`."""
    inside = text[text.index("(") + 1 :].split(" -> ")[0].strip().removesuffix(")")
    found, keyword_only = [], False
    for part in re.split(r",\s*(?![^\[\(]*[\]\)])", inside):
        if part.strip() == "*":
            keyword_only = True
        elif len(words := part.strip().split(None, 1)) == 2:
            name, _, default = words[1].partition("=")
            found.append(Parameter(name, words[0].strip("?!~").rstrip("?!~"), not default, keyword_only))
    return found


@cache
def _kind_of_name() -> dict[str, str]:
    """What parameters of a name are, mostly."""
    votes: dict[str, Counter] = defaultdict(Counter)
    for signatures in _of_core().values():
        for p in (p for s in signatures for p in s):
            votes[p.name][p.kind] += 1
    return {name: counts.most_common(1)[0][0] for name, counts in votes.items()}


def _by_inspection(function: Any) -> list[list[Parameter]]:
    try:
        parameters = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):
        return []
    plain = [p for p in parameters if p.kind not in (p.VAR_POSITIONAL, p.VAR_KEYWORD) and p.name not in ("self", "cls")]
    return [[Parameter(p.name, _kind(p), p.default is p.empty, p.kind is p.KEYWORD_ONLY) for p in plain]]


_OF_CLASS = {"Tensor": "Tensor", "int": "int", "float": "float", "bool": "bool", "str": "str", "dtype": "dtype"}


def _kind(p: inspect.Parameter) -> str:
    if isinstance(p.default, bool):
        return "bool"
    if isinstance(p.default, int | float | str):
        return type(p.default).__name__
    if p.name in _kind_of_name():
        return _kind_of_name()[p.name]
    annotation = str(p.annotation)
    return next((kind for word, kind in _OF_CLASS.items() if re.search(rf"\b{word}\b", annotation)), "object")
