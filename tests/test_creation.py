"""Functions that make tensors: values, dtypes, strides, options and what they refuse."""

from __future__ import annotations

import numpy as np
import pytest
import torch

import chainrule
from both import agree
from oracle import DTYPES, HALVES, Collected, assert_same, assert_same_outcome, call, flat, outcome, pair
from samples import CREATION


@pytest.mark.parametrize("record", CREATION, ids=str)
def test_value(record):
    mine, reference = pair(record)
    assert_same_outcome(outcome(call, chainrule, record, mine), outcome(call, torch, record, reference), 1, str(record))


@pytest.mark.parametrize("record", CREATION, ids=str)
@pytest.mark.filterwarnings("ignore:Casting complex values to real")
def test_dtype_argument(record):
    """dtype=..., each of the twelve: the same tensor, or an exception of the same class."""

    def make(library, tensors, dtype):
        args, kwargs = record.fill(tensors)
        place = library.Tensor if record.name.startswith("new_") else library
        return getattr(place, record.name)(*args, dtype=getattr(library, dtype), **kwargs)

    mine, reference = pair(record)
    with Collected() as c:
        for dtype in DTYPES:
            if dtype in HALVES and "halves" in record.skip:
                continue
            expected = outcome(make, torch, reference, dtype)
            c.check(assert_same_outcome, outcome(make, chainrule, mine, dtype), expected, 1, f"{record} {dtype}")


@pytest.mark.parametrize("record", [r for r in CREATION if r.name != "as_tensor"], ids=str)
def test_requires_grad_argument(record):
    """Floats may require gradients, integers raise RuntimeError."""

    def make(library, tensors):
        args, kwargs = record.fill(tensors)
        place = library.Tensor if record.name.startswith("new_") else library
        result = getattr(place, record.name)(*args, requires_grad=True, **kwargs)
        assert result.is_leaf
        assert result.requires_grad
        return result

    mine, reference = pair(record)
    assert_same_outcome(outcome(make, chainrule, mine), outcome(make, torch, reference), 1, str(record))


@pytest.mark.parametrize("name", ["empty", "zeros", "ones", "rand", "randn"])
def test_sizes(name):
    for size in [(), (3,), (2, 3), (0,), (2, 0, 3)]:
        for args in [size, (size,), (list(size),)] if size else [((),), ([],)]:
            assert getattr(chainrule, name)(*args).shape == size
            assert getattr(chainrule, name)(*args).stride() == getattr(torch, name)(*args).stride()
    assert getattr(chainrule, name)(size=(2, 3)).shape == (2, 3)
    assert getattr(chainrule, name)(chainrule.zeros(4).shape).shape == (4,)


@pytest.mark.parametrize("name", ["empty_like", "zeros_like", "ones_like", "rand_like", "randn_like"])
def test_like(name):
    """Shape, dtype and the order of dimensions are taken over; requires_grad is not."""
    x = chainrule.zeros(2, 3, 4, dtype=chainrule.float64, requires_grad=True).permute(2, 0, 1)
    y = getattr(chainrule, name)(x)
    z = getattr(torch, name)(torch.zeros(2, 3, 4, dtype=torch.float64).permute(2, 0, 1))
    assert (tuple(y.shape), tuple(y.stride()), y.requires_grad) == (tuple(z.shape), tuple(z.stride()), False)
    assert y.dtype is chainrule.float64
    assert getattr(chainrule, name)(x, dtype=chainrule.float32).dtype is chainrule.float32


def test_tensor_copies_and_as_tensor_and_from_numpy_share():
    array = np.zeros(3)
    copy, shared, same = chainrule.tensor(array), chainrule.from_numpy(array), chainrule.as_tensor(array)
    array[0] = 5
    assert (copy[0].item(), shared[0].item(), same[0].item()) == (0, 5, 5)
    assert chainrule.as_tensor(copy) is copy
    shared[1] = 7
    assert array[1] == 7


@pytest.mark.parametrize(
    "dtype",
    ["bool", "uint8", "int8", "int16", "int32", "int64", "float16", "float32", "float64", "complex64", "complex128"],
)
def test_from_numpy(dtype):
    array = np.arange(24).reshape(2, 3, 4).astype(dtype)
    for view in (array, array.T, array[:, ::2], array[0, 0, 0:0], array[1, 2]):
        assert_same(chainrule.from_numpy(view), torch.from_numpy(view))
        assert 0 in view.shape or chainrule.from_numpy(view).stride() == torch.from_numpy(view).stride()


@pytest.mark.parametrize(
    "make",
    [
        lambda t: t.from_numpy([1, 2]),
        lambda t: t.from_numpy(np.array(["a"])),
        lambda t: t.from_numpy(np.arange(4.0)[::-1]),
        lambda t: t.tensor("text"),
        lambda t: t.tensor([[1, 2], [3]]),
        lambda t: t.tensor([1, "a"]),
        lambda t: t.tensor(None),
        lambda t: t.tensor([None]),
        lambda t: t.tensor({}),
        lambda t: t.tensor(2**70),
        lambda t: t.arange(1, 5, 0),
        lambda t: t.arange(5, 1),
        lambda t: t.arange(0, float("inf")),
        lambda t: t.arange(0, float("nan")),
        lambda t: t.eye(-1),
        lambda t: t.linspace(0, 1, -1),
        lambda t: t.linspace(0, 1),
        lambda t: t.full((2,), None),
        lambda t: t.zeros(-1),
        lambda t: t.zeros(2.5),
        lambda t: t.zeros("2"),
        lambda t: t.zeros(2, dtype="float32"),
        lambda t: t.zeros(2, device="moon"),
        lambda t: t.randint(5, 5, (2,)),
        lambda t: t.randint(0, (2,)),
        lambda t: t.randperm(-1),
        lambda t: t.tensor([1j], dtype=t.float32),
        lambda t: t.tensor([300], dtype=t.uint8),
        lambda t: t.tensor(1.5, dtype=t.int64),
        lambda t: t.empty(10**15),
        lambda t: t.zeros(2**62, 4),
        lambda t: t.ones(2**31, 2**31, 2**31),
        lambda t: t.randn(2, dtype=t.int64),
        lambda t: t.rand(2, dtype=t.bool),
    ],
)
def test_bad_input(make):
    assert_same_outcome(outcome(make, chainrule), outcome(make, torch), 1, "")


