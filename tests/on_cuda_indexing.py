"""Reading and writing at positions and under masks, on a GPU: a program for tests/test_cuda_ordering.py."""

from __future__ import annotations

import chainrule as torch
from beside_cpu import COMPLEX, FLOATS, INTEGERS, REAL, case, drawn, each, indices, main, numbers

# ---- positions


@case(*each((*REAL, *COMPLEX), (0, 1, -1)))
def gather(device: str, dtype: str, dim: int) -> object:
    x = numbers(device, dtype, 5, 4, 6)
    return torch.gather(x, dim, indices(device, x.shape[dim], 3, 4, 6 if dim == 0 else 5))


@case(*each((*REAL, *COMPLEX), (0, 1)))
def scatter(device: str, dtype: str, dim: int) -> object:
    x, source = numbers(device, dtype, 7, 8), numbers(device, dtype, 7, 8, seed=2)
    apart = torch.argsort(torch.rand(7, 8, generator=torch.Generator().manual_seed(3)), dim).to(device)
    at = indices(device, 7, 7, 8)
    results = [
        x.scatter(dim, apart, source),
        x.scatter_add(dim, at, source),
        x.t().scatter_add(dim, at.t(), source.t()),
    ]
    return [*results, x.scatter(dim, apart[:2, :3], True if dtype == "bool" else 2)]


@case(*each((*FLOATS, *INTEGERS), ("sum", "prod", "amax", "amin", "mean"), (True, False)))
def scatter_reduce(device: str, dtype: str, how: str, include: bool) -> object:
    x, source = numbers(device, dtype, 7, 8), numbers(device, dtype, 7, 8, seed=2)
    return x.scatter_reduce(0, indices(device, 7, 7, 8), source, how, include_self=include)


@case(*each((*REAL, *COMPLEX)))
def indexed(device: str, dtype: str) -> object:
    x = numbers(device, dtype, 6, 5, 4)
    i, j = indices(device, 6, 3, 1), indices(device, 4, 1, 7, seed=4)
    y = x.clone()
    y[i - 6, :, j] = x[0, 0, 0]
    z = x.clone()
    z[indices(device, 6, 0)] = x[0]
    return [x[i], x[i, :, j], x[:, i % 5], x.transpose(0, 2)[j % 4, ..., i], x[i - 6], y, z, x[x[:, 0, 0] != 1]]


@case(*each((*REAL, *COMPLEX)))
def index_put(device: str, dtype: str) -> object:
    x, i = numbers(device, dtype, 6, 5, 4), indices(device, 6, 40)
    values = numbers(device, dtype, 40, 5, 4, seed=5)
    results = [x.index_put((i,), values, accumulate=True), x.index_put((i,), values[0, 0, 0], accumulate=True)]
    j = indices(device, 4, 40, seed=6)
    results.append(x.index_put((i, i % 5, j), values[:, 0, 0], accumulate=True))
    results.append(x.index_put((i[:1], j[:1]), values[:1, 0, :1]))
    return [*results, torch.index_add(x, 1, i % 5, numbers(device, dtype, 6, 40, 4, seed=7))]


@case(("float32",), ("float64",), ("float16",))
def sums_in_order(device: str, dtype: str) -> object:
    """Many slices come to the same place: sums are those of the CPU, to the bit where it does not round each."""
    values = torch.randn(3000, 3, generator=torch.Generator().manual_seed(8)).to(getattr(torch, dtype)).to(device)
    x = torch.zeros(5, 3, dtype=values.dtype, device=device)
    result = x.index_put((indices(device, 5, 3000),), values, accumulate=True)
    return result if dtype != "float16" else result.isfinite()


@case(*each(("float32", "int64", "complex64")))
def taken(device: str, dtype: str) -> object:
    x = numbers(device, dtype, 4, 5)
    at = indices(device, 20, 3, 4)
    put = x.t().clone(memory_format=torch.preserve_format).put(at[:1], x.reshape(-1)[:4], accumulate=True)
    return [x.take(at - 20), x.t().take(at), put, x.index_select(1, at[0] % 5), x.index_fill(0, at[0] % 4, 9)]


@case(("int64",), ("int32",))
def repeated(device: str, dtype: str) -> object:
    times = indices(device, 6, 3000).to(getattr(torch, dtype))
    return [
        torch.repeat_interleave(times),
        torch.repeat_interleave(times[:0]),
        torch.arange(3, device=device).repeat_interleave(2),
    ]


@case()
def gradients_of_positions(device: str) -> object:
    x = numbers(device, "float64", 6, 5).requires_grad_()
    i = indices(device, 6, 9, 5)
    total = (x.gather(0, i) ** 2).sum() + (x[i[:, 0]] ** 3).sum() + (x.masked_fill(x > 2, 0) * 2).sum()
    return torch.autograd.grad(total, x)


# ---- masks


@case(*each((*REAL, *COMPLEX), (5, 3000)))
def masked(device: str, dtype: str, n: int) -> object:
    x, mask = numbers(device, dtype, n, 7), drawn(device, "bool", n, 7)
    source = numbers(device, dtype, n * 7, seed=9)
    value = False if dtype == "bool" else 7
    results = [x.masked_fill(mask, value), x.masked_select(mask), x.masked_scatter(mask, source), x[mask]]
    row = mask[:, :1]
    results += [x.masked_fill(row, value), x.masked_select(row), x.t().masked_select(mask.t()), x[mask[:, 0]]]
    results += [x.masked_select(mask & ~mask), x.masked_select(mask | ~mask), x.t().masked_scatter(mask.t(), source)]
    y = x.clone()
    y[mask] = source[: int(mask.sum())]
    return [*results, y, torch.nonzero(mask), torch.nonzero(x), torch.argwhere(mask.t()), mask.nonzero(as_tuple=True)]


@case((0,), (1,), (2048,), (2049,), (70000,))
def counted(device: str, n: int) -> object:
    mask, one = drawn(device, "bool", n), torch.tensor(True, device=device)
    return [
        mask.nonzero(),
        mask.count_nonzero(),
        mask.reshape(-1, 1).expand(-1, 2).nonzero(),
        one.nonzero(),
    ]


# ---- order of elements, ranges, triangles


@case(*each((*REAL, *COMPLEX)))
def flipped(device: str, dtype: str) -> object:
    x = numbers(device, dtype, 3, 4, 5)
    return [x.flip(0), x.flip(1), x.flip(2), x.flip(0, 2), x.flip(0, 1, 2), x.transpose(0, 2).flip(1), x[:0].flip(0)]


@case(*each((*FLOATS, *INTEGERS)))
def ranges(device: str, dtype: str) -> object:
    of = {"dtype": getattr(torch, dtype), "device": device}
    results = [torch.arange(0, 100, 3, **of), torch.arange(5, 5, **of), torch.linspace(0, 100, 11, **of)]
    return [*results, torch.linspace(1, 1, 1, **of), torch.arange(9, -9, -2, **of) if dtype != "uint8" else results[0]]


@case(*each((*REAL, *COMPLEX), (-7, -1, 0, 2, 9)))
def triangles(device: str, dtype: str, k: int) -> object:
    x = numbers(device, dtype, 2, 5, 4)
    return [
        x.tril(k),
        x.triu(k),
        x.mT.triu(k),
        torch.tril_indices(5, 4, k, device=device),
        torch.triu_indices(5, 4, k, device=device),
    ]


if __name__ == "__main__":
    main()
