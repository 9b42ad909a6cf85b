"""Gradient formulas in terms that can be read and calculated: the texts of the table, with long helpers spelt out."""

from __future__ import annotations

import ast
import re
from functools import cache
from typing import Any

from .. import _core

__all__ = ["Formula", "formula_of", "formula_with_numbers"]

# The templates of core/ops/formulas.hpp that stand for a long formula, written out: parameters, then the formula.
_SPELT_OUT = {
    "pow_gradient_base": ("g a exponent", "g * exponent * a ** (exponent - 1)"),
    "pow_gradient_exponent": ("g a y", "g * y * log(a)"),
    "silu_gradient": ("g x", "g * sigmoid(x) * (1 + x * (1 - sigmoid(x)))"),
    "larger_gradient": ("g a b", "select(a == b, g / 2, select(a > b, g, zero(g)))"),
    "atan2_gradient": ("g part a b", "g * part / (a * a + b * b)"),
    "gelu_gradient": (
        "g x",
        "g * (0.5 * (1 + erf(x * 0.7071067811865476)) + x * 0.3989422804014327 * exp(-x * x / 2))",
    ),
}


@cache
def _table() -> dict[str, dict[str, Any]]:
    return {row["name"]: row for row in _core.op_table()}


@cache
def parameter_names(operation: str) -> list[str]:
    """Of a line POSITIONAL(beta, 1, threshold, 20): beta and threshold."""
    text = _table()[operation]["parameters"]
    return [] if text == "NONE" else text[text.index("(") + 1 : -1].split(", ")[::2]


class _Spelling(ast.NodeTransformer):
    """Replaces helpers by what they calculate, and T(0.5) by 0.5."""

    def visit_Call(self, node: ast.Call) -> ast.AST:
        self.generic_visit(node)
        name = node.func.id if isinstance(node.func, ast.Name) else ""
        if name == "T":
            return node.args[0]
        if name == "zero":
            return ast.Constant(0)
        if name not in _SPELT_OUT:
            return node
        parameters, body = _SPELT_OUT[name]
        given = dict(zip(parameters.split(), node.args, strict=True))
        return _Substitution(given).visit(ast.parse(body, mode="eval").body)


class _Substitution(ast.NodeTransformer):
    def __init__(self, given: dict[str, ast.expr]):
        self.given = given

    def visit_Name(self, node: ast.Name) -> ast.AST:
        return self.given.get(node.id, node)


@cache
def spelt_out(text: str) -> str:
    """A formula of the table without helpers that only the core knows."""
    try:
        tree = ast.parse(text, mode="eval")
    except SyntaxError:
        return text
    return ast.unparse(_Spelling().visit(tree))


def _for_input(words: str, input: int) -> str:
    """Of "a: g @ b.T, b: a.T @ g", or of parts with semicolons between them, the part of one input."""
    if "; " in words:
        parts = [re.sub(r"^\w+: ", "", part) for part in words.split("; ")]
        return parts[input] if input < len(parts) else words
    parts = re.split(r"(?:^|, )\w+: ", words)
    return parts[input + 1] if not parts[0] and input + 1 < len(parts) else words


def formula_of(raw: Any, input: int) -> str:
    """The formula of the gradient for an input of a node."""
    operands = raw._operands
    if operands is None:
        return _for_input(raw.formula, input)
    gradients = _table()[operands[0]]["gradients"]
    return spelt_out(gradients[input]) if input < len(gradients) else raw.formula


def formula_with_numbers(formula: str, numbers: dict[str, str]) -> str | None:
    """The formula with numbers for its names; None if it is in words."""
    try:
        tree = ast.parse(formula, mode="eval")
    except SyntaxError:
        return None
    given: dict[str, ast.expr] = {
        name: ast.Name(f"({text})" if text.startswith("-") else text) for name, text in numbers.items()
    }
    names = {n.id for n in ast.walk(tree) if isinstance(n, ast.Name)}
    called = {n.func.id for n in ast.walk(tree) if isinstance(n, ast.Call) and isinstance(n.func, ast.Name)}
    if not names - called or names - called - set(given):
        return None
    return ast.unparse(_Substitution(given).visit(tree))


class Formula:
    """An elementwise operation's texts, calculated on tensors."""

    def __init__(self, operation: str):
        self.row = _table()[operation]
        self.parameters = parameter_names(operation)

    def names(self, inputs: list[Any], parameters: tuple[float, ...], y: Any = None) -> dict[str, Any]:
        """What the names in the texts stand for; inputs that are not known are left out."""
        values = dict(zip(self.row["inputs"], inputs, strict=False))
        values.update(zip(self.parameters, parameters, strict=False))
        values["y"] = y
        return {name: value for name, value in values.items() if value is not None}

    def value(self, names: dict[str, Any]) -> Any:
        """The operation's value, or None if something it needs is not known."""
        return evaluate(spelt_out(self.row["value"]), names)

    def gradient(self, input: int, names: dict[str, Any]) -> Any:
        """The gradient for an input, or None if something it needs is not known."""
        return evaluate(spelt_out(self.row["gradients"][input]), names)


@cache
def _functions() -> dict[str, Any]:
    import chainrule as c

    known = {name: f for name, f in _core.functions.items() if callable(f)}
    known["select"] = lambda condition, a, b: c.where(c.as_tensor(condition), c.as_tensor(a), c.as_tensor(b))
    known["multiply_add"] = lambda a, b, addend: a * b + addend
    known["lerp"] = lambda a, end, weight: a + weight * (end - a)
    known["pow"] = lambda a, b: c.pow(a, b)
    known["round_to_even"] = c.round
    known["div_floor"] = lambda a, b: c.div(a, b, rounding_mode="floor")
    known["div_trunc"] = lambda a, b: c.div(a, b, rounding_mode="trunc")
    known["if_complex"] = lambda if_so, otherwise: otherwise
    return known


def evaluate(text: str, names: dict[str, Any]) -> Any:
    """A formula's value on tensors and numbers; None where it is in words, or a name is not known."""
    try:
        return eval(text, {"__builtins__": {}}, {**_functions(), **names})
    except (NameError, SyntaxError, TypeError, RuntimeError, ValueError, ZeroDivisionError, OverflowError):
        return None