@pytest.mark.filterwarnings("ignore:To copy construct from a tensor")
def test_nested_tensors_as_data():
    for data in (
        lambda t: [t.tensor(1.0), t.tensor(2.0)],
        lambda t: [[t.tensor(1), 2], [3, 4]],
        lambda t: t.arange(3),
        lambda t: range(3),
        lambda t: (1, 2),
        lambda t: [np.float64(1.5), 2],
        lambda t: np.arange(3),
        lambda t: [True, 2],
        lambda t: [[]],
        lambda t: [[], []],
    ):
        assert_same_outcome(
            outcome(lambda t, d=data: t.tensor(d(t)), chainrule),
            outcome(lambda t, d=data: t.tensor(d(t)), torch),
            1,
            "",
        )


def test_random_ranges():
    chainrule.manual_seed(0)
    assert ((chainrule.rand(1000) >= 0) & (chainrule.rand(1000) < 1)).all()
    assert set(chainrule.randint(2, 5, (1000,)).tolist()) == {2, 3, 4}
    assert sorted(chainrule.randperm(20).tolist()) == list(range(20))
    assert abs(chainrule.empty(10000).normal_(3, 2).mean().item() - 3) < 0.1
    assert (chainrule.empty(1000).uniform_(2, 3) >= 2).all()
    assert chainrule.zeros(2).new_empty(3, 4).shape == (3, 4)


@pytest.mark.parametrize(
    "make",
    [
        lambda t: t.rand(5),
        lambda t: t.randn(5),
        lambda t: t.randn(40),
        lambda t: t.randint(0, 10, (7,)),
        lambda t: t.randperm(9),
        lambda t: t.rand(3, dtype=t.float64),
        lambda t: t.empty(20).normal_(),
        lambda t: t.empty(5).uniform_(-1, 1),
        lambda t: t.randn_like(t.zeros(17)),
        lambda t: t.rand_like(t.zeros(3)),
        lambda t: t.randn(2, dtype=t.complex64),
    ],
)
def test_same_numbers_as_pytorch(make):
    for seed in (0, 1, 12345):
        results = []
        for library in (chainrule, torch):
            library.manual_seed(seed)
            results.append(make(library))
        assert_same(*results)
    assert flat(results)


@pytest.mark.filterwarnings("ignore:torch.range is deprecated")
def test_range():
    """With a step that an integer dtype makes zero PyTorch divides by it and dies."""
    with Collected() as c:
        for args in [(1, 4), (1, 4, 0.5), (4, 1, -1), (2, 2), (4, 1), (1, 4, 0), (1, float("inf")), (0, 1, 0.1), (5,)]:
            c.check(assert_same_outcome, outcome(chainrule.range, *args), outcome(torch.range, *args), 1, f"{args}")
        for dtype in DTYPES:
            both = [outcome(m.range, 0.5, 5.2, 1.1, dtype=getattr(m, dtype)) for m in (chainrule, torch)]
            c.check(assert_same_outcome, *both, 1, dtype)
    with pytest.raises(RuntimeError, match="step must be nonzero"):
        chainrule.range(0, 3, 0.5, dtype=chainrule.int64)
    with pytest.warns(UserWarning, match="range is deprecated"):
        chainrule.range(0, 3)


def test_linspace_of_integers_begins_at_one():
    for dtype in ("int32", "int64"):
        both = [m.linspace(4.3, -2.9, 9, dtype=getattr(m, dtype)).tolist() for m in (chainrule, torch)]
        assert both[0] == both[1]


@pytest.mark.parametrize("dtype", ["float64", "float32", "float16", "bfloat16", "int64", "uint8", "complex64"])
def test_ranges_bit_for_bit(dtype):
    """Whole vectors, rests of them, both directions, steps that no number is exactly."""
    for start, end in ((0, 1), (-3.656, 3.474), (2.5, 0.1), (1, 9)):
        for steps in (1, 2, 3, 7, 8, 16, 17, 33, 64, 100, 1001):
            for library_call in (
                lambda t: t.linspace(start, end, steps, dtype=getattr(t, dtype)),  # noqa: B023
                lambda t: t.arange(start, end, (end - start) / steps, dtype=getattr(t, dtype)),  # noqa: B023
            ):
                mine, reference = outcome(library_call, chainrule), outcome(library_call, torch)
                assert_same_outcome(mine, reference)
                if reference[0] is not None:
                    assert mine[0].tolist() == reference[0].tolist()


@pytest.mark.parametrize("make", ["Tensor", "FloatTensor", "Mine"])
def test_old_constructors_keep_the_history_of_a_tensor(make):
    def program(torch):
        kind = type("Mine", (torch.Tensor,), {}) if make == "Mine" else getattr(torch, make)
        x = torch.ones(2, requires_grad=True)
        y = kind(x)
        (y * 3).sum().backward()
        plain = torch.ones(2)
        return [
            type(y).__name__,
            y.grad_fn.name(),
            y._base is x,
            x.grad,
            kind(plain)._base is plain,
            kind(2).requires_grad,
        ]

    agree(program)
