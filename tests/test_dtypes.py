"""All twelve dtypes: storing, converting between each two, reading back, filling, and type promotion."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch

import chainrule
from oracle import (
    COMPLEX,
    DTYPES,
    FLOATS,
    INTEGERS,
    Collected,
    assert_same,
    assert_same_outcome,
    name_of,
    ours,
    outcome,
)

pytestmark = pytest.mark.filterwarnings("ignore:ComplexHalf support")

VALUES = [0.0, 1.0, 2.5, -1.0, 100.0, -100.5, 0.1, 3.0]
ODD = [float("inf"), float("-inf"), float("nan"), 1e30, -1e30, 65504.0, 1e-40, 70000.0, -0.0, 3.3895314e38]


def both(values: list, dtype: str) -> tuple:
    reference = torch.tensor(values, dtype=torch.complex128 if dtype in COMPLEX else torch.float64)
    reference = reference.abs().to(torch.float64) if dtype == "uint8" else reference
    reference = reference.to(getattr(torch, dtype))
    return ours(reference), reference


def kind(library, name: str):
    return getattr(library, name)


@pytest.mark.parametrize(("source", "target"), list(itertools.product(DTYPES, DTYPES)))
@pytest.mark.filterwarnings("ignore:Casting complex values to real")
def test_conversion(source, target):
    values = VALUES
    if target == "uint8" or source == "uint8":
        values = [abs(v) for v in VALUES]  # a negative float as an unsigned integer is undefined
    mine, reference = both(values, source)
    expected = reference.to(kind(torch, target))
    for layout in (lambda t: t, lambda t: t[::2], lambda t: t.reshape(2, 4).t(), lambda t: t[:0], lambda t: t[3]):
        assert_same(layout(mine).to(kind(chainrule, target)), layout(expected))
    assert_same(chainrule.zeros(8, dtype=kind(chainrule, target)).copy_(mine), expected)


@pytest.mark.parametrize(
    ("source", "target"), list(itertools.product((*FLOATS, *COMPLEX), (*FLOATS, *COMPLEX, "bool")))
)
@pytest.mark.filterwarnings("ignore:Casting complex values to real")
def test_conversion_of_odd_values(source, target):
    """Overflow to infinity, NaN, subnormals, ties: rounding is that of PyTorch, bit for bit."""
    ties = [1 + k * 2.0**-12 for k in range(-3, 4)] + [1 + k * 2.0**-9 for k in range(-3, 4)]
    mine, reference = both(ODD + ties, source)
    found, expected = mine.to(kind(chainrule, target)), reference.to(kind(torch, target))
    assert str(found.tolist()) == str(expected.tolist())


@pytest.mark.parametrize(("source", "target"), list(itertools.product(INTEGERS, INTEGERS)))
def test_integers_wrap_around(source, target):
    limits = torch.iinfo(kind(torch, source))
    reference = torch.tensor([limits.min, limits.max, 0, 1, 77, 127], dtype=kind(torch, source))
    assert_same(ours(reference).to(kind(chainrule, target)), reference.to(kind(torch, target)))


@pytest.mark.parametrize("dtype", DTYPES)
def test_reading_back(dtype):
    mine, reference = both([abs(v) for v in VALUES], dtype)
    assert mine.tolist() == reference.tolist()
    assert mine[3].item() == reference[3].item()
    assert type(mine[3].item()) is type(reference[3].item())
    assert (mine.element_size(), mine.itemsize, mine.nbytes) == (
        reference.element_size(),
        reference.itemsize,
        reference.nbytes,
    )
    for name in ("is_floating_point", "is_complex", "is_signed"):
        assert getattr(mine, name)() == getattr(reference, name)()
    assert (mine.dim(), mine.ndimension(), mine.nelement(), mine.numel(), tuple(mine.size())) == (1, 1, 8, 8, (8,))
    if dtype != "bfloat16":
        assert mine.numpy().dtype == reference.numpy().dtype
        np.testing.assert_array_equal(mine.numpy(), reference.numpy())


@pytest.mark.parametrize("dtype", DTYPES)
def test_named_conversions(dtype):
    mine, reference = both([0.0, 1.0, 3.0], dtype)
    with Collected() as c:
        for name in [
            "half",
            "bfloat16",
            "float",
            "double",
            "cfloat",
            "cdouble",
            "byte",
            "char",
            "short",
            "int",
            "long",
            "bool",
        ]:
            if dtype in COMPLEX and name not in ("cfloat", "cdouble"):
                continue  # PyTorch warns, see test_conversion
            c.check(assert_same, getattr(mine, name)(), getattr(reference, name)(), what=name)


@pytest.mark.parametrize("dtype", DTYPES)
def test_fill(dtype):
    with Collected() as c:
        for value in (0, 1, 2.75, True, 1 + 2j, -1):
            if dtype == "uint8" and value == -1:
                continue
            mine, reference = both([1.0, 2.0, 3.0], dtype)
            c.check(
                assert_same_outcome, outcome(mine.fill_, value), outcome(reference.fill_, value), 1, f"fill_({value})"
            )
        mine, reference = both([1.0, 2.0, 3.0], dtype)
        c.check(assert_same, mine.zero_(), reference.zero_())


@pytest.mark.parametrize("dtype", DTYPES)
def test_item_of_several_elements_raises(dtype):
    with pytest.raises(RuntimeError, match="a Tensor with 3 elements cannot be converted to Scalar"):
        chainrule.zeros(3, dtype=kind(chainrule, dtype)).item()


# ---- promotion

OPERATIONS = [
    "add",
    "sub",
    "mul",
    "div",
    "floor_divide",
    "remainder",
    "fmod",
    "pow",
    "maximum",
    "minimum",
    "fmax",
    "atan2",
    "hypot",
    "copysign",
    "logaddexp",
    "xlogy",
    "eq",
    "ne",
    "lt",
    "le",
    "gt",
    "ge",
    "logical_and",
    "logical_or",
    "logical_xor",
    "bitwise_and",
    "bitwise_or",
    "bitwise_xor",
    "bitwise_left_shift",
    "gcd",
]
SCALARS = (True, 2, 1.5, 2.0, 1 + 1j)


def compare(function: Callable | str, operands: tuple, what: str) -> None:
    """An operator, or a function by its name, of numbers and of tensors (dtype, shape): dtype and value, or the class
    of what is raised."""

    def run(library: Any) -> Any:
        call = getattr(library, function) if isinstance(function, str) else function
        return call(*(small(library, *x) if isinstance(x, tuple) else x for x in operands))

    assert_same_outcome(outcome(run, chainrule), outcome(run, torch), 1, what)


def small(library, dtype: str, shape: tuple[int, ...]):
    return library.full(shape, 1 if dtype == "bool" else 3, dtype=kind(library, dtype))


@pytest.mark.parametrize("name", OPERATIONS)
@pytest.mark.parametrize("dtype", DTYPES)
def test_promotion_of_tensors(name, dtype):
    """n-d and 0-d with each other, of every two dtypes: dtype and value, or an exception of the same class."""
    with Collected() as c:
        for other, shapes in itertools.product(DTYPES, [((2,), (2,)), ((), (2,)), ((2,), ()), ((), ())]):
            operands = (dtype, shapes[0]), (other, shapes[1])
            c.check(compare, name, operands, f"{name}({dtype}{shapes[0]}, {other}{shapes[1]})")


@pytest.mark.parametrize("name", OPERATIONS)
def test_promotion_of_numbers(name):
    with Collected() as c:
        for dtype, number, shape in itertools.product(DTYPES, SCALARS, [(2,), ()]):
            c.check(compare, name, ((dtype, shape), number), f"{name}({dtype}{shape}, {number})")


OPERATORS = [
    "add",
    "sub",
    "mul",
    "truediv",
    "floordiv",
    "mod",
    "pow",
    "and",
    "or",
    "xor",
    "lshift",
    "rshift",
    "eq",
    "lt",
]


@pytest.mark.parametrize("name", OPERATORS)
@pytest.mark.parametrize("reflected", [False, True])
def test_promotion_of_operators(name, reflected):
    """x + 2 and 2 + x, through Python's operators."""
    import operator

    function = getattr(operator, name if name not in ("and", "or") else name + "_")
    with Collected() as c:
        for dtype, number, shape in itertools.product(DTYPES, SCALARS, [(2,), ()]):
            operands = (number, (dtype, shape)) if reflected else ((dtype, shape), number)
            c.check(compare, function, operands, f"{name} {dtype}{shape} {number}")


