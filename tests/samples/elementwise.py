"""Records of the table's lines. Ranges keep away from poles and from the points where the derivative jumps."""

from __future__ import annotations

from dataclasses import replace

from .record import B, Record, X, op


def unary(name: str, low: float = -2.0, high: float = 2.0, **options) -> Record:
    return replace(op(name, X(3, 5, low=low, high=high), **options), elementwise=True)


def with_arguments(name: str, *args: object, low: float = -2.0, high: float = 2.0, **options) -> Record:
    """One tensor, then numbers."""
    return replace(op(name, X(3, 5, low=low, high=high), *args, **options), elementwise=True)


def binary(name: str, *ranges: tuple[float, float], **options) -> Record:
    """Several tensors, each with its range."""
    return replace(op(name, *(X(3, 5, low=low, high=high) for low, high in ranges), **options), elementwise=True)


def _by_second(name: str, first: tuple[float, float], second: tuple[float, float]) -> Record:
    """Two tensors of which PyTorch differentiates by the second only."""
    tensors = X(3, 5, low=first[0], high=first[1], grad=False), X(3, 5, low=second[0], high=second[1])
    record = op(name, *tensors, skip="odd")  # PyTorch loses NaN
    return replace(record, elementwise=True)


ALL, POSITIVE, UNIT, INNER = (-2.0, 2.0), (0.2, 3.0), (0.05, 0.95), (-0.9, 0.9)

# PyTorch records a node whose derivative is not implemented, and so do we; heaviside's result is a constant.
NO_DERIVATIVE = "gradient second differences forward name"

# Odd values where PyTorch is wrong; test_odd_values_where_pytorch_is_wrong says what is right.
WRONG, WRONG_GRADIENT = "odd", "odd_gradient"
# PyTorch has no derivative of the in-place form.
NO_INPLACE = "inplace"

ARITHMETIC = [
    binary("add", ALL, ALL),
    binary("add", ALL, ALL, alpha=3),
    binary("sub", ALL, ALL),
    binary("sub", ALL, ALL, alpha=2),
    binary("subtract", ALL, ALL),
    binary("rsub", ALL, ALL),
    binary("rsub", ALL, ALL, alpha=2),
    binary("mul", ALL, ALL),
    binary("multiply", ALL, ALL),
    binary("div", ALL, POSITIVE),
    binary("div", ALL, POSITIVE, rounding_mode="floor"),
    binary("div", ALL, POSITIVE, rounding_mode="trunc"),
    binary("divide", ALL, POSITIVE),
    binary("true_divide", ALL, POSITIVE),
    binary("floor_divide", ALL, POSITIVE, skip=NO_DERIVATIVE),
    binary("remainder", ALL, (1.0, 3.0)),
    binary("fmod", ALL, (1.0, 3.0)),
    unary("neg"),
    unary("negative"),
    unary("positive"),
    unary("reciprocal", 0.3, 2),
    unary("square"),
    unary("abs"),
    unary("absolute"),
    unary("sign"),
    unary("sgn"),
    binary("copysign", ALL, ALL),
    binary("maximum", ALL, ALL),
    binary("minimum", ALL, ALL),
    binary("fmax", ALL, ALL),
    binary("fmin", ALL, ALL),
    with_arguments("clamp", -1, 1),
    with_arguments("clamp", max=0.5),
    with_arguments("clamp", min=-0.5),
    binary("clamp", ALL, (-1.5, 0.0), (-0.5, 1.5), skip="broadcast"),  # PyTorch's gradient raises when x is broadcast
    with_arguments("clip", -1, 1),
    with_arguments("clamp_min", 0.25),
    with_arguments("clamp_max", 0.25),
    binary("clamp_min", ALL, ALL),
    binary("clamp_max", ALL, ALL),
    binary("addcmul", ALL, ALL, ALL),
    binary("addcmul", ALL, ALL, ALL, value=2),
    binary("addcdiv", ALL, ALL, POSITIVE),
    binary("addcdiv", ALL, ALL, POSITIVE, value=0.5),
    binary("lerp", ALL, ALL, UNIT),
    with_arguments("lerp", X(3, 5), 0.3),
    replace(op("where", B(3, 5), X(3, 5), X(3, 5)), elementwise=True),
    binary("heaviside", ALL, ALL, skip=NO_DERIVATIVE),
    binary("nextafter", ALL, ALL),
    binary("ldexp", ALL, (-3.0, 3.0)),
    binary("hypot", ALL, ALL, skip=WRONG_GRADIENT),  # infinite or NaN at infinity
    unary("nan_to_num"),
    with_arguments("nan_to_num", 1.0, 2.0, -2.0),
]

