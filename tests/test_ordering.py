"""Ordering, searching and counting where the samples do not reach: long rows, ties, NaN, odd arguments."""

from __future__ import annotations

import itertools

import pytest
import torch

import chainrule
from oracle import INTEGERS, Collected, assert_all_same, assert_same, flat, ours, outcome

REAL = ("bool", *INTEGERS, "float16", "bfloat16", "float32", "float64")
NUMBERS = REAL[1:]
LENGTHS = (17, 40, 49, 300, 4095, 4096, 20_000)


def drawn(n: int, dtype: str, kind: str, seed: int = 0) -> torch.Tensor:
    """Numbers with many ties, with few, or from the whole range of the dtype."""
    generator = torch.Generator().manual_seed(seed)
    if kind == "ties":
        return torch.randint(0, 4, (n,), generator=generator).to(getattr(torch, dtype))
    if dtype.startswith(("float", "bfloat")):
        x = torch.randn(n, dtype=torch.float64, generator=generator)
        x = x * 10.0 ** torch.randint(-30, 30, (n,), generator=generator) if kind == "wide" else x
        x[torch.randint(0, n, (3,), generator=generator)] = float("nan")
        x[torch.randint(0, n, (6,), generator=generator)] *= 0.0
        return x.to(getattr(torch, dtype))
    limit = 2**62 if kind == "wide" else 100
    return torch.randint(0 if dtype == "uint8" else -limit, limit, (n,), generator=generator).to(getattr(torch, dtype))


def compare(name: str, x: torch.Tensor, *args, **kwargs) -> None:
    what = f"{name} {tuple(x.shape)} {x.dtype} {args} {kwargs}"
    mine = getattr(chainrule, name)(ours(x), *args, **kwargs)
    assert_all_same(flat(mine), flat(getattr(torch, name)(x, *args, **kwargs)), 1, what)


