"""repr(tensor) equals PyTorch's, text for text: random tensors, then the cases with a rule of their own."""

from __future__ import annotations

import math
import random
from collections.abc import Iterator
from typing import Any

import pytest
import torch

import chainrule
from chainrule import printing

FLOATS = ("float32", "float64", "float16", "bfloat16")
COMPLEX = ("complex64", "complex128")
INTEGERS = ("uint8", "int8", "int16", "int32", "int64")
ODD_VALUES = (0.0, -0.0, math.nan, math.inf, -math.inf, 1e8, 1e-4, 9.9e-5, 1000.0, 1e-40, 65504.0, 1e300, 5e-324)


@pytest.fixture(autouse=True)
def default_settings() -> Iterator[None]:
    """Every test begins and leaves with the default options and default dtype, in both libraries."""
    set_both("float32", profile="default")
    yield
    set_both("float32", profile="default")


def set_both(default_dtype: str | None = None, **options: Any) -> None:
    for library in (chainrule, torch):
        library.set_printoptions(**options)
        if default_dtype is not None:
            library.set_default_dtype(getattr(library, default_dtype))


def twins(values: Any, dtype: str | None = None, shape: tuple[int, ...] | None = None) -> tuple[Any, Any]:
    """The same tensor in chainrule and in PyTorch; PyTorch rounds first, so that both hold the same values."""
    reference = torch.tensor(values, dtype=getattr(torch, dtype) if dtype else None)
    rounded = reference.tolist()
    ours = chainrule.tensor(rounded, dtype=getattr(chainrule, dtype) if dtype else None)
    return (ours, reference) if shape is None else (ours.reshape(shape), reference.reshape(shape))


# ---- Random tensors --------------------------------------------------------------------------------------------------


def random_float(rng: random.Random, style: str, exponents: tuple[float, float]) -> float:
    if style == "mixed":
        style = rng.choice(("normal", "normal", "whole", "odd"))
    if style == "normal":
        return rng.gauss(0, 1)
    if style == "whole":
        return float(rng.randrange(-1000, 1000))
    if style == "odd":
        return rng.choice(ODD_VALUES)
    return rng.choice((-1, 1)) * 10 ** rng.uniform(*exponents)


def random_floats(rng: random.Random, count: int) -> list[float]:
    style = rng.choice(("normal", "whole", "odd", "mixed", "scaled"))
    low = rng.uniform(-12, 4)
    exponents = (low, low + rng.uniform(0, 8))
    return [random_float(rng, style, exponents) for _ in range(count)]


def random_values(rng: random.Random, dtype: str, count: int) -> list[Any]:
    if dtype in FLOATS:
        return random_floats(rng, count)
    if dtype in COMPLEX:
        return [complex(*parts) for parts in zip(random_floats(rng, count), random_floats(rng, count), strict=True)]
    if dtype == "bool":
        return [rng.random() < 0.5 for _ in range(count)]
    limits, bound = torch.iinfo(getattr(torch, dtype)), 10 ** rng.randrange(20)
    return [rng.randint(max(limits.min, -bound), min(limits.max, bound)) for _ in range(count)]


def random_shape(rng: random.Random) -> tuple[int, ...]:
    dims = rng.choice((0, 1, 1, 2, 2, 3, 4))
    largest = (1, 1500, 40, 12, 6)[dims]
    return tuple(rng.randrange(0 if rng.random() < 0.1 else 1, largest + 1) for _ in range(dims))


def random_options(rng: random.Random) -> dict[str, Any]:
    return {
        "precision": rng.choice((None, 0, 1, 2, 6, 10)),
        "threshold": rng.choice((None, 0, 5, 30, 100, math.inf)),
        "edgeitems": rng.choice((None, 0, 1, 2, 5)),
        "linewidth": rng.choice((None, 1, 20, 40, 79, 120)),
        "profile": rng.choice((None, None, "default", "short", "full", "unknown")),
        "sci_mode": rng.choice((None, None, True, False)),
    }