ROUNDING = [unary(name, -5, 5) for name in ["floor", "ceil", "trunc", "fix", "round", "special_round", "frac"]] + [
    with_arguments("round", decimals=2),
    with_arguments("round", decimals=-1, low=-50, high=50),
]

POWERS = [
    binary("pow", POSITIVE, ALL),
    with_arguments("pow", 3),
    with_arguments("pow", 2),
    with_arguments("pow", 0.5, low=0.2, high=3, skip=WRONG),  # PyTorch takes the square root: NaN at -inf
    with_arguments("pow", -2, low=0.5, high=3),
    binary("float_power", POSITIVE, ALL),
    with_arguments("float_power", 3),
    unary("sqrt", *POSITIVE),
    unary("rsqrt", *POSITIVE),
    unary("exp"),
    unary("exp2"),
    unary("special_exp2"),
    unary("expm1"),
    unary("special_expm1"),
    unary("log", *POSITIVE),
    unary("log2", *POSITIVE),
    unary("log10", *POSITIVE),
    unary("log1p", -0.5, 3),
    unary("special_log1p", -0.5, 3),
    binary("logaddexp", ALL, ALL),
    binary("logaddexp2", ALL, ALL),
    binary("xlogy", ALL, POSITIVE),
    binary("special_xlogy", ALL, POSITIVE),
    binary("special_xlog1py", ALL, POSITIVE),
    unary("special_entr", *POSITIVE),
    unary("sigmoid", -6, 6),
    unary("special_expit", -6, 6),
    unary("logit", *UNIT),
    with_arguments("logit", 0.1, low=0.15, high=0.85),
    unary("special_logit", *UNIT),
]

TRIGONOMETRIC = [
    *(unary(name, -10, 10) for name in ("sin", "cos")),
    *(unary(name, -1.4, 1.4) for name in ("tan", "sinh", "cosh", "tanh", "atan", "arctan")),
    *(unary(name, -1.4, 1.4, skip=NO_INPLACE) for name in ("asinh", "arcsinh")),
    *(unary(name, *INNER) for name in ("asin", "arcsin", "acos", "arccos")),
    *(unary(name, *INNER, skip=NO_INPLACE) for name in ("atanh", "arctanh")),
    *(unary(name, 1.2, 5, skip=NO_INPLACE) for name in ("acosh", "arccosh")),
    *(binary(name, ALL, ALL, skip=WRONG_GRADIENT) for name in ("atan2", "arctan2")),  # NaN at infinity
    unary("sinc"),
    unary("special_sinc"),
    unary("deg2rad", -200, 200),
    unary("rad2deg"),
    unary("angle"),
]

SPECIAL = [
    *(unary(name) for name in ["erf", "special_erf", "erfc", "special_erfc", "special_erfcx", "special_log_ndtr"]),
    unary("special_ndtr", skip="name"),  # PyTorch builds it from several ops
    *(unary(name, *INNER) for name in ("erfinv", "special_erfinv")),
    unary("special_ndtri", *UNIT),
    *(unary(name, 0.3, 5) for name in ("lgamma", "special_gammaln")),
    *(
        unary(name, 0.3, 5, skip=WRONG_GRADIENT) for name in ("digamma", "special_psi", "special_digamma")
    ),  # 1e32 at poles
    replace(op("polygamma", 1, X(3, 5, low=0.5, high=5), skip=WRONG), elementwise=True),
    replace(op("polygamma", 2, X(3, 5, low=0.5, high=5), skip=WRONG), elementwise=True),
    replace(op("special_polygamma", 1, X(3, 5, low=0.5, high=5), skip=WRONG), elementwise=True),
    *(
        _by_second(name, (0.5, 4.0), (0.2, 6.0))
        for name in ["igamma", "igammac", "special_gammainc", "special_gammaincc"]
    ),
    _by_second("special_zeta", (1.5, 6.0), (0.5, 4.0)),
    *(unary(name, -4, 4) for name in ["i0", "special_i0"]),
    unary("special_i1", -4, 4, skip=WRONG_GRADIENT),  # loses NaN
    unary("special_i0e", -4, 4),
    unary("special_i1e", -4, 4, skip=WRONG_GRADIENT),  # loses NaN
]

