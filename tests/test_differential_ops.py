"""Random calls of the everyday operations: all dtypes, mixed dtypes, layouts, empty tensors, numbers, wrong arguments.

Each seed is one list of calls, made on chainrule and on PyTorch; values, dtypes, shapes, strides and classes of errors
must be the same.
"""

import math
import random
import warnings
from collections.abc import Callable

import pytest
import torch as reference

import chainrule

FLOATS = ("float32", "float64", "float16", "bfloat16")
INTEGERS = ("int64", "int32", "int16", "int8", "uint8")
DTYPES = (*FLOATS, *INTEGERS, "bool", "complex64", "complex128")
TOLERANCE = {"float16": 2e-3, "bfloat16": 1.6e-2, "float32": 4e-6, "complex64": 8e-6}
NUMBERS = (0, 1, 2, -1, 3, True, 0.5, -1.5, 2.0, 300, -200, 1 + 2j)


class Drawn:
    """A tensor that either library can make."""

    def __init__(self, r: random.Random, shape, dtype: str | None = None):
        self.shape, self.dtype = tuple(shape), dtype or r.choice(DTYPES)
        self.layout = r.choice(("plain", "plain", "turned", "spread"))
        self.values = [self._value(r) for _ in range(math.prod(self.shape))]

    def _value(self, r: random.Random):
        if self.dtype == "bool":
            return r.random() < 0.5
        if self.dtype in INTEGERS:
            low = 0 if self.dtype == "uint8" else -6
            high = 255 if self.dtype == "uint8" else 2 ** (int(self.dtype[3:]) - 1) - 1
            return high if r.random() < 0.1 else r.randint(low, 6)
        parts = [float(r.randint(-4, 4)) if r.random() < 0.5 else r.uniform(-4, 4) for _ in range(2)]
        if self.dtype.startswith("complex"):
            return complex(*parts)
        return r.choice((math.nan, math.inf, -math.inf, -0.0)) if r.random() < 0.1 else parts[0]

    def make(self, library):
        x = library.tensor(self.values, dtype=getattr(library, self.dtype)).reshape(self.shape)
        if self.layout == "turned" and len(self.shape) > 1:
            return x.transpose(0, -1).contiguous().transpose(0, -1)
        if self.layout == "spread" and self.values and self.shape:
            return library.stack([x, x], -1).reshape(*self.shape[:-1], -1)[..., ::2]
        return x

    def __repr__(self) -> str:
        return f"{self.dtype}{list(self.shape)} {self.layout} {self.values if len(self.values) < 9 else '...'}"


class Kind:
    """A dtype of either library."""

    def __init__(self, name: str):
        self.name = name

    def make(self, library):
        return getattr(library, self.name)

    def __repr__(self) -> str:
        return self.name


def shape_of(r: random.Random, least: int = 0) -> tuple[int, ...]:
    return tuple(r.choice((1, 2, 3, 4)) if r.random() < 0.93 else 0 for _ in range(r.randint(least, 3)))


def smaller(r: random.Random, shape: tuple[int, ...]) -> tuple[int, ...]:
    """A shape that broadcasts to it, mostly."""
    sizes = [1 if r.random() < 0.2 else size for size in shape]
    if sizes and r.random() < 0.03:
        sizes[-1] += 1
    return tuple(sizes[1:] if sizes and r.random() < 0.2 else sizes)


def dim_of(r: random.Random, shape: tuple[int, ...]) -> int:
    outside = r.random() < 0.05 or not shape
    return r.randint(-len(shape) - 1, len(shape)) if outside else r.randint(-len(shape), len(shape) - 1)


Call = tuple[list, dict]
GROUPS: dict[str, Callable[[random.Random, str], Call]] = {}


def group(names: str):
    def register(draw: Callable[[random.Random, str], Call]):
        GROUPS.update(dict.fromkeys(names.split(), draw))
        return draw

    return register


@group(
    "abs neg sgn square exp log1p sin tanh sigmoid sqrt rsqrt reciprocal floor ceil round trunc isnan isinf isfinite "
    "isposinf logical_not bitwise_not relu positive signbit erf conj_physical nan_to_num isreal deg2rad digamma t "
    "nonzero flatten ravel all any sum prod max min argmax argmin amax amin median count_nonzero msort diag tril "
    "trace clone unique logical_not isneginf rad2deg frac sign adjoint flipud atleast_2d"
)
def of_one(r: random.Random, name: str) -> Call:
    return [Drawn(r, shape_of(r))], {}