@pytest.mark.parametrize(
    "name", ["iadd", "isub", "imul", "itruediv", "ifloordiv", "imod", "ipow", "iand", "ior", "ixor"]
)
def test_promotion_in_place(name):
    """The left side keeps its dtype, or the call is refused."""
    import operator

    with Collected() as c:
        for dtype, other, shapes in itertools.product(DTYPES, DTYPES, [((2,), (2,)), ((2,), ())]):
            operands = (dtype, shapes[0]), (other, shapes[1])
            c.check(compare, getattr(operator, name), operands, f"{name} {dtype} {other}{shapes[1]}")
        for dtype, number in itertools.product(DTYPES, SCALARS):
            c.check(compare, getattr(operator, name), ((dtype, (2,)), number), f"{name} {dtype} {number}")


@pytest.mark.parametrize("dtype", DTYPES)
def test_promotion_functions(dtype):
    for other in DTYPES:
        mine, reference = (
            library.promote_types(kind(library, dtype), kind(library, other)) for library in (chainrule, torch)
        )
        assert name_of(mine) == name_of(reference)
        assert chainrule.can_cast(kind(chainrule, dtype), kind(chainrule, other)) == torch.can_cast(
            kind(torch, dtype), kind(torch, other)
        )
        for shapes in [((2,), (2,)), ((), (2,)), ((2,), ())]:
            mine, reference = (
                library.result_type(small(library, dtype, shapes[0]), small(library, other, shapes[1]))
                for library in (chainrule, torch)
            )
            assert name_of(mine) == name_of(reference)
    for number in SCALARS:
        mine, reference = (library.result_type(small(library, dtype, (2,)), number) for library in (chainrule, torch))
        assert name_of(mine) == name_of(reference)


