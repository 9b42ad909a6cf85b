"""One calculation on both devices: the values, the gradients, and that nothing went to the host for it."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import chainrule as torch
from chainrule._core import _cuda

sys.path.insert(0, str(Path(__file__).parents[1]))
importlib.import_module("on_cuda_device").choose()  # chainrule looks for a GPU when the first is asked for

TOLERANCE = {
    torch.float64: 1e-9,
    torch.complex64: 2e-4,
    torch.complex128: 1e-9,
    torch.float32: 2e-4,
    torch.float16: 5e-3,
    torch.bfloat16: 4e-2,
}


def tensors_of(value: Any) -> list:
    return [value] if isinstance(value, torch.Tensor) else [t for part in value for t in tensors_of(part)]


def run(calculate: Callable, inputs: list, device: str) -> list:
    here = [t.detach().to(device).requires_grad_(t.requires_grad) for t in inputs]
    results = tensors_of(calculate(*here))
    from_here = [r for r in results if r.requires_grad]
    if from_here:
        torch.autograd.backward(from_here, [weights_like(r) for r in from_here])
    return [r.detach() for r in results] + [t.grad for t in here if t.requires_grad]


def weights_like(t):
    """A gradient whose elements differ, the same on both devices."""
    numbers = torch.arange(t.numel(), dtype=torch.float64).mul(0.37).sin().add(0.5)
    return numbers.reshape(t.shape).to(t.dtype).to(t.device)


def same(calculate: Callable, *inputs: Any, allowed: tuple = (), tolerance: float | None = None) -> None:
    """The results on "cuda" are those on the CPU; `allowed` names what may be done on the host."""
    before = _cuda.fallbacks()
    there = run(calculate, list(inputs), "cuda")
    after = _cuda.fallbacks()
    fell_back = {name for name, count in after.items() if count != before.get(name, 0)}
    assert fell_back <= set(allowed), fell_back
    here = run(calculate, list(inputs), "cpu")
    assert len(here) == len(there)
    for i, (a, b) in enumerate(zip(here, there, strict=True)):
        if a is None or b is None:
            assert a is b, i
            continue
        assert (a.shape, a.dtype, a.stride()) == (b.shape, b.dtype, b.stride()), (i, a.shape, b.shape, a.dtype, b.dtype)
        bound = TOLERANCE.get(a.dtype, 0.0) if tolerance is None else tolerance
        torch.testing.assert_close(
            b.cpu(), a, rtol=bound, atol=bound, equal_nan=True, msg=lambda m, i=i: f"result {i}: {m}"
        )


def numbers(*sizes: int, dtype=torch.float32, grad: bool = True, seed: int = 0):
    """Random numbers; the same on every machine."""
    generator = torch.Generator().manual_seed(seed + sum(sizes))
    return torch.randn(*sizes, generator=generator, dtype=torch.float64).to(dtype).requires_grad_(grad)


def main(checks: dict[str, Any]) -> None:
    """Runs the check that the command line names."""
    checks[sys.argv[1]]()
