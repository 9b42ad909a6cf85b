"""Random keys of every kind, mixed: x[key] and x[key] = y give PyTorch's values, gradients and errors."""

from __future__ import annotations

import math
import re
import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import chainrule
from both import agree
from oracle import assert_same, assert_same_outcome, gradients, ours, outcome

# The same keys in every run, so that a verdict belongs to the commit.
STABLE = settings(
    max_examples=400, deadline=None, derandomize=True, database=None, suppress_health_check=list(HealthCheck)
)


@dataclass(frozen=True)
class Array:
    """An entry of a key that becomes a tensor of either library."""

    values: tuple
    shape: tuple[int, ...]
    dtype: str

    def tensor(self, library: Any) -> Any:
        reference = torch.from_numpy(np.array(self.values, self.dtype).reshape(self.shape))
        return reference if library is torch else ours(reference)


def made(key: Any, library: Any) -> Any:
    if isinstance(key, tuple):
        return tuple(made(entry, library) for entry in key)
    return key.tensor(library) if isinstance(key, Array) else key


# ---- keys that fit a shape, and now and then one that does not


def integers(size: int):
    return st.integers(-size, size - 1) if size else st.just(0)


def slices(size: int):
    bound = st.none() | st.integers(-size - 1, size + 1)
    return st.builds(slice, bound, bound, st.none() | st.integers(1, 3))


@st.composite
def index_arrays(draw, size: int, shape: tuple[int, ...]):
    """Of the common shape, with dimensions of size 1 in places, or fewer."""
    own = tuple(n if draw(st.booleans()) or n == 0 else 1 for n in shape)[draw(st.integers(0, len(shape))) :]
    if not size and math.prod(own):
        own = (0,)
    values = draw(st.lists(integers(size), min_size=math.prod(own), max_size=math.prod(own)))
    return Array(tuple(values), own, draw(st.sampled_from(["int64", "int64", "int32"])))


@st.composite
def masks(draw, shape: tuple[int, ...]):
    bits = draw(st.lists(st.booleans(), min_size=math.prod(shape), max_size=math.prod(shape)))
    return Array(tuple(bits), shape, "bool")


@st.composite
def keys(draw, shape: tuple[int, ...]):
    """Entries of every kind until the dimensions are used up; one entry comes in a tuple or without."""
    common = draw(st.sampled_from([(2,), (3,), (2, 2), (0,), (1,), ()]))
    entries, dim, seen = [], 0, False
    kinds = ["integer", "slice", "none", "ellipsis", "stop", "array", "array", "list", "mask", "bool"]
    while True:
        kind = draw(st.sampled_from(kinds))
        left = len(shape) - dim
        if kind == "none":
            entries.append(None)
        elif kind == "bool":
            entries.append(draw(st.booleans()))
        elif kind == "ellipsis" and not seen:
            entries.append(...)
            seen = True
            dim = draw(st.integers(dim, len(shape)))
        elif kind == "stop" or not left:
            return tuple(entries) if len(entries) != 1 or draw(st.booleans()) else entries[0]
        elif kind == "mask":
            width = draw(st.integers(0, left))
            entries.append(draw(masks(shape[dim : dim + width])))
            dim += width
        else:
            size = shape[dim]
            if kind == "list" and size:
                entries.append(draw(st.lists(integers(size), min_size=math.prod(common), max_size=math.prod(common))))
            elif kind == "array":
                entries.append(draw(index_arrays(size, common)))
            else:
                entries.append(draw(slices(size) if kind == "slice" or not size else integers(size)))
            dim += 1


SHAPES = st.lists(st.integers(0, 4), max_size=4).map(tuple) | st.sampled_from([(3, 4), (2, 3, 4), (5,)])


@st.composite
def shapes_and_keys(draw):
    """Mostly a key that fits; an ellipsis in the middle makes some that do not."""
    shape = draw(SHAPES)
    return shape, draw(keys(shape))


def base(library: Any, shape: tuple[int, ...], transposed: bool) -> Any:
    x = torch.arange(math.prod(shape), dtype=torch.float64).reshape(shape)
    x = (x if library is torch else ours(x)).requires_grad_()
    return x, (x.transpose(0, -1).clone().transpose(0, -1) if transposed and len(shape) > 1 else x * 1)


