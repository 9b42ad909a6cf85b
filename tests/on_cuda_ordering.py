"""Sorting, running totals, elements by rank and counts, on a GPU: a program for tests/test_cuda_ordering.py."""

from __future__ import annotations

import chainrule as torch
from beside_cpu import FLOATS, INTEGERS, REAL, Near, case, drawn, each, indices, main, numbers

# ---- sorting


@case(*each(REAL, (1, 7, 100, 2049, 9000), (False, True)))
def sorted_rows(device: str, dtype: str, n: int, descending: bool) -> object:
    x = drawn(device, dtype, 3, n)
    return torch.sort(x, dim=1, stable=True, descending=descending)


@case(*each(("float32", "float64", "int64"), (5000,)))
def sorted_apart(device: str, dtype: str, n: int) -> object:
    x = drawn(device, dtype, n, 2, ties=False)
    return [
        torch.sort(x, dim=0, stable=True),
        x.argsort(dim=0, stable=True),
        torch.msort(x),
        x[:0].sort(),
        torch.sort(x[0, 0]),
    ]


# ---- running totals

SHAPES = ((1, 100000), (3, 1025), (70, 9), (1, 3, 1000, 4), (300, 40), (5, 64, 1))


@case(*each((*FLOATS, *INTEGERS, "bool", "complex64"), SHAPES))
def totals(device: str, dtype: str, shape: tuple) -> object:
    """Sums and products of whole numbers, which are the same in every order."""
    signs = drawn("cpu", "int64", *shape) % 2 * 2 - 1
    x = drawn("cpu", "int64", *shape).to(getattr(torch, dtype)).to(device)
    dim = len(shape) // 2 if len(shape) > 2 else 1
    small = x if dtype not in ("float16", "bfloat16") else x.clamp(0, 1)
    results = [small.cumsum(dim), signs.to(x.dtype).to(device).cumprod(dim)]
    if dtype != "complex64":
        results += [*x.cummax(dim), *x.cummin(dim)]
    return results


@case(*each(("float32", "float64"), SHAPES))
def extremes_with_nan(device: str, dtype: str, shape: tuple) -> object:
    x = drawn(device, dtype, *shape)
    return [*x.cummax(1), *x.cummin(1), x.cumsum(1).isnan()]


@case(*each(("float32", "float64", "complex64", "complex128"), SHAPES))
def rounded_totals(device: str, dtype: str, shape: tuple) -> object:
    x = torch.randn(shape, dtype=getattr(torch, dtype), generator=torch.Generator().manual_seed(3)).to(device)
    x.requires_grad_()
    near = [x.cumsum(1), (x / abs(x.detach())).cumprod(1), x.logcumsumexp(1)]
    total = sum((y * y.detach().conj()).real.sum() for y in near)
    return Near([*near, *torch.autograd.grad(total, x)])


# ---- elements by rank


def first_of_equals(x: torch.Tensor, dim: int, values: torch.Tensor, places: torch.Tensor) -> list:
    """Values, and whether the places, of which PyTorch leaves open which is taken, show them."""
    shown = torch.gather(x, dim, places)
    return [values, (shown == values) | (shown.isnan() & values.isnan())]