@pytest.mark.parametrize("default", FLOATS)
def test_default_dtype(default):
    """Python's floats and complex numbers take the default dtype, integers and truth values do not."""
    try:
        for library in (chainrule, torch):
            library.set_default_dtype(kind(library, default))
        for make in (
            lambda t: t.tensor(1.5),
            lambda t: t.tensor([1]),
            lambda t: t.zeros(2),
            lambda t: t.tensor(2) / 3,
            lambda t: t.tensor(1j),
            lambda t: t.tensor(3) * 1.5,
            lambda t: t.ones(2).sum(),
            lambda t: t.arange(0.0, 2),
        ):
            mine, reference = outcome(make, chainrule), outcome(make, torch)
            assert (mine[1] is None) == (reference[1] is None)
            if reference[1] is None:
                assert name_of(mine[0].dtype) == name_of(reference[0].dtype)
    finally:
        for library in (chainrule, torch):
            library.set_default_dtype(library.float32)


COMPLEX_NUMBER = {
    "times": lambda x: x * 1j,
    "number over": lambda x: (1 + 2j) / x,
    "over number": lambda x: x / (1 + 2j),
    "power": lambda x: x ** (1 + 2j),
    "base": lambda x: (1 + 2j) ** x,
}


@pytest.mark.parametrize("dtype", ["float64", "complex128"])
@pytest.mark.parametrize("f", COMPLEX_NUMBER.values(), ids=COMPLEX_NUMBER)
def test_gradient_with_a_complex_number(f, dtype):
    """The imaginary part counts: in both gradients and in forward mode."""
    mine, reference = both([0.5, 1.5, 2.0], dtype)
    results = [gradients_to_second_order(library, f, x) for library, x in ((chainrule, mine), (torch, reference))]
    for m, r in zip(*results, strict=True):
        assert_same(m, r)
    with chainrule.autograd.forward_ad.dual_level():
        dual = chainrule.autograd.forward_ad.make_dual(mine.detach(), chainrule.ones_like(mine))
        tangent = chainrule.autograd.forward_ad.unpack_dual(f(dual)).tangent
    reference = reference.detach()  # PyTorch's own forward mode drops the imaginary part of `power`
    assert_same(tangent, (f(reference + 1e-5) - f(reference - 1e-5)) / 2e-5, 1e2)


def gradients_to_second_order(library, f, x) -> list:
    x.requires_grad_()
    y = f(x)
    incoming = library.tensor([1 + 2j, 0.5 - 1j, -1 + 0.3j], dtype=library.complex128)
    (first,) = library.autograd.grad(y, x, incoming, create_graph=True)
    if not first.requires_grad:
        return [first]
    return [first, *library.autograd.grad(first.abs().sum(), x)]


