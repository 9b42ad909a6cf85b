"""A GPU, or an emulated one, beside the CPU, which is held to PyTorch elsewhere: a frame for programs of cases.

A program prints what went wrong, a line a case, and which kernels had to be done on the host.
"""

from __future__ import annotations

import math
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
        for place, value in enumerate((math.nan, math.inf, -math.inf, -0.0, 0.0, math.nan)):
            flat[3 + 6 * place] = value
    return x.to(device)


def numbers(device: str, dtype: str, *sizes: int, seed: int = 0) -> torch.Tensor:
    """Small whole numbers, whose sums and products are the same in every order."""
    x = torch.randint(1, 4, sizes, generator=torch.Generator().manual_seed(seed))
    return (x > 2 if dtype == "bool" else x.to(getattr(torch, dtype))).to(device)


def indices(device: str, n: int, *sizes: int, seed: int = 1) -> torch.Tensor:
    return torch.randint(0, n, sizes, generator=torch.Generator().manual_seed(seed)).to(device)


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
    """Runs all cases, or those of one function."""
    chosen = {k: run for k, run in CASES.items() if len(sys.argv) < 2 or k.split()[0] == sys.argv[1]}
    failed = 0
    for name, run in chosen.items():
        try:
            text = unequal(run("cuda"), run("cpu"))
        except Exception as e:
            text = f"{type(e).__name__}: {e}"
        if text:
            failed += 1
            print(name, text[:1500])
    print(len(chosen), "cases,", failed, "failed; on the host:", sorted(torch._core._cuda.fallbacks()))
