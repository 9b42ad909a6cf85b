"""What to write instead, by the operation that made a NaN or an infinity."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..type_info import finfo

if TYPE_CHECKING:
    from .._core import Tensor
    from .graph import Node
    from .source import Line

__all__ = ["hint_for", "overflow_hint"]

_CAN_OVERFLOW = {
    "mul",
    "add",
    "sub",
    "pow",
    "square",
    "sum",
    "cumsum",
    "prod",
    "mm",
    "matmul",
    "bmm",
    "linear",
    "addmm",
}

_FORWARD = {
    "log": "log(x) needs x > 0: torch.log(x.clamp(min=1e-12)), or log_softmax in place of log(softmax(x))",
    "log2": "log2(x) needs x > 0: torch.log2(x.clamp(min=1e-12))",
    "log10": "log10(x) needs x > 0: torch.log10(x.clamp(min=1e-12))",
    "log1p": "log1p(x) needs x > -1",
    "sqrt": "sqrt(x) needs x >= 0: torch.sqrt(x.clamp(min=0)), with a small number added for the gradient",
    "rsqrt": "rsqrt(x) needs x > 0: torch.rsqrt(x + 1e-12)",
    "div": "a division by zero: add a small number to the divisor, or choose a safe one with where",
    "reciprocal": "a division by zero: add a small number to the divisor",
    "exp": "exp overflows above 88 (709 in float64): subtract the maximum first, or use logsumexp / softmax",
    "pow": "a power that is not defined here: a negative base with a fraction, or zero with a negative exponent",
    "softmax": "a row of nothing but -inf has no softmax: leave one element unmasked, or set such rows afterwards",
    "log_softmax": "a row of nothing but -inf has no softmax: leave one element unmasked",
    "mean": "the mean of no elements: check that something was selected",
    "std": "the standard deviation of one element is undefined: correction=0, or more elements",
    "var": "the variance of one element is undefined: correction=0, or more elements",
    "acos": "acos(x) needs -1 <= x <= 1: clamp(-1 + 1e-7, 1 - 1e-7) first",
    "asin": "asin(x) needs -1 <= x <= 1: clamp(-1 + 1e-7, 1 - 1e-7) first",
    "mul": "0 * inf is no number: choose with where() or masked_fill() in place of multiplying with a mask",
    "sub": "inf - inf is no number: mask after the subtraction, or with a large finite number such as -1e9",
    "add": "inf - inf is no number: mask with a large finite number such as -1e9",
}
_BACKWARD = {
    "sqrt": "the derivative of sqrt is infinite at 0: torch.sqrt(x + 1e-12)",
    "pow": "the derivative is infinite at 0 for an exponent below 1: (x + 1e-12) ** p",
    "norm": "the derivative of a norm is not defined at the zero vector: (x.square().sum() + 1e-12).sqrt()",
    "linalg_vector_norm": "the derivative of a norm is not defined at the zero vector: add 1e-12 below the root",
    "log": "the derivative of log is infinite at 0: torch.log(x.clamp(min=1e-12))",
    "acos": "the derivative of acos is infinite at -1 and 1: clamp(-1 + 1e-7, 1 - 1e-7) first",
    "asin": "the derivative of asin is infinite at -1 and 1: clamp(-1 + 1e-7, 1 - 1e-7) first",
    "div": "the derivative of a / b grows with 1 / b**2: keep b away from 0",
    "std": "the derivative of std is not defined where all elements are equal: (var + 1e-12).sqrt()",
    "linalg_eigh": "eigenvectors of equal eigenvalues have no derivative: use eigvalsh() if the eigenvalues are enough",
    "prod": "the derivative of a product divides by its factors",
}
_REWRITE = (
    "0 * inf: the gradient 0 of a branch that was not chosen meets an infinite derivative. Choose the input as well:\n"
    "    safe = torch.where(condition, x, torch.ones_like(x))\n"
    "    y = torch.where(condition, {operation}(safe), other)"
)


def overflow_hint(operation: str, what: str, result: Tensor, inputs: dict[str, str]) -> str:
    """What to do where finite numbers gave more than the dtype can hold; else nothing."""
    base = _plain(operation)
    if what == "NaN" or base not in _CAN_OVERFLOW or (base == "pow" and "0" in inputs.values()):
        return ""
    largest, dtype = finfo(result.dtype).max, str(result.dtype).rpartition(".")[2]
    small = result.dtype.itemsize < 4
    cure = "calculate this in float32" if small else "numbers grew too large: a smaller learning rate, clip_grad_norm_"
    return f"What to do: the result is beyond {largest:.3g}, the largest number of {dtype}; {cure}."


def _plain(operation: str) -> str:
    """`div` for truediv, rtruediv and div_."""
    base = operation.rstrip("_").removeprefix("true").replace("truediv", "div")
    return base[1:] if base in ("radd", "rsub", "rmul", "rdiv", "rpow", "rmatmul") else base


def hint_for(
    operation: str, what: str, phase: str, line: Line | None, mask: Node | None = None, zero_gradient: bool = False
) -> str:
    """One piece of advice, or nothing."""
    if mask is not None or zero_gradient:
        place = f"masked by {mask.operation} here: {mask.line}\n  " if mask is not None and mask.line else ""
        return place + _REWRITE.format(operation=operation)
    base = _plain(operation)
    known = (_FORWARD if phase == "forward" else _BACKWARD).get(base, "")
    if phase == "forward" and line is not None and "where(" in line.text and operation != "where":
        inside = "The result goes into where(), which may hide the value but not its gradient.\n  "
        return inside + _REWRITE.format(operation=operation)
    return f"What to do: {known}." if known else ""