@pytest.mark.parametrize("dtype", ["int8", "uint8", "int16", "int32"])
@pytest.mark.parametrize("number", [300, -200, -3, 70000, 2**40, 2.5])
def test_numbers_that_the_dtype_cannot_hold(dtype, number):
    """They wrap around in arithmetic and comparisons, and are refused where they would be stored."""
    names = "add sub mul floor_divide remainder fmod eq ne lt le gt ge bitwise_and bitwise_left_shift pow clamp_min"
    programs = [lambda t, x, name=name: getattr(x, name)(number) for name in names.split()]
    programs += [
        lambda t, x: number // x,
        lambda t, x: number % x,
        lambda t, x: t.maximum(x, t.tensor(number)),
        lambda t, x: t.where(x > 0, x, number),
        lambda t, x: t.addcmul(x, x, x, value=number),
        lambda t, x: t.add(x, x, alpha=number),
        lambda t, x: x.fill_(number),
        lambda t, x: t.full((2,), -number, dtype=x.dtype),
    ]
    for program in programs:
        values = [3, 200 if dtype == "uint8" else -3, 44]
        mine, reference = (
            outcome(program, t, t, t.tensor(values, dtype=getattr(t, dtype))) for t in (chainrule, torch)
        )
        assert_same_outcome(mine, reference)


def test_integers_beside_a_half_are_rounded_to_it():
    for dtype in ("float16", "bfloat16"):
        for name in ("remainder", "add", "mul", "fmod", "sub"):
            mine, reference = (
                getattr(t.tensor([32767, 2049, -1025]), name)(t.tensor([2.625, 3.0, 1.5], dtype=getattr(t, dtype)))
                for t in (chainrule, torch)
            )
            assert mine.tolist() == reference.tolist()


def test_ldexp_where_the_power_alone_overflows():
    for dtype, values, powers in (
        ("float32", [0.0, 1.0, 1e-30, 3.0, float("inf")], [200, -149, 140, -2, -5]),
        ("float64", [0.0, 1e-300, 1.0], [2000, 1100, -1074]),
    ):
        mine, reference = (
            t.ldexp(t.tensor(values, dtype=getattr(t, dtype)), t.tensor(powers)) for t in (chainrule, torch)
        )
        assert mine.tolist() == reference.tolist()


TRUTH = {
    "bitwise_and": np.logical_and,
    "logical_and": np.logical_and,
    "mul": np.logical_and,
    "minimum": np.logical_and,
    "bitwise_or": np.logical_or,
    "logical_or": np.logical_or,
    "add": np.logical_or,
    "maximum": np.logical_or,
    "bitwise_xor": np.logical_xor,
    "logical_xor": np.logical_xor,
    "eq": np.equal,
    "ne": np.not_equal,
    "lt": np.less,
    "le": np.less_equal,
    "gt": np.greater,
    "ge": np.greater_equal,
}


@pytest.mark.parametrize("name", TRUTH)
@pytest.mark.parametrize("shape", [(0,), (), (7, 301)])
def test_truth_values_byte_by_byte(name, shape):
    rng = np.random.default_rng(0)
    a, b = (np.asarray(rng.integers(0, 2, shape), np.uint8) for _ in range(2))
    f = getattr(chainrule, name)
    # Any byte but 0 is true.
    x, y = ((chainrule.from_numpy(side) * k).view(chainrule.bool) for side, k in ((a, 1), (b, 6)))
    a, b = a.astype(bool), b.astype(bool)
    np.testing.assert_array_equal(f(x, y).view(chainrule.uint8).numpy(), TRUTH[name](a, b).astype(np.uint8))
    if name not in ("minimum", "maximum") and "logical" not in name:
        np.testing.assert_array_equal(f(x, True).numpy(), TRUTH[name](a, True))
    if a.ndim == 2:
        np.testing.assert_array_equal(f(x.t(), y.t()).numpy(), TRUTH[name](a.T, b.T))
        np.testing.assert_array_equal(f(x[:, ::3], y[2, ::3]).numpy(), TRUTH[name](a[:, ::3], b[2, ::3]))
        out = chainrule.empty(shape, dtype=chainrule.int64)
        np.testing.assert_array_equal(f(x, y, out=out).numpy(), TRUTH[name](a, b))


@pytest.mark.parametrize("name", ["bitwise_not", "logical_not"])
def test_negated_truth_values(name):
    given = np.array([[0, 1, 1], [1, 0, 1]], np.uint8)
    x = chainrule.from_numpy(given * np.uint8(3)).view(chainrule.bool)
    np.testing.assert_array_equal(getattr(chainrule, name)(x).view(chainrule.uint8).numpy(), 1 - given)
    np.testing.assert_array_equal((~x.t()).numpy(), given.T == 0)


# ---- narrow integers, calculated as they lie in memory