@group(
    "add sub mul div floor_divide remainder fmod maximum minimum fmax fmin atan2 eq ne lt le gt ge logical_and "
    "logical_xor bitwise_and bitwise_or bitwise_xor bitwise_left_shift bitwise_right_shift copysign hypot gcd xlogy "
    "heaviside true_divide __radd__ __rsub__ __rtruediv__ __rfloordiv__ __mod__ __rmod__ __and__ __lshift__ __iadd__ "
    "__isub__ __imul__ __itruediv__ __ifloordiv__ __iand__ __imod__"
)
def of_two(r: random.Random, name: str) -> Call:
    shape = shape_of(r)
    first = Drawn(r, shape)
    other = Drawn(r, smaller(r, shape), first.dtype if r.random() < 0.4 else None)
    options = {}
    if name in ("add", "sub") and r.random() < 0.3:
        options["alpha"] = r.choice(NUMBERS[:-1])
    if name == "div" and r.random() < 0.6:
        options["rounding_mode"] = r.choice((None, "trunc", "floor", "up"))
    return [first, other if r.random() < 0.6 or name == "heaviside" else r.choice(NUMBERS)], options


@group("sum mean prod amax amin argmax argmin all any nansum count_nonzero var std logsumexp")
def reduced(r: random.Random, name: str) -> Call:
    shape = shape_of(r)
    options: dict = {"dim": dim_of(r, shape)}
    if name not in ("count_nonzero",) and r.random() < 0.5:
        options["keepdim"] = True
    if name in ("sum", "mean", "prod", "nansum") and r.random() < 0.4:
        options["dtype"] = Kind(r.choice(DTYPES))
    return [Drawn(r, shape)], options


@group("cumsum cumprod cummax cummin sort argsort max min median mode kthvalue topk unsqueeze unbind softmax")
def along(r: random.Random, name: str) -> Call:
    shape = shape_of(r, 1)
    arguments = [Drawn(r, shape), *([1] if name in ("kthvalue", "topk") else []), dim_of(r, shape)]
    return arguments, {}


@group("where clamp clamp_min masked_fill masked_select addcmul lerp index_select gather take index_fill isin")
def of_several(r: random.Random, name: str) -> Call:
    shape = shape_of(r, 1)
    x, dim = Drawn(r, shape), r.randrange(len(shape))
    other, mask = Drawn(r, smaller(r, shape)), Drawn(r, smaller(r, shape), "bool")
    at = Drawn(r, (r.randint(0, 3),), "int64")
    at.values = [r.randint(0, max(shape[dim] - 1, 0)) for _ in at.values]
    if shape[dim] == 0:
        at = Drawn(r, (0,), "int64")
    number = r.choice(NUMBERS[:-1])
    return {
        "where": ([mask, x, other if r.random() < 0.5 else number], {}),
        "clamp": ([x], {"min": number, "max": r.choice(NUMBERS[:-1])}),
        "clamp_min": ([x, other if r.random() < 0.5 else number], {}),
        "masked_fill": ([x, mask, number], {}),
        "masked_select": ([x, mask], {}),
        "addcmul": ([x, other, Drawn(r, smaller(r, shape))], {"value": number}),
        "lerp": ([x, Drawn(r, shape, x.dtype), 0.25], {}),
        "index_select": ([x, dim, at], {}),
        "gather": (
            [x, dim, Drawn(r, shape, "bool")] if r.random() < 0.1 else [x, 0, Drawn(r, (0,) * len(shape), "int64")],
            {},
        ),
        "take": ([x, Drawn(r, (0,), "int64")], {}),
        "index_fill": ([x, dim, at, number], {}),
        "isin": ([x, Drawn(r, (3,), x.dtype)], {}),
    }[name]


@group(
    "reshape permute transpose expand repeat split chunk select narrow diagonal flip roll cat stack to full_like tile"
)
def rearranged(r: random.Random, name: str) -> Call:
    shape = shape_of(r, 1)
    x, dim = Drawn(r, shape), dim_of(r, shape)
    order = r.sample(range(len(shape)), len(shape))
    return {
        "reshape": ([x, r.choice(((-1,), (2, -1), (1, -1, 1), (-1, -1)))], {}),
        "permute": ([x, order], {}),
        "transpose": ([x, dim, 0], {}),
        "expand": ([Drawn(r, smaller(r, shape)), shape], {}),
        "repeat": ([x, (2,) * len(shape)], {}),
        "tile": ([x, (2, 1)], {}),
        "split": ([x, r.randint(1, 3), dim], {}),
        "chunk": ([x, r.randint(1, 3), dim], {}),
        "select": ([x, dim, r.randint(-2, 2)], {}),
        "narrow": ([x, dim, r.randint(0, 1), r.randint(0, 2)], {}),
        "diagonal": ([x, r.randint(-1, 1)], {}),
        "flip": ([x, (dim,)], {}),
        "roll": ([x, r.randint(-2, 2)], {}),
        "cat": ([[x, Drawn(r, shape)], dim], {}),
        "stack": ([[x, Drawn(r, shape)], dim], {}),
        "to": ([x, Kind(r.choice(DTYPES))], {}),
        "full_like": ([x, r.choice(NUMBERS[:-1])], {"dtype": Kind(r.choice(DTYPES))}),
    }[name]