@pytest.mark.parametrize("kind", ["ties", "few", "wide"])
@pytest.mark.parametrize("dtype", REAL)
def test_long_rows(dtype, kind):
    """Values and indices, those of equal elements too."""
    with Collected() as c:
        for n in LENGTHS:
            x = drawn(n, dtype, kind, n)
            for descending in (False, True):
                c.check(compare, "sort", x, stable=True, descending=descending)
                c.check(compare, "argsort", x, stable=True, descending=descending)
            if dtype == "bool":
                continue
            for k in (1, n // 100 + 1, n // 3, n):
                for largest in (False, True):
                    c.check(compare, "topk", x, k, 0, largest)
                c.check(compare, "topk", x, k, sorted=False)
                c.check(compare, "kthvalue", x, k)
            c.check(compare, "median", x, 0)
            c.check(compare, "nanmedian", x, 0)
            c.check(compare, "median", x)
            if not x.isnan().any():  # PyTorch leaves the order of several NaN to chance, or to a broken comparison
                c.check(compare, "unique", x, return_inverse=True, return_counts=True)
                c.check(compare, "mode", x)


@pytest.mark.parametrize("shape", [(70, 60), (3, 50, 40), (1, 5000), (5000, 1)])
def test_every_dimension(shape):
    x = torch.randn(shape, generator=torch.Generator().manual_seed(1))
    with Collected() as c:
        for view in (x, x.mT.contiguous().mT, x.flip(0)):
            for dim in range(x.ndim):
                for name, args in [("sort", ()), ("argsort", ()), ("median", ()), ("mode", ())]:
                    c.check(compare, name, view, dim, *args)
                c.check(compare, "topk", view, 1, dim)
                c.check(compare, "kthvalue", view, 1, dim)


def test_sorted_layout():
    """The results have the input's order of dimensions in memory, as PyTorch's."""
    for shape in [(3, 4, 5), (2, 1, 3)]:
        for order in [(0, 1, 2), (2, 0, 1), (1, 2, 0)]:
            x = torch.zeros(shape).permute(order)
            mine = chainrule.zeros(shape).permute(order)
            for dim in range(3):
                expected = [t.stride() for t in x.sort(dim)]
                assert [t.stride() for t in mine.sort(dim)] == expected
    assert chainrule.ones(3, 3).nonzero().stride() == torch.ones(3, 3).nonzero().stride()


def test_where_of_a_condition_alone() -> None:
    for shape in [(2, 3), (0, 3), ()]:
        condition = torch.ones(shape) > 0
        assert_all_same(chainrule.where(ours(condition)), torch.where(condition))
        assert_all_same(chainrule.where(condition=ours(condition)), torch.where(condition=condition))


def test_equal_elements_of_an_unstable_sort():
    """PyTorch's order in rows that are not long; in long ones they stay in the order they had."""
    with Collected() as c:
        for dtype in REAL:
            for n in (16, 17, 48, 49, 1000, 16_383):
                x = drawn(n, dtype, "ties", n)
                for descending in (False, True):
                    c.check(compare, "sort", x, descending=descending)
                    c.check(compare, "argsort", x, stable=False, descending=descending)
            x = drawn(20_000, dtype, "ties")
            c.check(assert_all_same, list(ours(x).sort()), list(x.sort(stable=True)))


def test_a_wide_range_with_long_runs():
    """Keys that agree in their highest 32 bits, many of them, beside one far away."""
    x = torch.cat([torch.randint(0, 1000, (3000,)), torch.tensor([2**62]), torch.randint(0, 2**20, (3000,))])
    compare("sort", x, stable=True)
    compare("sort", x.double() * 1e-300, stable=True, descending=True)


def test_median_along_an_expanded_dimension():
    """PyTorch 2.13 reads elements of other rows there."""
    x = chainrule.tensor([[1.0, 5.0, 3.0]]).expand(4, 3)
    assert x.median(0).values.tolist() == [1.0, 5.0, 3.0]
    assert x.median(0).indices.tolist() == [1, 1, 1]


def test_mode_of_nan():
    """NaN equals nothing, itself included."""
    nan = float("nan")
    assert chainrule.tensor([nan, 2.0, nan, 2.0, nan]).mode().values.item() == 2
    assert chainrule.tensor([nan, nan, nan, 7.0]).mode().values.item() == 7


def test_histc_counts_beyond_the_precision_of_halves():
    """PyTorch counts in the dtype itself and gets stuck, at a count that depends on the number of threads."""
    assert chainrule.ones(5000, dtype=chainrule.float16).histc(1).item() == 5000
    assert chainrule.ones(5000, dtype=chainrule.float64).histc(3).tolist() == [0, 5000, 0]


def test_search_in_boundaries_out_of_order():
    """What comes out is PyTorch's, the halves being the same."""
    with Collected() as c:
        for seed in range(20):
            boundaries = drawn(seed + 1, "float32", "few", seed)
            values = drawn(50, "float32", "few", 99 + seed)
            for right in (False, True):
                mine = chainrule.searchsorted(ours(boundaries), ours(values), right=right)
                c.check(assert_all_same, [mine], [torch.searchsorted(boundaries, values, right=right)])


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64, torch.bfloat16, torch.int64, torch.uint8, torch.bool])
@pytest.mark.parametrize("n", [0, 1, 2, 1001])
def test_runs_of_equal_elements(n, dtype):
    x = torch.randint(0, 3, (n,), generator=torch.Generator().manual_seed(n)).to(dtype)
    if dtype.is_floating_point and n > 2:
        x[5:8] = float("nan")  # each is a run of its own
    with Collected() as c:
        for given in (x, x[::3], x.repeat_interleave(4)):
            found = chainrule.unique_consecutive(ours(given), True, True)
            for mine, reference in zip(found, torch.unique_consecutive(given, True, True), strict=True):
                c.check(assert_same, mine, reference, 1, f"{n} {dtype}")


def test_unique_consecutive_by_position():
    """PyTorch 2.13 forgets a flag that is given by position."""
    x = chainrule.tensor([1, 1, 2, 1])
    assert [t.tolist() for t in chainrule.unique_consecutive(x, True)] == [[1, 2, 1], [0, 0, 1, 2]]
    assert [t.tolist() for t in chainrule.unique_consecutive(x, False, True)] == [[1, 2, 1], [2, 1, 1]]


def test_triangles_of_any_height():
    assert chainrule.triu_indices(2**60, 2).tolist() == [[0, 0, 1], [0, 1, 1]]
    assert chainrule.tril_indices(2**60, 2, -(2**60) + 1).tolist() == [[2**60 - 1], [0]]
    assert chainrule.tril_indices(2, 2**60, -1).tolist() == [[1], [0]]
    assert chainrule.tril_indices(2, 2, 2**63 - 1).shape == (2, 4)
    with pytest.raises(RuntimeError):  # too many to count one by one
        chainrule.tril_indices(2**40, 2)
    with pytest.raises(RuntimeError):
        chainrule.triu_indices(2**63 - 1, 2**63 - 1)
    for rows, columns, offset in itertools.product(range(4), range(4), range(-5, 6)):
        for name in ("tril_indices", "triu_indices"):
            mine, reference = (getattr(t, name)(rows, columns, offset) for t in (chainrule, torch))
            assert mine.tolist() == reference.tolist()
    assert chainrule.triu_indices(2, 2, -(2**63)).shape == (2, 4)