def first_words(error: Exception) -> str:
    """What comes before the first number, shape or point."""
    return re.split(r"[\d\[.]", str(error))[0].strip()


def assert_same_message(mine: Exception | None, reference: Exception | None) -> None:
    if reference is not None:
        assert str(mine).startswith(first_words(reference)), f"{mine!r} instead of {reference!r}"


def run(library: Any, f: Any, shape: tuple, key: Any, transposed: bool) -> tuple:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # a list in a list is meant as a tuple, and deprecated
        leaf, x = base(library, shape, transposed)
        return outcome(f, library, leaf, x, made(key, library))


def read(library: Any, leaf: Any, x: Any, key: Any) -> list:
    y = x[key]
    shares = y.numel() > 0 and x.data_ptr() <= y.data_ptr() < x.data_ptr() + 8 * x.numel()
    return [y, *gradients(library, [y * y], [leaf]), y._base is not None, shares]


@STABLE
@given(shapes_and_keys(), st.booleans())
def test_read(case, transposed):
    """Value, gradient, and whether the result is a view."""
    shape, key = case
    mine, reference = (run(library, read, shape, key, transposed) for library in (chainrule, torch))
    assert_same_outcome(mine, reference, 1, f"{shape} {key}")
    assert_same_message(mine[1], reference[1])


def write(library: Any, leaf: Any, x: Any, key: Any, kind: str) -> list:
    wanted = tuple(x[key].shape)
    if kind == "number":
        x[key] = 2.5
        return [x, *gradients(library, [x * x], [leaf])]
    size = {"one": (1,), "0-d": (), "whole": wanted, "row": wanted[-1:], "leading": (1, *wanted), "wrong": (7, 7)}[kind]
    y = torch.arange(math.prod(size), dtype=torch.float64).reshape(size) + 0.5
    y = (y if library is torch else ours(y)).requires_grad_()
    x[key] = y
    return [x, *(g for g in gradients(library, [x * x], [leaf, y]) if g is not None)]


KINDS = ["number", "one", "0-d", "whole", "row", "leading", "wrong"]


@STABLE
@given(shapes_and_keys(), st.booleans(), st.sampled_from(KINDS))
def test_write(case, transposed, kind):
    """The new value, and the gradients of the old one and of what was written; repeated positions included."""
    shape, key = case

    def f(library, leaf, x, key):
        return write(library, leaf, x, key, kind)

    mine, reference = (run(library, f, shape, key, transposed) for library in (chainrule, torch))
    assert_same_outcome(mine, reference, 1, f"{shape} {key} = {kind}")
    assert_same_message(mine[1], reference[1])


def is_of_tensors(case: tuple) -> bool:
    """What index_put takes. PyTorch's passes over masks without dimensions, which select all or nothing."""
    entries = case[1] if isinstance(case[1], tuple) else (case[1],)
    return bool(entries) and all(isinstance(e, Array) and (e.shape or e.dtype != "bool") for e in entries)


@STABLE
@given(shapes_and_keys().filter(is_of_tensors), st.sampled_from([False, True]))
def test_index_put(case, accumulate):
    """index_put takes the same tensors; with accumulate, repeated positions add up."""
    shape, key = case

    def f(library, leaf, x, key):
        key = key if isinstance(key, tuple) else (key,)
        value = x[key].detach() + 1
        return [
            x.index_put(key, value, accumulate),
            x.index_put_(key, value, accumulate),
            *gradients(library, [x], [leaf]),
        ]

    mine, reference = (run(library, f, shape, key, False) for library in (chainrule, torch))
    assert_same_outcome(mine, reference, 1, f"{shape} {key}")
    assert_same_message(mine[1], reference[1])


# ---- errors, word for word where PyTorch's say enough