@pytest.mark.parametrize("seed", range(500))
def test_random_tensor(seed: int) -> None:
    rng = random.Random(seed)
    set_both(rng.choice(("float32", "float32", "float64")), **(random_options(rng) if seed % 2 else {}))
    dtype, shape = rng.choice((*FLOATS, *FLOATS, *COMPLEX, *INTEGERS, "bool")), random_shape(rng)
    ours, reference = twins(random_values(rng, dtype, math.prod(shape)), dtype, shape)
    if dtype in FLOATS + COMPLEX and rng.random() < 0.3:
        ours.requires_grad_()
        reference.requires_grad_()
    assert repr(ours) == repr(reference)


# What a tensor can be besides plain: f(library, tensor).
KINDS = {
    "transposed": lambda library, t: t.permute(tuple(range(t.dim()))[::-1]),
    "every second": lambda library, t: t[..., ::2] if t.dim() else t,
    "a row": lambda library, t: t[0] if t.dim() and t.shape[0] else t,
    "expanded": lambda library, t: t.expand(3, *t.shape),
    "result": lambda library, t: t.clone().requires_grad_() * 1,
    "view of a result": lambda library, t: (t.clone().requires_grad_() * 1).reshape(-1),
    "subclass": lambda library, t: t.as_subclass(type("Quantity", (library.Tensor,), {})),
    "parameter": lambda library, t: library.nn.Parameter(t),
    "fixed parameter": lambda library, t: library.nn.Parameter(t, requires_grad=False),
    "in a list": lambda library, t: [t, (t,), {"key": t}],
}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("seed", range(25))
def test_random_tensor_of_another_kind(kind: str, seed: int) -> None:
    rng = random.Random(repr((kind, seed)))
    set_both(rng.choice(("float32", "float32", "float64")), **(random_options(rng) if seed % 2 else {}))
    dtype, shape = rng.choice((*FLOATS, *COMPLEX)), random_shape(rng)
    ours, reference = twins(random_values(rng, dtype, math.prod(shape)), dtype, shape)
    mine, theirs = KINDS[kind](chainrule, ours), KINDS[kind](torch, reference)
    assert repr(mine) == repr(theirs)
    assert str(mine) == str(theirs)
    assert f"{mine}" == f"{theirs}" or (isinstance(mine, chainrule.Tensor) and mine.dim() == 0)


@pytest.mark.parametrize("dtype", [*FLOATS, *COMPLEX])
@pytest.mark.parametrize("exponent", range(-8, 9))
def test_magnitudes(dtype: str, exponent: int) -> None:
    """Where the notation changes: one power of ten after the other, alone and beside 1."""
    for values in ([10.0**exponent], [1.0, 10.0**exponent], [1.5, -(10.0**exponent)], [0.0, 10.0**exponent]):
        ours, reference = twins(values, dtype)
        assert repr(ours) == repr(reference)
        assert repr(ours[0]) == repr(reference[0])


@pytest.mark.parametrize("spec", ["", ".3f", "8.2e", "g", ">10", "d"])
@pytest.mark.parametrize("value", [1.5, 3, True, 1e-20, 2j])
def test_format_of_one_number(spec: str, value: Any) -> None:
    ours, reference = twins(value)

    def formatted(t: Any) -> str:
        try:
            return format(t, spec)
        except ValueError as error:
            return f"ValueError: {error}"

    assert formatted(ours) == formatted(reference)


# ---- Values ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "values",
    [
        [0.0, math.nan],
        [1.0, math.nan, -math.inf],
        [0.5, math.nan, math.inf],
        [-0.0, 1.0],
        [1.0, 1000.0],
        [1.0, 1001.0],
        [1e8, 1e8],
        [1e8, 2e8],
        [1e-4, 2e-4],
        [9e-5, 1e-4],
        [1e308, 5e-324],
        [123456.789, 654321.0],
        [complex(1, -0.0), complex(-0.0, math.nan)],
        [complex(1.5, -2), complex(math.inf, 1e9)],
        [True, False],
        [-128, 5],
        2.5,
        -3,
        True,
        1j,
        [],
        [[], []],
    ],
)
def test_value(values: Any) -> None:
    for options in ({}, {"sci_mode": True}, {"sci_mode": False}, {"precision": 0}):
        set_both(**options)
        ours, reference = twins(values, "float64" if values == [1e308, 5e-324] else None)
        assert repr(ours) == repr(reference)