@group("arange linspace full eye result_type promote_types can_cast scalar_tensor")
def created(r: random.Random, name: str) -> Call:
    options = {"dtype": Kind(r.choice(DTYPES))} if r.random() < 0.6 else {}
    ends = [r.choice((0, 1, 2, 5, -3, 0.5, 2.5, -1.0, 10)) for _ in range(2)]
    return {
        "arange": (ends, options),
        "linspace": ([*ends, r.choice((0, 1, 2, 5, 20))], options),
        "full": ([(2,), r.choice(NUMBERS)], options),
        "eye": ([r.randint(0, 4)], options),
        "scalar_tensor": ([r.choice(NUMBERS)], options),
        "result_type": ([Drawn(r, shape_of(r)), r.choice((Drawn(r, shape_of(r)), r.choice(NUMBERS)))], {}),
        "promote_types": ([Kind(r.choice(DTYPES)), Kind(r.choice(DTYPES))], {}),
        "can_cast": ([Kind(r.choice(DTYPES)), Kind(r.choice(DTYPES))], {}),
    }[name]


def built(library, value):
    if isinstance(value, (Drawn, Kind)):
        return value.make(library)
    return [built(library, item) for item in value] if isinstance(value, list) else value


def described(value):
    """A result without its library. Strides count where there are steps."""
    if isinstance(value, (chainrule.Tensor, reference.Tensor)):
        steps = zip(value.stride(), value.shape, strict=True)
        strides = tuple(stride for stride, size in steps if size > 1) if value.numel() else ()
        return str(value.dtype), tuple(value.shape), strides, value.tolist()
    if isinstance(value, (list, tuple)):
        return [described(item) for item in value]
    return str(value)


def called(library, name: str, form: str, arguments: list, options: dict):
    x = [built(library, value) for value in arguments]
    try:
        function = getattr(library, name) if form == "function" else getattr(x[0], name + "_" * (form == "inplace"))
        given = x if form == "function" else x[1:]
        return described(function(*given, **{key: built(library, value) for key, value in options.items()}))
    except Exception as error:
        return type(error)


def same(a, b, tolerance: float) -> bool:
    if isinstance(a, (list, tuple)) and isinstance(b, (list, tuple)):
        if len(a) == 4 and isinstance(a[0], str) and str(a[0]).startswith("torch."):
            tolerance = TOLERANCE.get(a[0][6:], 1e-11)
        return len(a) == len(b) and all(same(x, y, tolerance) for x, y in zip(a, b, strict=True))
    if isinstance(a, complex) and isinstance(b, complex):
        return same(a.real, b.real, tolerance * max(1, abs(a))) and same(a.imag, b.imag, tolerance * max(1, abs(a)))
    if isinstance(a, float) and isinstance(b, float):
        return a == b or (a != a and b != b) or abs(a - b) <= tolerance * max(1.0, abs(a))
    return type(a) is type(b) and a == b


def forms_of(name: str, arguments: list) -> list[str]:
    forms = ["function"] if hasattr(reference, name) else []
    if isinstance(arguments[0], Drawn):
        forms += ["method"] if hasattr(reference.Tensor, name) else []
        forms += ["inplace"] if hasattr(reference.Tensor, name + "_") else []
    return forms


def shapes_clash(arguments: list) -> bool:
    shapes = [value.shape for value in arguments if isinstance(value, Drawn)]
    try:
        reference.broadcast_shapes(*shapes)
    except RuntimeError:
        return True
    return False


def is_known(name: str, arguments: list) -> bool:
    """What differs on purpose, or by the order in which two errors are found."""
    tensors = [value for value in arguments if isinstance(value, Drawn)]
    kinds = {x.dtype for x in tensors}
    is_complex = any(kind.startswith("complex") for kind in kinds) or NUMBERS[-1] in arguments
    has_odd = any(value != value or value in (math.inf, -math.inf) for x in tensors for value in x.values)
    return bool(
        (has_odd and (is_complex or name in ("lerp", "addcmul", "mode")))
        or (is_complex and not all(x.values for x in tensors))
        or (name == "trace" and "bool" in kinds)
        or (name in ("__radd__", "__rsub__", "__rtruediv__") and isinstance(arguments[1], Drawn))  # nobody calls these
        or (name in ("adjoint", "masked_fill", "conj_physical", "mode") and tensors[0].layout != "plain")  # strides
        or shapes_clash(tensors if name not in ("isin", "take", "index_select", "index_fill", "gather") else [])
    )


@pytest.mark.parametrize("seed", range(8))
def test_random_calls(seed):
    r = random.Random(seed)
    names = sorted(GROUPS)
    wrong = []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for _ in range(250):
            name = r.choice(names)
            arguments, options = GROUPS[name](r, name)
            form = r.choice(forms_of(name, arguments))
            if is_known(name, arguments):
                continue
            ours, theirs = (called(t, name, form, arguments, options) for t in (chainrule, reference))
            if not same(ours, theirs, 0):
                wrong.append(f"{form} {name} {arguments} {options}\n  chainrule {ours}\n  PyTorch   {theirs}")
    assert not wrong, "\n".join(wrong)
