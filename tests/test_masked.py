"""chainrule.masked against torch.masked: values and gradients, with every kind of mask."""

from __future__ import annotations

import itertools

import pytest
import torch

import chainrule
from oracle import assert_same, assert_same_gradients, assert_same_outcome, gradients, ours, outcome

REDUCTIONS = ["sum", "prod", "amax", "amin", "mean", "logsumexp", "norm", "var", "std", "median", "argmax", "argmin"]
ALONG = ["softmax", "log_softmax", "softmin", "cumsum", "cumprod", "normalize"]
MASKS = [
    None,
    [[True, False, True], [True, True, False]],
    [[True], [True]],
    [True, False, True],
    [[1, 0, 2], [0, 1, 0]],
]


def arguments(name: str, dim, keepdim: bool) -> tuple[tuple, dict]:
    order = (2.0,) if name in ("norm", "normalize") else ()
    return (*order, dim), {} if name in ALONG else {"keepdim": keepdim}


def compare(name: str, dtype: str, mask, dim, keepdim: bool) -> None:
    reference = torch.tensor([[0.5, -1.5, 2.0], [1.0, 3.0, -0.25]]).to(getattr(torch, dtype))
    mine = ours(reference)
    is_floating = dtype.startswith(("float", "complex"))
    mine.requires_grad_(is_floating), reference.requires_grad_(is_floating)
    args, kwargs = arguments(name, dim, keepdim)

    def run(library, t):
        given = None if mask is None else library.tensor(mask)
        return getattr(library.masked, name)(t, *args, mask=given, **kwargs)

    results, expected = outcome(run, chainrule, mine), outcome(run, torch, reference)
    what = f"{name} {dtype} {mask} {dim} {keepdim}"
    assert_same_outcome(results, expected, 1.0, what)
    if expected[1] is None and expected[0].requires_grad:
        found = gradients(chainrule, [results[0]], [mine])
        assert_same_gradients(found, gradients(torch, [expected[0]], [reference]), 10.0, what)


CASES = list(itertools.product(REDUCTIONS + ALONG, ["float64", "float32", "int64", "bool", "complex128"]))
CASES.remove(("median", "complex128"))  # PyTorch warns that it drops the imaginary part, and goes on


@pytest.mark.parametrize(("name", "dtype"), CASES)
def test_masked(name, dtype):
    one = name in (*ALONG, "median", "argmax", "argmin")
    dims = (0, -1, 5) if one else (None, 1, (0, 1), (), (0, 0), 5)
    for mask, dim, keepdim in itertools.product(MASKS, dims, (False, True)):
        compare(name, dtype, mask, dim, keepdim)


@pytest.mark.parametrize("name", REDUCTIONS)
def test_nothing_left(name):
    """A row without elements: the identity, or NaN where there is none."""
    compare(name, "float64", [[True, False, True], [False, False, False]], 1, False)


def test_logaddexp():
    a, b = torch.tensor([-1.0, -2.0, 3.0]), torch.tensor([0.5, 1.0, 2.0])
    mask, other = torch.tensor([True, False, True]), torch.tensor([False, False, True])
    expected = torch.masked.logaddexp(a, b, input_mask=mask, other_mask=other)
    found = chainrule.masked.logaddexp(ours(a), ours(b), input_mask=ours(mask), other_mask=ours(other))
    assert_same(found, expected)


def test_mask_of_more_dimensions_is_refused():
    with pytest.raises(IndexError, match="expected broadcastable mask"):
        chainrule.masked.sum(chainrule.ones(3), mask=chainrule.ones(2, 3, dtype=chainrule.bool))


def test_dtype_of_a_mean_of_integers_has_to_be_given():
    x = chainrule.arange(4)
    with pytest.raises(ValueError, match="Could not infer output dtype"):
        chainrule.masked.mean(x)
    assert chainrule.masked.mean(x, dtype=chainrule.float64).item() == 1.5


def test_every_function_of_torch_masked_is_there():
    classes = {"MaskedTensor", "as_masked_tensor", "is_masked_tensor", "masked_tensor"}  # PyTorch's own prototype
    assert set(torch.masked.__all__) - classes == set(chainrule.masked.__all__)
