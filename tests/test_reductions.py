"""Reductions: NaN and ties, accuracy of long sums, dtypes, every set of dimensions, and refused arguments."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
import torch

import chainrule
from both import agree
from oracle import (
    Collected,
    assert_same,
    assert_same_gradients,
    assert_same_in_half,
    assert_same_outcome,
    gradients,
    ours,
    outcome,
)

NAMES = [
    "sum",
    "mean",
    "prod",
    "amax",
    "amin",
    "std",
    "var",
    "nansum",
    "nanmean",
    "logsumexp",
    "all",
    "any",
    "count_nonzero",
]


@pytest.mark.parametrize("name", NAMES)
def test_every_set_of_dimensions(name):
    """Of contiguous, transposed and sliced tensors, with and without keepdim: value and gradient."""
    whole = torch.from_numpy(np.random.default_rng(0).uniform(-2, 2, (3, 4, 2, 5)))
    sets = [d for n in range(1, 5) for d in itertools.combinations(range(4), n)] if name != "prod" else [0, 1, 2, 3]
    layouts = [lambda t: t, lambda t: t.permute(3, 1, 0, 2), lambda t: t[:, ::2, :, 1:]]
    with Collected() as c:
        for dims, layout, keepdim in itertools.product(sets, layouts, (False, True)):
            if name == "count_nonzero" and keepdim:
                continue
            options = {"keepdim": True} if keepdim else {}
            mine, reference = ours(whole).requires_grad_(), whole.clone().requires_grad_()
            found, expected = (
                getattr(layout(mine), name)(dims, **options),
                getattr(layout(reference), name)(dims, **options),
            )
            c.check(assert_same, found, expected, 1, f"{name} {dims} {keepdim}")
            given = gradients(torch, [expected], [reference])
            c.check(assert_same_gradients, gradients(chainrule, [found], [mine]), given, 10, f"{name} {dims} {keepdim}")


@pytest.mark.parametrize(
    "name", ["max", "min", "amax", "amin", "median", "cummax", "cummin", "argmax", "argmin", "aminmax"]
)
@pytest.mark.parametrize(
    "values",
    [
        [1.0, 3.0, 3.0, 2.0],
        [2.0, float("nan"), 5.0, float("nan")],
        [float("inf"), float("inf"), -float("inf"), 0.0],
        [0.0, -0.0, 0.0, -0.0],
    ],
)
def test_ties_and_nan(name, values):
    """Which of equal elements is named, and how they share the gradient, is as in PyTorch."""
    for args in [(), (0,)] if "cum" not in name else [(0,)]:
        if name == "aminmax" and args:
            continue
        mine, reference = chainrule.tensor(values, requires_grad=True), torch.tensor(values, requires_grad=True)
        found, expected = getattr(chainrule, name)(mine, *args), getattr(torch, name)(reference, *args)
        found, expected = ([found], [expected]) if isinstance(expected, torch.Tensor) else (list(found), list(expected))
        for m, r in zip(found, expected, strict=True):
            assert_same(m, r)
        if expected[0].requires_grad:
            assert_same_gradients(gradients(chainrule, found, [mine]), gradients(torch, expected, [reference]), 1, name)


@pytest.mark.parametrize("length", [1000, 100_000, 1_000_003])
@pytest.mark.parametrize("name", ["sum", "mean", "var", "logsumexp"])
def test_long_float32_sums_are_accurate(length, name):
    """Not further from the float64 result than PyTorch's own answer may be."""
    array = np.random.default_rng(0).uniform(0, 1, length).astype(np.float32)
    args = (0,) if name == "logsumexp" else ()
    exact = getattr(torch.from_numpy(array).double(), name)(*args).item()
    found = getattr(chainrule.from_numpy(array), name)(*args).item()
    assert abs(found - exact) <= 2e-6 * abs(exact)


@pytest.mark.parametrize(
    "name", ["sum", "mean", "prod", "cumsum", "cumprod", "softmax", "log_softmax", "nansum", "norm"]
)
def test_dtype_argument(name):
    dtypes = ["int64", "float32", "float64", "float16", "complex64"]
    with Collected() as c:
        for source, target in itertools.product(dtypes, dtypes):
            if source == "complex64" and target != "complex64":
                continue  # PyTorch warns of the lost imaginary part
            reference = torch.tensor([1, 2, 3]).to(getattr(torch, source))

            def make(library, x, target=target):
                args = (0,) if name.startswith("cum") or "softmax" in name else ()
                return getattr(library, name)(x, *args, dtype=getattr(library, target))

            found, expected = outcome(make, chainrule, ours(reference)), outcome(make, torch, reference)
            c.check(assert_same_outcome, found, expected, 1, f"{name} {source} {target}")