@pytest.mark.parametrize(
    ("key", "kind", "message"),
    [
        (5, IndexError, "index 5 is out of bounds for dimension 0 with size 3"),
        ((0, -5), IndexError, "index -5 is out of bounds for dimension 1 with size 4"),
        (Array((1, 5), (2,), "int64"), IndexError, "index 5 is out of bounds for dimension 0 with size 3"),
        (
            (Array((1,), (1,), "int64"), Array((9,), (1,), "int64")),
            IndexError,
            "index 9 is out of bounds for dimension 1 with size 4",
        ),
        (
            Array((True, False), (2,), "bool"),
            IndexError,
            "The shape of the mask [2] at index 0 does not match the shape of the indexed tensor [3, 4] at index 0",
        ),
        ((0, 0, 0), IndexError, "too many indices for tensor of dimension 2"),
        ((Array((0,), (1,), "int64"),) * 3, IndexError, "too many indices for tensor of dimension 2"),
        (
            (Array((0, 1), (2,), "int64"), Array((0, 1, 2), (3,), "int64")),
            IndexError,
            "shape mismatch: indexing tensors could not be broadcast together with shapes [2], [3]",
        ),
        (
            Array((0.5,), (1,), "float64"),
            IndexError,
            "tensors used as indices must be long, int, byte or bool tensors",
        ),
        (
            Array((1,), (1,), "int16"),
            IndexError,
            "tensors used as indices must be long, int, byte or bool tensors",
        ),
        (1.5, IndexError, "only integers, slices (`:`), ellipsis (`...`), None and long or byte Variables are valid"),
        ({}, IndexError, "only integers, slices (`:`), ellipsis (`...`), None and long or byte Variables are valid"),
        ("a", TypeError, "new(): invalid data type 'str'"),
        (slice(None, None, -1), ValueError, "step must be greater than zero"),
        (slice(None, None, 0), ValueError, "slice step cannot be zero"),
    ],
)
def test_errors(key, kind, message):
    for library in (chainrule, torch):
        x = library.zeros(3, 4)
        with pytest.raises(kind, match=re.escape(message)):
            x[made(key, library)]


@pytest.mark.parametrize(
    ("key", "value", "kind", "message"),
    [
        (0, [1.0, 2.0], TypeError, "can't assign a list to a torch.FloatTensor"),
        (0, "a", TypeError, "can't assign a str to a torch.FloatTensor"),
        (
            slice(0, 2),
            Array((1, 2, 3), (3,), "float32"),
            RuntimeError,
            "The expanded size of the tensor (4) must match the existing size (3) at non-singleton dimension 1",
        ),
        (
            Array((0, 1), (2,), "int64"),
            Array((1, 2, 3), (3,), "float32"),
            RuntimeError,
            "shape mismatch: value tensor of shape [3] cannot be broadcast to indexing result of shape [2, 4]",
        ),
        (
            Array((0, 1), (2,), "int64"),
            Array((1,), (1,), "int64"),
            RuntimeError,
            "Index put requires the source and destination dtypes match, got Float for the destination and Long",
        ),
    ],
)
def test_errors_of_assignment(key, value, kind, message):
    for library in (chainrule, torch):
        x = library.zeros(3, 4)
        with pytest.raises(kind, match=re.escape(message)):
            x[made(key, library)] = made(value, library)
        assert not x.any()


def test_sequences_of_numbers_are_indices():
    for library in (chainrule, torch):
        x = library.arange(2000.0)
        assert x[range(1000, 1003)].tolist() == [1000, 1001, 1002]
        assert x[np.array([1, 5])].tolist() == [1, 5]
        assert x[np.int64(7)].item() == 7
        with pytest.warns(UserWarning, match="Using a non-tuple sequence for multidimensional indexing is deprecated"):
            y = x.reshape(40, 50)[[[0, 1], [2, 3]]]
        assert y.tolist() == [2, 53]
        with pytest.warns(UserWarning, match="indexing with dtype torch.uint8 is now deprecated"):
            assert x[:3][library.tensor([1, 0, 1], dtype=library.uint8)].tolist() == [0, 2]


def test_a_large_index_is_read_in_pieces():
    x = torch.arange(100_000.0)
    index = torch.arange(100_000) * 7919 % 100_003 % 100_000 - 50_000
    assert_same(ours(x)[ours(index)], x[index])
    with pytest.raises(IndexError, match="index 100007 is out of bounds"):
        ours(x)[ours(index) + 150_007]


@pytest.mark.parametrize(
    "text", ["x % 2 == 1", "condition=x", "torch.tensor(3)", "torch.zeros(0, 2)", "", "x > 2, x", "3"]
)
def test_where_a_condition_holds(text):
    def program(torch):
        return list(eval(f"torch.where({text})", {"torch": torch, "x": torch.arange(6).view(2, 3)}))

    agree(program, words=4)