def test_text_is_the_known_one() -> None:
    assert repr(chainrule.tensor([1.0, 2.5])) == "tensor([1.0000, 2.5000])"
    assert repr(chainrule.tensor([[1, 2], [30, 4]])) == "tensor([[ 1,  2],\n        [30,  4]])"
    assert repr(chainrule.tensor([1.0], dtype=chainrule.float64)) == "tensor([1.], dtype=torch.float64)"


# ---- Suffixes --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("default", FLOATS)
@pytest.mark.parametrize("dtype", [*FLOATS, *COMPLEX, *INTEGERS, "bool"])
@pytest.mark.parametrize("shape", [(), (1,), (0,), (2, 0)])
def test_dtype_suffix_depends_on_the_default(default: str, dtype: str, shape: tuple[int, ...]) -> None:
    set_both(default)
    ours, reference = twins([1] * math.prod(shape), dtype, shape)
    assert repr(ours) == repr(reference)


@pytest.mark.parametrize("count", range(1, 30))
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_suffixes_wrap_at_the_same_column(count: int, dtype: str) -> None:
    ours, reference = twins([0.25] * count, dtype)
    assert repr(ours.requires_grad_()) == repr(reference.requires_grad_())


def test_grad_fn() -> None:
    ours, reference = twins([1.0, 2.0])
    assert repr(ours.requires_grad_() * 2) == repr(reference.requires_grad_() * 2)
    assert repr(ours.exp().sum()) == repr(reference.exp().sum())


# ---- Classes ---------------------------------------------------------------------------------------------------------


def test_subclass_prints_its_name() -> None:
    def logits(library: Any) -> Any:
        return library.tensor([[1.0, 2.0], [3.0, 4.0]]).as_subclass(type("Logits", (library.Tensor,), {}))

    assert repr(logits(chainrule)) == repr(logits(torch))


def test_parameter() -> None:
    ours, reference = twins([1.0, 2.0])
    assert repr(chainrule.nn.Parameter(ours)) == repr(torch.nn.Parameter(reference))


def test_subclass_of_parameter() -> None:
    def weight(library: Any) -> Any:
        return type("Weight", (library.nn.Parameter,), {})(library.tensor([1.0, 2.0]))

    assert repr(weight(chainrule)) == repr(weight(torch))


def test_given_contents_replace_the_values() -> None:
    ours, reference = twins([1, 2], "int32")
    assert ours.__repr__(tensor_contents="?") == reference.__repr__(tensor_contents="?")


# ---- Options and size ------------------------------------------------------------------------------------------------


def test_options_are_reported_and_sci_mode_is_always_reset() -> None:
    set_both(precision=2, sci_mode=True)
    set_both(linewidth=60)
    assert printing.get_printoptions() == torch._tensor_str.get_printoptions()
    assert printing.get_printoptions()["sci_mode"] is None


def test_printoptions_restores_after_an_error() -> None:
    set_both(precision=3, sci_mode=True)
    before = printing.get_printoptions()
    with printing.printoptions(profile="short"):
        assert repr(chainrule.tensor([1.234])) == "tensor([1.23])"
    assert printing.get_printoptions() == before
    with pytest.raises(KeyError), printing.printoptions(profile="short"):
        raise KeyError
    assert printing.get_printoptions() == before


@pytest.mark.parametrize(
    "options", [{"precision": -1}, {"precision": 2.5}, {"linewidth": "wide"}, {"threshold": "all"}]
)
def test_bad_option_fails_as_in_pytorch(options: dict[str, Any]) -> None:
    ours, reference = twins([0.5, 1.5])
    set_both(**options)
    # No traceback is kept: PyTorch's frames hold a guard that turns its transforms off for as long as they live.
    assert failure_of(ours) == failure_of(reference)


def failure_of(tensor: Any) -> tuple[type, str]:
    try:
        repr(tensor)
    except (TypeError, ValueError) as error:
        return type(error), str(error)
    raise AssertionError("printing did not fail")


@pytest.mark.parametrize("shape", [(10**9,), (10**5, 10**5), (2, 10**4, 7, 10**4)])
def test_huge_tensor_prints_from_its_edges_alone(shape: tuple[int, ...]) -> None:
    ours, reference = (library.zeros(1).expand(shape) for library in (chainrule, torch))
    assert repr(ours) == repr(reference)
