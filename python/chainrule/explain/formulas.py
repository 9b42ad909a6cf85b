"""Gradient formulas in terms that can be read and calculated: the texts of the table, with long helpers spelt out."""

from __future__ import annotations

import ast
import re
from functools import cache
from typing import Any

from .. import _core

__all__ = ["Formula", "formula_of", "formula_with_numbers"]

# The templates of core/ops/elementwise/formulas.hpp that stand for a long formula, written out: parameters, then the
# formula.
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


class _Choice(ast.NodeTransformer):
    """Replaces select(condition, a, b) by `a if condition else b`, which can be read."""

    def visit_Call(self, node: ast.Call) -> ast.AST:
        self.generic_visit(node)
        if not isinstance(node.func, ast.Name) or node.func.id != "select" or len(node.args) != 3:
            return node
        condition, a, b = node.args
        return ast.IfExp(condition, a, b)


@cache
def readable(text: str) -> str:
    """A formula of the table as it is shown."""
    try:
        tree = ast.parse(spelt_out(text), mode="eval")
    except SyntaxError:
        return text
    return ast.unparse(_Choice().visit(tree))


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


# Operations whose words in the core are for all inputs at once, or that are written in Python: one text per input.
_PER_INPUT = {
    "native_batch_norm": ("w * rstd * (g - mean(g) - x_hat * mean(g * x_hat))", "sum(g * x_hat)", "sum(g)"),
    "native_group_norm": ("rstd * (g*w - mean(g*w) - x_hat * mean(g*w*x_hat))", "sum(g * x_hat)", "sum(g)"),
    "native_layer_norm": ("rstd * (g*w - mean(g*w) - x_hat * mean(g*w*x_hat))", "sum(g * x_hat)", "sum(g)"),
    "rms_norm": ("rstd * (g*w - x_hat * mean(g*w*x_hat))", "sum(g * x_hat)"),
    "scaled_dot_product_attention": (
        "ds @ k, where p = softmax(q @ k.mT * scale) and ds = p * (g @ v.mT - sum(g * y)) * scale",
        "ds.mT @ q, where p = softmax(q @ k.mT * scale) and ds = p * (g @ v.mT - sum(g * y)) * scale",
        "p.mT @ g, where p = softmax(q @ k.mT * scale)",
    ),
    "grid_sampler_2d": ("g spread over the pixels that were read", "g times the slopes between those pixels"),
    "grid_sampler_3d": ("g spread over the voxels that were read", "g times the slopes between those voxels"),
    "lstm_cell": (
        "each gate's share of dc = g_c + g_h * o * (1 - tanh(c)^2), through its activation",
        "each gate's share of dc = g_c + g_h * o * (1 - tanh(c)^2), through its activation",
        "dc * f, where dc = g_c + g_h * o * (1 - tanh(c)^2) and f is the forget gate",
    ),
    "gru_cell": (
        "each gate's share of g, through its activation",
        "each gate's share of g, through its activation; the new gate's share times the reset gate",
        "g * z, where z is the update gate",
    ),
    "LinalgDetBackward0": ("g * y * inv(x).mT",),
    "LinalgSlogdetBackward0": ("g * inv(x).mT",),
    "LinalgInvExBackward0": ("-y.mT @ g @ y.mT",),
    "LinalgSolveExBackward0": ("-inv(a).mT @ g @ y.mT", "inv(a).mT @ g"),
    "LinalgSolveTriangularBackward0": ("the triangle of -inv(a).mT @ g @ y.mT", "inv(a).mT @ g"),
    "LinalgEighBackward0": ("v @ diag(g) @ v.mT, where v are the eigenvectors; with more for a gradient of v",),
    "LinalgSvdBackward0": (
        "u @ diag(g) @ vh, where u and vh are the singular vectors; with more for gradients of these",
    ),
    "LinalgMatrixExpBackward0": ("the derivative of the exponential at x.mT, in the direction g",),
}
_MODES = ("index_reduce", "scatter_reduce")  # their words are by the kind of reduction, and hold for both inputs


def _for_input(words: str, input: int) -> str:
    """Of "a: g @ b.T, b: a.T @ g", or of parts with semicolons between them, the part of one input."""
    if "; " in words:
        parts = [re.sub(r"^\w+: ", "", part) for part in words.split("; ")]
        return parts[input] if input < len(parts) else words
    parts = re.split(r"(?:^|, )\w+: ", words)
    return parts[input + 1] if not parts[0] and input + 1 < len(parts) else words


def _ndim(edge: tuple[Any, int]) -> int | None:
    target, output = edge
    if target is None:
        return None
    return target.ndim if isinstance(target, _core.Tensor) else len(target._outputs[output][0])


def _in_words(raw: Any, input: int) -> str:
    name, words = raw.operation, raw.formula
    known = _PER_INPUT.get(name)
    if name == "matmul" and "broadcast" in words:  # a vector takes part as a row on the left, as a column on the right
        if _ndim(raw._edges[0]) == 1:
            words = "a: g[..., None, :] @ b.mT, b: a[:, None] @ g[..., None, :], summed over broadcast dimensions"
        elif _ndim(raw._edges[1]) == 1:
            words = "a: g[..., None] @ b[None, :], b: a.mT @ g[..., None], summed over broadcast dimensions"
    if known is not None and input < len(known):
        return known[input]
    if words == "written in Python":
        return f"{name.removesuffix('Backward')}.backward(g), written in Python"
    return words if name in _MODES else _for_input(words, input)


# A line of the table and a reduction; for the mean, n is the number of elements.
_LOSSES = {"mse_loss", "smooth_l1_loss", "huber_loss", "binary_cross_entropy", "binary_cross_entropy_with_logits"}


def formula_of(raw: Any, input: int) -> str:
    """The formula of the gradient for an input of a node."""
    operands = raw._operands
    if operands is None:
        return _of_a_loss(raw, input) if raw.operation in _LOSSES else _in_words(raw, input)
    row = _table()[operands[0]]
    if input >= len(row["gradients"]):
        return raw.formula
    text = readable(row["gradients"][input])
    return _conjugated(text, row["inputs"], operands[2]) if raw._outputs[0][1].is_complex else text


def _of_a_loss(raw: Any, input: int) -> str:
    text = readable(_table()[raw.operation]["gradients"][input])
    return f"{text} / n" if raw._saved_reduction == 1 else text


def _conjugated(text: str, inputs: list[str], places: Any) -> str:
    """The table has holomorphic derivatives; what flows back is multiplied with their conjugates."""
    tensors = [name for name, place in zip(inputs, places, strict=False) if not isinstance(place, float)]
    given: dict[str, ast.expr] = {name: ast.Name(f"conj({name})") for name in (*tensors, "y")}
    try:
        return ast.unparse(_Substitution(given).visit(ast.parse(text, mode="eval")))
    except SyntaxError:
        return text


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