@pytest.mark.parametrize(
    "make",
    [
        lambda t: t.zeros(2).sum(1),
        lambda t: t.zeros(2).sum(-2),
        lambda t: t.zeros(2, 3).sum((0, 0)),
        lambda t: t.zeros(0).max(),
        lambda t: t.zeros(0).argmax(),
        lambda t: t.zeros(0, 3).amax(0),
        lambda t: t.zeros(0).amin(),
        lambda t: t.zeros(2).softmax(3),
        lambda t: t.zeros(2).sum("a"),
        lambda t: t.zeros(2).sum(1.5),
        lambda t: t.ones(2, dtype=t.int64).mean(),
        lambda t: t.ones(2, dtype=t.bool).std(),
        lambda t: t.zeros(2).cumsum(),
        lambda t: t.zeros(2).max(0, 1, 2),
        lambda t: t.zeros(0, 3).max(0),
        lambda t: t.zeros(2).logsumexp(),
        lambda t: t.zeros(2, dtype=t.complex64).max(),
        lambda t: t.zeros(2).prod((0,)),
        lambda t: t.zeros(2).sum(10**10),
        lambda t: t.zeros(2).norm(p="nuc"),
        lambda t: t.zeros(0).aminmax(),
        lambda t: t.zeros(2).var(correction=5),
    ],
)
@pytest.mark.filterwarnings("ignore:var")
def test_bad_arguments(make):
    assert_same_outcome(outcome(make, chainrule), outcome(make, torch))


def test_named_results():
    values, indices = chainrule.tensor([[1.0, 5.0], [7.0, 2.0]]).max(1)
    result = chainrule.tensor([[1.0, 5.0], [7.0, 2.0]]).max(dim=1)
    assert (values.tolist(), indices.tolist()) == ([5.0, 7.0], [1, 0])
    assert (result.values.tolist(), result.indices.tolist()) == ([5.0, 7.0], [1, 0])
    assert chainrule.aminmax(chainrule.arange(3)).max.item() == 2


@pytest.mark.parametrize("name", ["aminmax", "var_mean", "std_mean"])
def test_two_results_of_one_node(name):
    x = chainrule.tensor([1.0, 5.0, 3.0], requires_grad=True)
    first, second = getattr(chainrule, name)(x)
    assert first.grad_fn is second.grad_fn
    assert (first.output_nr, second.output_nr) == (0, 1)


def test_aminmax_writes_into_out():
    def program(t):
        out = t.empty(0), t.empty(0)
        result = t.aminmax(t.tensor([[1.0, 5.0], [7.0, 3.0]]), dim=0, out=out)
        return result[0] is out[0], result.max is out[1], out

    agree(program)


@pytest.mark.parametrize("name", ["logsumexp", "logcumsumexp"])
def test_exponentials_of_large_complex_numbers(name):
    """None overflows, and running angles go on past a turn as PyTorch's do."""
    values = [1000 + 2j, 3 - 1j, 1000 - 5j]
    results = []
    for library in (chainrule, torch):
        x = library.tensor(values, dtype=library.complex128, requires_grad=True)
        y = getattr(library, name)(x, 0)
        results.append((y.detach().tolist(), library.autograd.grad(y.real.sum(), x)[0].tolist()))
    for mine, theirs in zip(*results, strict=True):
        np.testing.assert_allclose(mine, theirs, atol=1e-9)


@pytest.mark.parametrize("name", ["max", "min"])
def test_extremes_of_two_integers(name):
    """The second is not taken for a dimension."""
    assert getattr(chainrule, name)(chainrule.tensor(3), chainrule.tensor(6)).item() == {"max": 6, "min": 3}[name]


OUTPUTS = {
    "any into floats": lambda torch: torch.any(torch.ones(3), out=torch.empty(0)),
    "all into integers": lambda torch: torch.all(torch.ones(3), 0, out=torch.empty((), dtype=torch.int64)),
    "any into bytes": lambda torch: torch.any(torch.ones(3), out=torch.empty((), dtype=torch.uint8)),
    "all into truth values": lambda torch: torch.all(torch.ones(2, 2), 1, out=torch.empty(2, dtype=torch.bool)),
    "mean in another dtype": lambda torch: torch.mean(
        torch.ones(2), 0, dtype=torch.float32, out=torch.empty((), dtype=torch.float64)
    ),
    "mean in the output's dtype": lambda torch: torch.mean(torch.ones(2), 0, out=torch.empty((), dtype=torch.float64)),
    "median of all": lambda torch: torch.median(torch.ones(3), out=torch.empty(())),
    "cat into integers": lambda torch: torch.cat([torch.ones(2)], out=torch.empty(0, dtype=torch.int64)),
    "stack into integers": lambda torch: torch.stack([torch.ones(2)], out=torch.empty(0, dtype=torch.int64)),
    "hstack into floats": lambda torch: torch.hstack([torch.ones(2, dtype=torch.int64)], out=torch.empty(0)),
}


