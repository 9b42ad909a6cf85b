"""The gradient texts of elementwise.def, read as Python: `g * b` on tensors of any class."""

from __future__ import annotations

import builtins
import re
from collections.abc import Callable
from functools import cache
from types import CodeType
from typing import Any

from .. import _core
from .._core import Tensor

__all__ = ["line_gradient"]

_functions = _core.functions
# Their operations have an argument `reduction` besides.
_LOSSES = ("mse_loss", "smooth_l1_loss", "huber_loss", "binary_cross_entropy", "binary_cross_entropy_with_logits")
_LINES = {row["name"]: row for row in _core.op_table() if row["gradients"] and row["name"] not in _LOSSES}
# A name of aten whose arguments choose between lines.
_SCALED = {"add": "add_scaled", "sub": "sub_scaled"}
_PYTHON_NAMES = {"a": "self", "b": "other", "x": "self"}


def _is_true(condition: Any) -> bool:
    return isinstance(condition, (bool, int, float))


def _select(condition: Any, a: Any, b: Any) -> Any:
    if _is_true(condition):
        return a if condition else b
    return _functions["where"](condition, a, b)


def _zero(g: Any) -> Any:
    return _functions["zeros_like"](g)


def _larger_gradient(g: Tensor, a: Any, b: Any) -> Any:
    """Of the larger of two; equal ones have a half each."""
    return _select(a == b, g / 2, _select(a < b, _zero(g), g))


def _pow_base(g: Tensor, a: Any, exponent: Any) -> Any:
    if not isinstance(exponent, Tensor):
        return _zero(g) if exponent == 0 else g * (exponent * a ** (exponent - 1))
    return _select(exponent == 0, _zero(g), g * (exponent * a ** (exponent - 1)))


def _pow_exponent(g: Tensor, a: Any, y: Tensor) -> Any:
    if not isinstance(a, Tensor):
        return g * (y * _functions["log"](_functions["scalar_tensor"](a))) if a else _zero(g)
    return _select((a == 0) & (y == 0), _zero(g), g * (y * a.log()))


def _silu_gradient(g: Tensor, x: Tensor) -> Tensor:
    s = x.sigmoid()
    return g * (s * (1 + x * (1 - s)))


def _gelu_gradient(g: Tensor, x: Tensor) -> Tensor:
    density = (x * x * -0.5).exp() * 0.3989422804014327
    return g * (((x * 0.7071067811865476).erf() + 1) * 0.5 + x * density)


_NAMESPACE: dict[str, Any] = {
    "T": lambda value: value,
    "none": None,
    "select": _select,
    "zero": _zero,
    "larger_gradient": _larger_gradient,
    "pow_gradient_base": _pow_base,
    "pow_gradient_exponent": _pow_exponent,
    "silu_gradient": _silu_gradient,
    "gelu_gradient": _gelu_gradient,
    "if_complex": lambda whole, real: whole if isinstance(whole, Tensor) and whole.is_complex() else real,
}


class _Names(dict):
    """What a text may name: its inputs, and functions of torch."""

    def __missing__(self, name: str) -> Any:
        return _NAMESPACE[name] if name in _NAMESPACE else _functions[name]


def _known(code: CodeType, inputs: set[str]) -> bool:
    return all(name in inputs or name in _NAMESPACE or name in _functions for name in code.co_names)


def _parameters(text: str) -> dict[str, Any]:
    """The names and defaults in POSITIONAL(alpha, 1)."""
    words = re.findall(r"[\w.-]+", text.partition("(")[2])
    return {words[i]: float(words[i + 1]) if words[i + 1] != "REQUIRED" else None for i in range(0, len(words), 2)}


@cache
def line_gradient(name: str) -> tuple | None:
    """Node, function, tensors that are read, whether the result is, and names of what is saved."""
    line = _LINES.get(_SCALED.get(name, name))
    if line is None or len(line["gradients"]) != len(line["inputs"]):
        return None
    names, parameters = line["inputs"], _parameters(line["parameters"])
    codes = [compile(text, f"<gradient of {name}>", "eval") for text in line["gradients"]]
    if not all(_known(code, {*names, *parameters, "g", "y"}) for code in codes):
        return None
    read = {each for code in codes for each in code.co_names}
    shown = tuple(_PYTHON_NAMES.get(each, each) if each in read else "" for each in names)
    function = _reader(names, parameters, codes)
    places = tuple(i for i, each in enumerate(names) if each in read)
    return line["node"], function, places, "y" in read, shown


def _reader(names: list[str], parameters: dict[str, Any], codes: list[CodeType]) -> Callable:
    def gradients(call: Any, g: Tensor, *args: Any, **options: Any) -> list[Any]:
        from .gradients import fitted

        if options.get("approximate") == "none":  # of gelu
            options = {}
        if len(args) > len(names) + len(parameters) or options.keys() - parameters:
            raise NotImplementedError(f"{call.op} with {options}: chainrule has no gradient of it for such classes")
        given = _Names({**parameters, **dict(zip([*names, *parameters], args, strict=False)), **options})
        given["g"], given["y"] = g.conj() if g.is_complex() else g, call.result
        found: list[Any] = []
        for name, code in zip(names, codes, strict=True):
            if not isinstance(given[name], Tensor):
                continue
            gradient = eval(code, {"__builtins__": builtins}, given) if call.needs[len(found)] else None
            if isinstance(gradient, Tensor) and gradient.is_complex():
                gradient = gradient.conj()
            found.append(fitted(gradient, call.shapes[len(found)]))
        return found

    return gradients
