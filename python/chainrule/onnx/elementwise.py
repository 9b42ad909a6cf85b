"""What operations on elements are in ONNX."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from .._core import bool as bool_dtype
from .._core import dtype, float32, float64, int64
from .graph import Array, GraphWriter

__all__ = ["CONVERSIONS", "common", "name_of"]

CONVERSIONS: dict[str, Callable[..., Any]] = {}


def converts(*names: str) -> Callable:
    """Says which operations a function converts."""

    def add(function: Callable) -> Callable:
        CONVERSIONS.update(dict.fromkeys(names, function))
        return function

    return add


def common(g: GraphWriter, *operands: Any) -> tuple[list[str], dtype]:
    """The names of operands with a common dtype, numbers among them as constants."""
    arrays = [each for each in operands if isinstance(each, Array)]
    kinds = [each.dtype for each in arrays if each.ndim] or [each.dtype for each in arrays]
    chosen = kinds[0]
    for kind in kinds:
        stronger = kind.is_floating_point and not chosen.is_floating_point
        wider = kind.is_floating_point == chosen.is_floating_point and kind.itemsize > chosen.itemsize
        if stronger or wider or chosen == bool_dtype:
            chosen = kind
    numbers = [each for each in operands if not isinstance(each, Array)]
    if any(isinstance(n, float) for n in numbers) and not chosen.is_floating_point:
        chosen = float32
    elif chosen == bool_dtype and any(not isinstance(n, bool) for n in numbers):
        chosen = int64
    return [name_of(g, each, chosen) for each in operands], chosen


def name_of(g: GraphWriter, value: Any, of: dtype) -> str:
    """The name of an operand in a dtype."""
    if isinstance(value, Array):
        return value.name if value.dtype == of else g.cast(value.name, of)
    return g.like(value, Array("", (), of))


def _binary(kind: str) -> Callable:
    def convert(g: GraphWriter, input: Any, other: Any, **options: Any) -> str:
        names, chosen = common(g, input, other)
        alpha = options.get("alpha", 1)
        if alpha != 1:
            names[1] = g.op("Mul", names[1], g.like(alpha, Array("", (), chosen)))
        return g.op(kind, *names)

    return convert


def _floating(g: GraphWriter, x: Any) -> str:
    return name_of(g, x, x.dtype if x.dtype.is_floating_point else float32)


def _unary(kind: str) -> Callable:
    return lambda g, input: g.op(kind, _floating(g, input))


CONVERSIONS |= {"add": _binary("Add"), "sub": _binary("Sub"), "mul": _binary("Mul"), "multiply": _binary("Mul")}
CONVERSIONS |= {"eq": _binary("Equal"), "lt": _binary("Less"), "gt": _binary("Greater"), "le": _binary("LessOrEqual")}
CONVERSIONS |= {"ge": _binary("GreaterOrEqual"), "maximum": _binary("Max"), "minimum": _binary("Min")}
CONVERSIONS |= {
    name: _unary(kind)
    for name, kind in {
        "exp": "Exp",
        "log": "Log",
        "sqrt": "Sqrt",
        "erf": "Erf",
        "sin": "Sin",
        "cos": "Cos",
        "tan": "Tan",
        "tanh": "Tanh",
        "sigmoid": "Sigmoid",
        "reciprocal": "Reciprocal",
        "floor": "Floor",
        "ceil": "Ceil",
        "round": "Round",
        "softsign": "Softsign",
        "selu": "Selu",
        "sinh": "Sinh",
        "cosh": "Cosh",
        "atan": "Atan",
    }.items()
}


@converts("relu", "abs", "neg", "sign")
def _same_dtype(g: GraphWriter, input: Array, kind: str = "") -> str:
    raise NotImplementedError


for _name, _kind in {"relu": "Relu", "abs": "Abs", "neg": "Neg", "sign": "Sign"}.items():
    CONVERSIONS[_name] = lambda g, input, kind=_kind: g.op(kind, input.name)


@converts("ne")
def _not_equal(g: GraphWriter, input: Any, other: Any) -> str:
    return g.op("Not", g.op("Equal", *common(g, input, other)[0]))


@converts("div", "true_divide", "divide")
def _divide(g: GraphWriter, input: Any, other: Any, *, rounding_mode: str | None = None) -> str:
    names, chosen = common(g, input, other)
    if not chosen.is_floating_point:
        names = [g.cast(name, float32) for name in names]
    quotient = g.op("Div", *names)
    if rounding_mode is not None and rounding_mode != "floor":
        raise NotImplementedError("torch.onnx.export: div with rounding_mode='trunc'")
    return quotient if rounding_mode is None else g.op("Floor", quotient)


@converts("floor_divide")
def _whole_quotient(g: GraphWriter, input: Any, other: Any) -> str:
    names, chosen = common(g, input, other)
    if chosen.is_floating_point:
        return g.op("Floor", g.op("Div", *names))
    quotient = g.op("Div", *(g.cast(name, float64) for name in names))
    return g.cast(g.op("Floor", quotient), chosen)


@converts("rsub")
def _subtract_from(g: GraphWriter, input: Any, other: Any, alpha: float = 1) -> str:
    return _binary("Sub")(g, other, input, alpha=alpha)


@converts("pow")
def _power(g: GraphWriter, input: Any, exponent: Any) -> str:
    return g.op("Pow", *common(g, input, exponent)[0])


@converts("square")
def _square(g: GraphWriter, input: Array) -> str:
    return g.op("Mul", input.name, input.name)


@converts("rsqrt")
def _reciprocal_root(g: GraphWriter, input: Array) -> str:
    return g.op("Reciprocal", g.op("Sqrt", _floating(g, input)))


@converts("log1p")
def _log_of_one_more(g: GraphWriter, input: Array) -> str:
    return g.op("Log", g.op("Add", input.name, g.like(1, input)))


@converts("bitwise_and", "logical_and")
def _and(g: GraphWriter, input: Array, other: Array) -> str:
    return g.op("And", name_of(g, input, bool_dtype), name_of(g, other, bool_dtype))


@converts("bitwise_or", "logical_or")
def _or(g: GraphWriter, input: Array, other: Array) -> str:
    return g.op("Or", name_of(g, input, bool_dtype), name_of(g, other, bool_dtype))


@converts("bitwise_not", "logical_not")
def _not(g: GraphWriter, input: Array) -> str:
    return g.op("Not", name_of(g, input, bool_dtype))


@converts("clamp", "clip", "clamp_min", "clamp_max", "hardtanh")
def _clamp(g: GraphWriter, input: Array, min: Any = None, max: Any = None) -> str:
    bounds = ["" if bound is None else name_of(g, bound, input.dtype) for bound in (min, max)]
    return g.op("Clip", input.name, *bounds)


CONVERSIONS["clamp_max"] = lambda g, input, max: _clamp(g, input, None, max)
CONVERSIONS["hardtanh"] = lambda g, input, low=-1.0, high=1.0: _clamp(g, input, low, high)
CONVERSIONS["relu6"] = lambda g, input: _clamp(g, input, 0.0, 6.0)


@converts("where")
def _where(g: GraphWriter, condition: Array, input: Any, other: Any) -> str:
    return g.op("Where", name_of(g, condition, bool_dtype), *common(g, input, other)[0])


@converts("masked_fill")
def _masked_fill(g: GraphWriter, input: Array, mask: Array, value: Any) -> str:
    return g.op("Where", name_of(g, mask, bool_dtype), name_of(g, value, input.dtype), input.name)


@converts("gelu")
def _gelu(g: GraphWriter, input: Array, *, approximate: str = "none") -> str:
    x, half = input.name, g.like(0.5, input)
    if approximate == "none":
        inner = g.op("Erf", g.op("Mul", x, g.like(math.sqrt(0.5), input)))
    else:
        cube = g.op("Mul", g.op("Mul", g.op("Mul", x, x), x), g.like(0.044715, input))
        inner = g.op("Tanh", g.op("Mul", g.op("Add", x, cube), g.like(math.sqrt(2 / math.pi), input)))
    return g.op("Mul", g.op("Mul", x, half), g.op("Add", inner, g.like(1, input)))


@converts("silu")
def _silu(g: GraphWriter, input: Array) -> str:
    return g.op("Mul", input.name, g.op("Sigmoid", input.name))


@converts("mish")
def _mish(g: GraphWriter, input: Array) -> str:
    return g.op("Mul", input.name, g.op("Tanh", g.op("Softplus", input.name)))


@converts("softplus")
def _softplus(g: GraphWriter, input: Array, beta: float = 1.0, threshold: float = 20.0) -> str:
    if beta != 1:
        raise NotImplementedError("torch.onnx.export: softplus with another beta than 1")
    return g.op("Softplus", input.name)


@converts("leaky_relu")
def _leaky_relu(g: GraphWriter, input: Array, negative_slope: float = 0.01) -> str:
    return g.op("LeakyRelu", input.name, alpha=float(negative_slope))


@converts("elu", "celu")
def _elu(g: GraphWriter, input: Array, alpha: float = 1.0, kind: str = "Elu") -> str:
    return g.op(kind, input.name, alpha=float(alpha))


CONVERSIONS["celu"] = lambda g, input, alpha=1.0: _elu(g, input, alpha, "Celu")


@converts("hardsigmoid")
def _hardsigmoid(g: GraphWriter, input: Array) -> str:
    return g.op("HardSigmoid", input.name, alpha=1 / 6, beta=0.5)


@converts("hardswish")
def _hardswish(g: GraphWriter, input: Array) -> str:
    return g.op("HardSwish", input.name)


@converts("prelu")
def _prelu(g: GraphWriter, input: Array, weight: Array) -> str:
    shape = [weight.shape[0], *[1] * (input.ndim - 2)] if weight.ndim and weight.shape[0] > 1 else [1] * input.ndim
    return g.op("PRelu", input.name, g.op("Reshape", weight.name, g.ints(shape)))


@converts("to", "_to_copy", "float", "double", "half", "long", "int", "bool")
def _convert(g: GraphWriter, input: Array, *args: Any, result: Array, **options: Any) -> str:
    return input.name if result.dtype == input.dtype else g.cast(input.name, result.dtype)