@pytest.mark.parametrize("program", OUTPUTS.values(), ids=OUTPUTS.keys())
def test_what_an_output_may_be(program):
    agree(program)


@pytest.mark.parametrize("values", [[1.0, 2.0, np.inf], [np.inf, 1.0, 2.0], [np.inf, -np.inf], [1.0, np.nan]])
def test_the_mean_beside_a_variance_runs_along(values):
    """As PyTorch's, it is NaN once anything follows an infinite element."""
    for name in ("var_mean", "std_mean"):
        agree(lambda torch, name=name: [str(t.tolist()) for t in getattr(torch, name)(torch.tensor(values))])
        rows = [values, [1.0] * len(values)]
        agree(
            lambda torch, name=name, rows=rows: [str(t.tolist()) for t in getattr(torch, name)(torch.tensor(rows), 1)]
        )


def test_narrow_integers_wrap_around_before_they_go_into_a_wider_output():
    def program(torch):
        a, b = (torch.tensor(values, dtype=torch.uint8) for values in ([2, 1], [255, 2]))
        return torch.sub(a, b, out=torch.empty(0, dtype=torch.int64))

    agree(program)


def test_a_mean_has_no_integer_dtype():
    agree(lambda torch: torch.ones(2).nanmean(dtype=torch.int64), words=8)


ROW_LENGTHS = [1, 2, 3, 5, 7, 8, 9, 31, 127, 128, 129]


def short_rows(n, dtype):
    """A few rows more than one block holds, with ties, infinities and NaN."""
    rng = np.random.default_rng(n)
    x = torch.from_numpy(rng.integers(-4, 5, (4200 // n + 3, n)) * 0.75).to(dtype)
    if dtype.is_floating_point:
        for row, value in enumerate((np.nan, np.inf, -np.inf)):
            x[row, n // 2] = value
        x[3] = -np.inf
    return x


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64, torch.bfloat16, torch.int64, torch.uint8])
@pytest.mark.parametrize("name", ["max", "min", "amax", "amin", "argmax", "argmin"])
def test_extremes_of_short_rows(name, dtype):
    with Collected() as c:
        for n in ROW_LENGTHS:
            x = short_rows(n, dtype)
            for layout in (lambda t: t, lambda t: t[1:, ::2], lambda t: t[::3].t().contiguous().t()):
                found, expected = (getattr(layout(t), name)(dim=1) for t in (ours(x), x))
                pairs = zip(found, expected, strict=True) if isinstance(expected, tuple) else [(found, expected)]
                for mine, reference in pairs:
                    c.check(assert_same, mine, reference, 1, f"{name} {n}")


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64, torch.bfloat16])
@pytest.mark.parametrize("name", ["softmax", "log_softmax"])
def test_softmax_of_short_rows(name, dtype):
    """The rows go together, and each is what it is alone."""
    with Collected() as c:
        for n in ROW_LENGTHS:
            x = short_rows(n, dtype)
            mine, reference = ours(x).requires_grad_(), x.clone().requires_grad_()
            found, expected = getattr(mine, name)(1), getattr(reference, name)(1)
            if dtype is torch.bfloat16:
                c.check(assert_same_in_half, found, expected, getattr(x.double(), name)(1), 1, f"{name} {n}")
            else:
                c.check(assert_same, found, expected, 1, f"{name} {n}")
                given = gradients(torch, [expected], [reference])
                c.check(assert_same_gradients, gradients(chainrule, [found], [mine]), given, 4, f"{name} {n}")
            alone = chainrule.cat([getattr(mine[i : i + 1], name)(1) for i in range(20)])
            assert bool((found[:20] == alone).logical_or(alone.isnan()).all()), n


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("value", [0.02, 0.1, 0.0094, 1e-8, 3e5])
def test_equal_elements_have_no_negative_variance(value, dtype):
    x = chainrule.full((110, 7), value, dtype=getattr(chainrule, dtype))
    for spread in (x.var(), x[:, 0].var(), x.var(0), x.T.var(1), x[:, :1].var(0)):
        assert (spread >= 0).all()
        assert (spread.sqrt() <= abs(value) * 1e-6).all()