def test_node_names():
    x = chainrule.randn(3, 4, requires_grad=True)
    y = torch.randn(3, 4, requires_grad=True)
    calls = [
        lambda t, x: t.sort(x)[0],
        lambda t, x: t.sort(x, stable=True)[0],
        lambda t, x: t.msort(x),
        lambda t, x: t.topk(x, 2)[0],
        lambda t, x: t.kthvalue(x, 2)[0],
        lambda t, x: t.median(x),
        lambda t, x: t.median(x, 0)[0],
        lambda t, x: t.nanmedian(x),
        lambda t, x: t.nanmedian(x, 0)[0],
        lambda t, x: t.mode(x)[0],
        lambda t, x: t.unique(x),
        lambda t, x: t.unique(x, dim=0),
        lambda t, x: t.unique_consecutive(x),
    ]
    for f in calls:
        assert f(chainrule, x).grad_fn.name() == f(torch, y).grad_fn.name()
    for f in (lambda t, x: t.argsort(x), lambda t, x: t.searchsorted(x, x), lambda t, x: t.histc(x)):
        assert not f(chainrule, x).requires_grad


def test_unique_has_no_derivative():
    x = chainrule.tensor([1.0, 2.0, 1.0], requires_grad=True)
    with pytest.raises(NotImplementedError, match="the derivative for '_unique2' is not implemented"):
        x.unique().sum().backward()


MATRIX = [[3.0, 1.0, 2.0], [6.0, 5.0, 4.0]]
REFUSED = {
    "sort of complex": lambda t, x: t.sort(x + 0j),
    "argsort of complex": lambda t, x: t.argsort(x + 0j),
    "sort dim": lambda t, x: t.sort(x, 5),
    "sort stable by position": lambda t, x: t.sort(x, 0, stable=True),
    "argsort stable=None": lambda t, x: t.argsort(x, stable=None),
    "topk k": lambda t, x: t.topk(x, 9),
    "topk negative": lambda t, x: t.topk(x, -1),
    "topk of bool": lambda t, x: t.topk(x > 0, 1),
    "topk of complex": lambda t, x: t.topk(x + 0j, 1),
    "topk str": lambda t, x: t.topk(x, "a"),
    "kthvalue 0": lambda t, x: t.kthvalue(x, 0),
    "kthvalue of bool": lambda t, x: t.kthvalue(x > 0, 1),
    "kthvalue of nothing": lambda t, x: t.kthvalue(x[:, :0], 1),
    "median of nothing": lambda t, x: t.median(x[:, :0], 1),
    "median of bool": lambda t, x: t.median(x > 0),
    "median dim of bool": lambda t, x: t.median(x > 0, 0),
    "mode of nothing": lambda t, x: t.mode(x[:, :0], 1),
    "mode of complex": lambda t, x: t.mode(x + 0j),
    "unique of complex": lambda t, x: t.unique(x + 0j),
    "unique dim of complex": lambda t, x: t.unique(x + 0j, dim=0),
    "unique dim of 0-d": lambda t, x: t.unique(x[0, 0], dim=0),
    "unique of an empty side": lambda t, x: t.unique(x[:, :0], dim=0),
    "unique of two empty sides": lambda t, x: t.unique(x[:0, :0], dim=0),
    "searchsorted rows": lambda t, x: t.searchsorted(x, x[:1]),
    "searchsorted number": lambda t, x: t.searchsorted(x, 2.0),
    "searchsorted of 0-d": lambda t, x: t.searchsorted(x[0, 0], x),
    "searchsorted side": lambda t, x: t.searchsorted(x[0], x, side="up"),
    "searchsorted opposites": lambda t, x: t.searchsorted(x[0], x, side="left", right=True),
    "searchsorted sorter size": lambda t, x: t.searchsorted(x[0], x, sorter=t.tensor([0])),
    "searchsorted sorter dtype": lambda t, x: t.searchsorted(x[0], x, sorter=x[0]),
    "searchsorted sorter range": lambda t, x: t.searchsorted(x[0], x, sorter=t.tensor([0, 1, 3])),
    "searchsorted of bool": lambda t, x: t.searchsorted(x[0] > 0, x > 0),
    "bucketize rows": lambda t, x: t.bucketize(x, x),
    "bincount of floats": lambda t, x: t.bincount(x[0]),
    "bincount of rows": lambda t, x: t.bincount(x.long()),
    "bincount negative": lambda t, x: t.bincount(t.tensor([1, -1])),
    "bincount weights": lambda t, x: t.bincount(t.tensor([1, 1]), x[0]),
    "bincount minlength": lambda t, x: t.bincount(t.tensor([1, 1]), minlength=-1),
    "histc of integers": lambda t, x: t.histc(x.long()),
    "histc of complex": lambda t, x: t.histc(x + 0j),
    "histc bins": lambda t, x: t.histc(x, 0),
    "histc range": lambda t, x: t.histc(x, 3, 2, 1),
    "histc nan": lambda t, x: t.histc(x, 3, float("nan"), 1),
    "histc inf": lambda t, x: t.histc(x, 3, 0, float("inf")),
    "histc of nan": lambda t, x: t.histc(x * float("nan")),
    "nonzero_static size": lambda t, x: t.nonzero_static(x, size=-1),
    "nonzero as_tuple out": lambda t, x: t.nonzero(x, as_tuple=True, out=t.empty(0, dtype=t.int64)),
    "tril_indices": lambda t, x: t.tril_indices(-1, 2),
    "triu_indices dtype": lambda t, x: t.triu_indices(2, 2, dtype=t.float32),
    "sort out dtype": lambda t, x: t.sort(x, out=(t.empty(0), t.empty(0))),
    "sort out type": lambda t, x: t.sort(x, out=(1, 2)),
    "sort out count": lambda t, x: t.sort(x, out=(t.empty(0),)),
    "sort out tensor": lambda t, x: t.sort(x, out=t.empty(2, 2)),
    "kthvalue out of its own": lambda t, x: t.kthvalue(x, 1, out=(x, t.empty(0, dtype=t.int64))),
    "max out type": lambda t, x: t.max(x, 0, out=(1, 2)),
    "searchsorted out dtype": lambda t, x: t.searchsorted(x[0], x, out=t.empty(0)),
}
# Words that PyTorch chooses by overload or by kernel; ours name the argument.
OTHER_WORDS = {"sort stable by position", "argsort stable=None", "searchsorted out dtype"}
OTHER_WORDS |= {"sort out type", "sort out count", "sort out tensor", "max out type", "histc of nan"}


