"""chainrule.testing against torch.testing: the same verdicts in the same words, the same random tensors."""

from __future__ import annotations

import itertools
import math
from typing import Any

import numpy as np
import pytest
import torch

import chainrule
from oracle import Collected, assert_same, ours, outcome

NAN = math.nan


def t(*values, dtype=torch.float32):
    return torch.tensor(values, dtype=dtype)


# (actual, expected, keywords); tensors are PyTorch's and are converted.
CASES: list[tuple[Any, Any, dict]] = [
    (t(1.0, 2.0), t(1.0, 2.0), {}),
    (t(1.0, 2.0), t(1.0, 2.1), {}),
    (t(1.0, 2.0), t(1.0, 2.000001), {}),
    (t(1.0, 2.0), t(1.0, 2.1), {"rtol": 0.1, "atol": 0.0}),
    (t(1.0, 2.0), t(1.0, 2.1), {"rtol": 0, "atol": 0}),
    (t(1.0, 2.0), t(1.0, 2.1), {"rtol": 0.1}),
    (t(1.0, 2.0), t(1.0, 2.1), {"atol": 0.1}),
    (t(1.0, 2.0), t(1.0, 2.1), {"msg": "mine"}),
    (t(1.0, 2.0), t(1.0, 2.1), {"msg": lambda text: f"<{text}>"}),
    (t(NAN, 2.0), t(NAN, 2.0), {}),
    (t(NAN, 2.0), t(NAN, 2.0), {"equal_nan": True}),
    (t(math.inf, -math.inf), t(math.inf, 1.0), {}),
    (t(1.0), t(1.0, 2.0), {}),
    (t(1.0), t(1.0, dtype=torch.float64), {}),
    (t(1.0), t(1.0, dtype=torch.float64), {"check_dtype": False}),
    (t(1, 2, dtype=torch.int64), t(1, 3, dtype=torch.int64), {}),
    (t(1, 2, dtype=torch.uint8), t(2, 0, dtype=torch.uint8), {}),
    (t(True, False, dtype=torch.bool), t(True, True, dtype=torch.bool), {}),
    (t(1 + 2j, 3, dtype=torch.complex64), t(1 + 2j, 3 + 1e-3j, dtype=torch.complex64), {}),
    (t(1, 2, dtype=torch.float16), t(1, 2.01, dtype=torch.float16), {}),
    (torch.zeros(2, 3, 4), torch.eye(4)[:3].expand(2, 3, 4), {}),
    (torch.zeros(()), torch.ones(()), {}),
    (torch.zeros(()), torch.zeros(()) * NAN, {}),
    (torch.zeros(0, 3), torch.zeros(0, 3), {}),
    (torch.zeros(2, 3), torch.zeros(3, 2).t(), {"check_stride": True}),
    (1.0, 1.0, {}),
    (1.0, 2.0, {}),
    (1.0, 1, {}),
    (1.0, 1, {"check_dtype": False}),
    (1, 3, {}),
    (1e-9, 1e-10, {"rtol": 0, "atol": 0}),
    (1.0, 0.0, {}),
    (NAN, NAN, {}),
    (NAN, NAN, {"equal_nan": True}),
    (1 + 1j, 1 + 2j, {}),
    (np.float64(1.0), 2.0, {}),
    (True, True, {}),
    (True, False, {}),
    (None, None, {}),
    (None, 1, {}),
    (np.array([1.0, 2.0]), np.array([1.0, 3.0]), {}),
    (np.array([1.0, 2.0]), t(1.0, 2.0), {}),
    ([1, 2], (1, 2), {}),
    ([1, 2], [1, 2, 3], {}),
    ([1, t(2.0)], [1, t(3.0)], {}),
    ([1, t(2.0)], [2, t(3.0)], {}),
    ([1, "a"], [2, "a"], {}),
    ({"a": [1.0, 2.0]}, {"a": [1.0, 2.5]}, {}),
    ({"a": 1}, {"b": 1}, {}),
    ({"a": {"b": 1}}, {"a": {"b": 1, "c": 2}}, {}),
    ("a", "a", {}),
    (t(1.0), 1.0, {}),
    (torch.nn.Parameter(t(1.0)), t(1.0), {}),
    (torch.nn.Parameter(t(1.0)), t(1.0), {"allow_subclasses": False}),
]