NARROW = ("uint8", "int8", "int16", "int32")
NARROW_BINARY = [
    "add",
    "sub",
    "mul",
    "maximum",
    "minimum",
    "clamp_min",
    "clamp_max",
    "bitwise_and",
    "bitwise_or",
    "bitwise_xor",
    "eq",
    "ne",
    "lt",
    "le",
    "gt",
    "ge",
    "logical_and",
    "logical_or",
    "logical_xor",
]
NARROW_UNARY = ["neg", "abs", "sign", "square", "bitwise_not", "logical_not"]


def integers(dtype: str, *shape: int, seed: int = 0) -> np.ndarray:
    """All of the dtype's range, its ends among them."""
    limits = np.iinfo(dtype)
    values = np.random.default_rng(seed).integers(limits.min, limits.max, shape, dtype=dtype, endpoint=True)
    values.flat[:3] = limits.min, limits.max, 0
    return values


def of_both(f, *arrays):
    """What f gives on the two libraries, as NumPy's arrays."""
    return [f(library, *(library.from_numpy(a.copy()) for a in arrays)).numpy() for library in (chainrule, torch)]


def assert_equal_arrays(mine, theirs):
    assert mine.dtype == theirs.dtype
    np.testing.assert_array_equal(mine, theirs)


@pytest.mark.parametrize("dtype", NARROW)
@pytest.mark.parametrize("name", NARROW_BINARY)
def test_narrow_integers_two_by_two(name, dtype):
    a, b = integers(dtype, 30, 171), integers(dtype, 30, 171, seed=1)
    other = integers("int16", 30, 171, seed=2)
    for second in (b, b[0], b[:, :1], b[0, 0], other):
        assert_equal_arrays(*of_both(lambda library, x, y: getattr(library, name)(x, y), a, np.asarray(second)))
    assert_equal_arrays(*of_both(lambda library, x, y: getattr(library, name)(x.t(), y[:, ::2].t()), a[:, ::2], b))
    takes_numbers = name not in ("maximum", "minimum", "logical_and", "logical_or", "logical_xor")
    for number in (0, 1, -3, 100) if takes_numbers else ():
        assert_equal_arrays(*of_both(lambda library, x, n=number: getattr(library, name)(x, n), a))
    if name in ("add", "sub", "mul", "bitwise_and"):
        assert_equal_arrays(*of_both(lambda library, x, y: getattr(x, name + "_")(y), a, b))
        assert_equal_arrays(*of_both(lambda library, x, y: getattr(x, name + "_")(y), integers("int64", 30, 171), b))


@pytest.mark.parametrize("dtype", NARROW)
@pytest.mark.parametrize("name", NARROW_UNARY)
def test_narrow_integers_one_by_one(name, dtype):
    a = integers(dtype, 70, 99)
    assert_equal_arrays(*of_both(lambda library, x: getattr(library, name)(x), a))
    assert_equal_arrays(*of_both(lambda library, x: getattr(library, name)(x.t()[::2]), a))


@pytest.mark.parametrize("dtype", NARROW)
def test_narrow_integers_clamped_and_shifted(dtype):
    a, places = integers(dtype, 4000), np.arange(4000).astype(dtype) % 7
    assert_equal_arrays(*of_both(lambda library, x: x.clamp(3, 90), a))
    assert_equal_arrays(*of_both(lambda library, x, y: library.clamp(x, y, y.flip(0)), a, places))
    assert_equal_arrays(*of_both(lambda library, x, y: x << y, a, places))
    assert_equal_arrays(*of_both(lambda library, x, y: x >> y, a, places))


@pytest.mark.parametrize("name", ["amax", "amin"])
@pytest.mark.parametrize("dtype", [*NARROW, "bool"])
@pytest.mark.parametrize("shape", [(5,), (3, 40), (300, 257), (70000,)])
def test_extremes_of_narrow_integers(name, dtype, shape):
    a = integers("uint8", *shape) > 3 if dtype == "bool" else integers(dtype, *shape)
    for x in (a, np.maximum(a, a.dtype.type(1)), np.minimum(a, a.dtype.type(1))):
        assert_equal_arrays(*of_both(lambda library, t: getattr(t, name)(), x))
        assert_equal_arrays(*of_both(lambda library, t: getattr(t, name)(0), x))
        assert_equal_arrays(*of_both(lambda library, t: getattr(t, name)(-1), x))
        assert_equal_arrays(*of_both(lambda library, t: getattr(t.t() if t.ndim == 2 else t, name)(0), x))