@pytest.mark.parametrize("name", REFUSED)
def test_refusals(name):
    """PyTorch's class and first words."""
    _, error = outcome(REFUSED[name], chainrule, chainrule.tensor(MATRIX))
    _, expected = outcome(REFUSED[name], torch, torch.tensor(MATRIX))
    assert expected is not None
    assert isinstance(error, type(expected)), f"{error!r} instead of {expected!r}"
    if name not in OTHER_WORDS:
        first, wanted = (str(e).strip().split("\n")[0] for e in (error, expected))
        assert first.startswith(wanted.rstrip(".")), f"{first}\n{wanted}"


@pytest.mark.parametrize("name", ["sort", "topk", "kthvalue", "median", "nanmedian", "mode"])
def test_out_of_two(name):
    args = {"topk": (2,), "kthvalue": (2,), "median": (1,), "nanmedian": (1,)}.get(name, ())
    expected = getattr(torch, name)(torch.tensor(MATRIX), *args)
    for shape in [(0,), tuple(expected[0].shape)]:
        out = (chainrule.empty(shape), chainrule.empty(shape, dtype=chainrule.int64))
        result = getattr(chainrule, name)(chainrule.tensor(MATRIX), *args, out=out)
        assert_all_same(list(out), list(expected))
        assert_all_same([result.values, result.indices], list(expected))


def test_threads_do_not_matter():
    x = drawn(60_000, "float32", "few").reshape(30, 2000)
    before = chainrule.get_num_threads()
    try:
        results = []
        for threads in (1, 4):
            chainrule.set_num_threads(threads)
            y = ours(x)
            results.append([*y.sort(), *y.topk(7), *y.median(1), *y.T.mode(0)])
    finally:
        chainrule.set_num_threads(before)
    for one, four in zip(*results, strict=True):
        assert one.nan_to_num().eq(four.nan_to_num()).all()