def converted(value):
    if isinstance(value, torch.nn.Parameter):
        return chainrule.nn.Parameter(ours(value.data))
    if isinstance(value, torch.Tensor):
        copy = ours(value)
        return copy if value.is_contiguous() or 0 in value.stride() else copy.t().contiguous().t()
    if isinstance(value, dict):
        return {key: converted(v) for key, v in value.items()}
    return type(value)(map(converted, value)) if isinstance(value, (list, tuple)) else value


def words(error: Exception | None) -> str:
    if error is None:
        return ""
    text = str(error).replace("chainrule.nn.parameter", "torch.nn.parameter").replace("chainrule.", "torch.")
    return f"{type(error).__name__}: {text}"


@pytest.mark.parametrize("case", range(len(CASES)))
def test_assert_close(case):
    actual, expected, kwargs = CASES[case]
    _, theirs = outcome(torch.testing.assert_close, actual, expected, **kwargs)
    _, mine = outcome(chainrule.testing.assert_close, converted(actual), converted(expected), **kwargs)
    assert words(mine) == words(theirs)


def test_a_tensor_that_requires_a_gradient():
    x = chainrule.ones(3, requires_grad=True)
    chainrule.testing.assert_close(x * 1, chainrule.ones(3))


@pytest.mark.filterwarnings("ignore:`torch.testing.assert_allclose")
def test_assert_allclose():
    for values in ([1.0, 2.0], [1.0, 2.5]):
        _, theirs = outcome(torch.testing.assert_allclose, t(1.0, 2.0), values)
        _, mine = outcome(chainrule.testing.assert_allclose, ours(t(1.0, 2.0)), values)
        assert words(mine) == words(theirs)


DTYPES = (
    "bool",
    "uint8",
    "int8",
    "int32",
    "int64",
    "float16",
    "bfloat16",
    "float32",
    "float64",
    "complex64",
    "complex128",
)


@pytest.mark.filterwarnings("ignore:Passing `low==high`")
@pytest.mark.parametrize("dtype", DTYPES)
def test_make_tensor(dtype):
    """The same numbers as PyTorch's from the same seed, or the same exception."""
    options = [
        {},
        {"low": 0, "high": 1},
        {"low": -3.5, "high": 2.5},
        {"low": 5, "high": 5},
        {"low": 5, "high": 1},
        {"low": NAN},
        {"high": 1e300},
        {"exclude_zero": True, "low": -1, "high": 2},
        {"noncontiguous": True},
        {"requires_grad": True},
        {"noncontiguous": True, "memory_format": "contiguous_format"},
    ]
    with Collected() as c:
        for kwargs, shape in itertools.product(options, [((2, 3),), (4,), ((),), ((0, 2),), (2, 3)]):
            c.check(compare_made, dtype, shape, kwargs)


def compare_made(dtype: str, shape: tuple, kwargs: dict) -> None:
    def made(library):
        library.manual_seed(5)
        own = {k: getattr(library, v) if k == "memory_format" else v for k, v in kwargs.items()}
        return library.testing.make_tensor(*shape, dtype=getattr(library, dtype), device="cpu", **own)

    mine, theirs = outcome(made, chainrule), outcome(made, torch)
    what = f"make_tensor({shape}, {dtype}, {kwargs})"
    assert words(mine[1]) == words(theirs[1]), what
    if mine[1] is None:
        assert_same(mine[0], theirs[0], what=what)
        assert tuple(mine[0].stride()) == tuple(theirs[0].stride()) or 0 in theirs[0].shape, what
        assert mine[0].requires_grad == theirs[0].requires_grad, what