# PyTorch has no derivatives of these, NaN at infinity, and no NaN where the input is one; test_special.py tries ours.
_VALUE_ONLY = f"gradient {WRONG}"
_FAMILIES = ("chebyshev_polynomial", "shifted_chebyshev_polynomial")
_POLYNOMIALS = [f"{family}_{kind}" for family in _FAMILIES for kind in "tuvw"]
_POLYNOMIALS += ["hermite_polynomial_h", "hermite_polynomial_he", "laguerre_polynomial_l", "legendre_polynomial_p"]

VALUE_ONLY = [
    # PyTorch's are 1e-7 off from 5 on, and airy_ai below -2.
    *(unary(f"special_bessel_{kind}", 0.2, 4.5, skip=_VALUE_ONLY) for kind in ("j0", "j1", "y0", "y1")),
    *(unary(f"special_modified_bessel_{kind}", 0.2, 9, skip=_VALUE_ONLY) for kind in ("i0", "i1", "k0", "k1")),
    *(unary(f"special_scaled_modified_bessel_{kind}", 0.2, 30, skip=_VALUE_ONLY) for kind in ("k0", "k1")),
    unary("special_spherical_bessel_j0", -9, 9, skip=_VALUE_ONLY),
    unary("special_airy_ai", -2, 5, skip=_VALUE_ONLY),
    *(binary(f"special_{name}", ALL, (-1.0, 12.0), skip=_VALUE_ONLY, tolerance=10.0) for name in _POLYNOMIALS),
    *(with_arguments(f"special_{name}", 3, skip=_VALUE_ONLY) for name in _POLYNOMIALS),
]

ACTIVATIONS = [
    *(unary(name, -4, 4) for name in ["relu", "relu6", "hardtanh", "leaky_relu", "gelu", "silu", "mish", "softplus"]),
    *(unary(name, -4, 4, skip=WRONG_GRADIENT) for name in ("elu", "celu", "selu")),  # loses NaN
    *(unary(name) for name in ["hardshrink", "softshrink", "tanhshrink", "softsign", "logsigmoid"]),
    unary("hardsigmoid", -4, 4, skip="second"),  # PyTorch has no second derivative
    unary("hardswish", -4, 4),
    with_arguments("hardtanh", -0.5, 1.5),
    with_arguments("threshold", 0.3, -1.0),
    with_arguments("leaky_relu", 0.2),
    with_arguments("elu", 1.5, skip=WRONG_GRADIENT),
    with_arguments("celu", 0.7, skip=WRONG_GRADIENT),
    with_arguments("gelu", approximate="tanh"),
    with_arguments("softplus", 2, 1.5),
    with_arguments("hardshrink", 0.7),
    with_arguments("softshrink", 0.7),
    op("prelu", X(2, 3, 4), X(3)),
    op("prelu", X(2, 3), X(1)),
]

INTEGERS = [
    *(binary(name, (0.0, 9.0), (0.0, 9.0)) for name in ("bitwise_and", "bitwise_or", "bitwise_xor", "gcd", "lcm")),
    *(binary(name, (0.0, 9.0), (0.0, 4.0)) for name in ("bitwise_left_shift", "bitwise_right_shift")),
    unary("bitwise_not"),
]

TESTS = [
    *(
        binary(name, ALL, ALL)
        for name in ["eq", "ne", "lt", "le", "gt", "ge", "logical_and", "logical_or", "logical_xor"]
    ),
    *(binary(name, ALL, ALL) for name in ["not_equal", "less", "less_equal", "greater", "greater_equal"]),
    *(unary(name) for name in ["logical_not", "isnan", "isinf", "isfinite", "isposinf", "isneginf", "signbit"]),
]

ELEMENTWISE = [
    *ARITHMETIC, *ROUNDING, *POWERS, *TRIGONOMETRIC, *SPECIAL, *VALUE_ONLY, *ACTIVATIONS, *INTEGERS, *TESTS,
]  # fmt: skip
