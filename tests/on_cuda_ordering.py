"""Ordering and indexing on a GPU beside the CPU, which is held to PyTorch elsewhere.

A program for tests/test_cuda_ordering.py, in a process that has a GPU or an emulated one. It prints what went wrong, a
line a case, and which kernels had to be done on the host.
"""

from __future__ import annotations

import sys
from collections.abc import Callable

import chainrule as torch

FLOATS = ("float32", "float64", "float16", "bfloat16")
INTEGERS = ("int64", "int32", "int16", "int8", "uint8")
REAL = (*FLOATS, *INTEGERS, "bool")
COMPLEX = ("complex64", "complex128")
CASES: dict[str, Callable[[str], object]] = {}  # what each gives on the device of that name


def case(*arguments: tuple) -> Callable:
    """Registers a function once for each set of arguments that follow the device."""

    def register(f: Callable) -> Callable:
        for a in arguments or ((),):
            CASES[" ".join(map(str, (f.__name__, *a)))] = lambda device, a=a: f(device, *a)
        return f

    return register


def each(*lists: tuple) -> list[tuple]:
    """All combinations of one value of each list."""
    chosen: list[tuple] = [()]
    for values in lists:
        chosen = [(*c, v) for c in chosen for v in values]
    return chosen


def drawn(device: str, dtype: str, *sizes: int, seed: int = 0, ties: bool = True) -> torch.Tensor:
    """Numbers with equals among them and, in floating dtypes, NaN, infinities and both zeros."""
    generator = torch.Generator().manual_seed(seed)
    x = torch.randint(-9, 10, sizes, generator=generator) if ties else torch.randn(sizes, generator=generator) * 50
    if dtype == "bool":
        return (x > 0).to(device)
    if dtype == "uint8":
        x = x.abs()
    x = x.to(getattr(torch, dtype))
    if x.is_floating_point() and ties and x.numel() > 40:
        flat = x.reshape(-1)
        for place, value in zip(range(3, 40, 6), (float("nan"), float("inf"), -float("inf"), -0.0, 0.0, float("nan"))):
            flat[place] = value
    return x.to(device)


def numbers(device: str, dtype: str, *sizes: int, seed: int = 0) -> torch.Tensor:
    """Small whole numbers, whose sums and products are the same in every order."""
    x = torch.randint(1, 4, sizes, generator=torch.Generator().manual_seed(seed))
    return (x > 2 if dtype == "bool" else x.to(getattr(torch, dtype))).to(device)


def indices(device: str, n: int, *sizes: int, seed: int = 1) -> torch.Tensor:
    return torch.randint(0, n, sizes, generator=torch.Generator().manual_seed(seed)).to(device)


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
    results = [x.scatter(dim, apart, source), x.scatter_add(dim, at, source), x.t().scatter_add(dim, at.t(), source.t())]
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
    return [torch.repeat_interleave(times), torch.repeat_interleave(times[:0]), torch.arange(3, device=device).repeat_interleave(2)]


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
    mask = drawn(device, "bool", n)
    return [mask.nonzero(), mask.count_nonzero(), mask.reshape(-1, 1).expand(-1, 2).nonzero(), torch.tensor(True, device=device).nonzero()]


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
    return [x.tril(k), x.triu(k), x.mT.triu(k), torch.tril_indices(5, 4, k, device=device), torch.triu_indices(5, 4, k, device=device)]


# ---- sorting


@case(*each(REAL, (1, 7, 100, 2049, 9000), (False, True)))
def sorted_rows(device: str, dtype: str, n: int, descending: bool) -> object:
    x = drawn(device, dtype, 3, n)
    return torch.sort(x, dim=1, stable=True, descending=descending)


@case(*each(("float32", "float64", "int64"), (5000,)))
def sorted_apart(device: str, dtype: str, n: int) -> object:
    x = drawn(device, dtype, n, 2, ties=False)
    return [torch.sort(x, dim=0, stable=True), x.argsort(dim=0, stable=True), torch.msort(x), x[:0].sort(), torch.sort(x[0, 0])]


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


class Near(list):
    """Results that are rounded on the way, in another order than on the CPU."""


def unequal(got: object, wanted: object, tolerance: float = 0) -> str:
    if isinstance(wanted, torch.Tensor):
        same = got.shape == wanted.shape and got.dtype == wanted.dtype
        if same and torch.allclose(got.cpu(), wanted, rtol=tolerance, atol=tolerance, equal_nan=True):
            return ""
        return f"\n  got    {got}\n  wanted {wanted}"
    for a, b in zip(got, wanted, strict=True):
        if text := unequal(a, b, 1e-4 if isinstance(wanted, Near) else tolerance):
            return text
    return ""


def main() -> None:
    failed = 0
    for name, run in CASES.items():
        try:
            text = unequal(run("cuda"), run("cpu"))
        except Exception as e:
            text = f"{type(e).__name__}: {e}"
        if text:
            failed += 1
            print(name, text[:1500])
    print(len(CASES), "cases,", failed, "failed; on the host:", sorted(torch._core._cuda.fallbacks()))


if __name__ == "__main__":
    if len(sys.argv) > 1:  # the name of one function
        CASES = {k: v for k, v in CASES.items() if k.split()[0] == sys.argv[1]}
    main()