@case(*each((*FLOATS, *INTEGERS), (1, 9, 2048, 3000, 20000), (True, False)))
def top_elements(device: str, dtype: str, n: int, largest: bool) -> object:
    x = drawn(device, dtype, 3, n)
    results = []
    for k in (1, n // 2, n):
        values, places = x.topk(k, 1, largest=largest)
        results += first_of_equals(x, 1, values, places)
        results.append(places.sort(1).values.diff(dim=1).ne(0))  # none twice
        values, places = x.topk(k, 1, largest=largest, sorted=False)
        results += [values.sort(1).values, *first_of_equals(x, 1, values, places)[1:]]
    return results


@case(*each(("float32", "int64", "bfloat16"), (70000,)))
def top_of_long_rows(device: str, dtype: str, n: int) -> object:
    x = drawn(device, dtype, 2, n)
    results = []
    for k in (1, 4000):
        results += first_of_equals(x, 1, *x.topk(k, 1))
        results += first_of_equals(x, 1, *x.kthvalue(k, 1, keepdim=True))
    return [*results, x.nanmedian(), *x.nanmedian(1)]


@case(*each((*FLOATS, *INTEGERS), (1, 9, 2048, 3000, 20000)))
def ranks(device: str, dtype: str, n: int) -> object:
    x = drawn(device, dtype, 3, n)
    clean = torch.nan_to_num(x)
    results = [*x.median(1), x.median(), *x.nanmedian(1), x.nanmedian(), *clean.median(1), *clean.t().median(0)]
    for k in (1, (n + 1) // 2, n):
        results += first_of_equals(x, 1, *x.kthvalue(k, 1, keepdim=True))
    return results + first_of_equals(clean, 1, *clean.mode(1, keepdim=True))


@case(*each(FLOATS))
def all_nan(device: str, dtype: str) -> object:
    x = torch.full((2, 3000), float("nan"), dtype=getattr(torch, dtype), device=device)
    return [x.nanmedian(1), x.median(1), x.topk(2).values, x.mode(1).values, x[:, :5].median(1), x[:, :5].nanmedian(1)]


@case(*each((*FLOATS, *INTEGERS, "bool"), (0, 1, 300, 5000)))
def different(device: str, dtype: str, n: int) -> object:
    x = torch.nan_to_num(drawn(device, dtype, n))
    flat = [*torch.unique(x, return_inverse=True, return_counts=True)]
    return [*flat, *torch.unique_consecutive(x, return_inverse=True, return_counts=True)]


@case(*each((*FLOATS, *INTEGERS, "bool"), ((1, 1), (50, 2), (7, 5), (3000, 3))))
def different_slices(device: str, dtype: str, shape: tuple) -> object:
    x = torch.nan_to_num(drawn(device, dtype, *shape))
    results = []
    for dim in (0, 1):
        results += torch.unique(x, dim=dim, return_inverse=True, return_counts=True)
        results += torch.unique_consecutive(x, dim=dim, return_inverse=True, return_counts=True)
    return results


@case(*each(("float32", "float64")))
def different_nan(device: str, dtype: str) -> object:
    return list(torch.unique(drawn(device, dtype, 100), return_inverse=True, return_counts=True))


@case(*each((*FLOATS, *INTEGERS), (1, 10, 1000)))
def places_in_order(device: str, dtype: str, n: int) -> object:
    x = torch.nan_to_num(drawn(device, dtype, 4, n))
    boundaries, order = x.sort(1)
    values = drawn(device, dtype, 4, 33, seed=5)
    results = [torch.searchsorted(boundaries, values, right=r, out_int32=r) for r in (True, False)]
    results += [torch.bucketize(values, boundaries[0], right=r) for r in (True, False)]
    results.append(torch.searchsorted(x, values, sorter=order))
    return [*results, torch.searchsorted(x, values), torch.searchsorted(boundaries[:, :0], values)]


@case(*each(INTEGERS))
def bin_counts(device: str, dtype: str) -> object:
    x = drawn("cpu", dtype, 5000).abs().to(device)
    weights = numbers(device, "float32", 5000)
    results = [x.bincount(), x.bincount(minlength=100), x.bincount(weights), x[:0].bincount(minlength=3)]
    return [*results, x.bincount(weights.double()), x.bincount(weights.long())]


@case(*each(FLOATS, (1, 10, 5000)))
def histograms(device: str, dtype: str, bins: int) -> object:
    x = torch.nan_to_num(drawn(device, dtype, 3000, ties=False), 0, 1, 1)
    results = [x.histc(bins), x.histc(bins, min=-20, max=7), x.histc(bins, min=3, max=3), x[:0].histc(bins)]
    return [*results, x.abs().histc(bins, -9, 60)]


# ---- embeddings


@case(*each(("sum", "mean", "max"), ("float32", "float64"), (None, 3)))
def bags(device: str, mode: str, dtype: str, padding: int | None) -> object:
    table = numbers("cpu", dtype, 11, 5, seed=4).to(device).requires_grad_()
    at, starts = indices(device, 11, 50), torch.tensor([0, 0, 7, 20, 50]).to(device)
    f = torch.nn.functional.embedding_bag
    results = [f(at, table, starts, mode=mode, padding_idx=padding), f(at.reshape(5, 10), table, mode=mode)]
    if mode == "sum":
        weights = numbers(device, dtype, 50, seed=6)
        results.append(f(at, table, starts, mode=mode, per_sample_weights=weights))
    total = sum((y * y.detach()).sum() for y in results)
    return Near([*results, *torch.autograd.grad(total, table)])


@case(*each((1.0, 2.0, 3.5, float("inf")), ("float32", "float64")))
def shrunk(device: str, p: float, dtype: str) -> object:
    table = torch.randn(11, 300, generator=torch.Generator().manual_seed(2)).to(getattr(torch, dtype)).to(device)
    result = torch.nn.functional.embedding(indices(device, 9, 40), table, max_norm=2.0, norm_type=p)
    return Near([result, table])


if __name__ == "__main__":
    main()
