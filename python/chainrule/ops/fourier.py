"""What goes with Fourier transforms: the frequencies, and moving the zero frequency to the middle."""

from __future__ import annotations

from .. import arange, cat, get_default_dtype
from .._core import Tensor, dtype
from .checks import is_integral


def _frequencies(name: str, n: int, d: float, kind: dtype | None, full: bool) -> Tensor:
    """Whole numbers divided by n * d, the negative ones last."""
    kind = get_default_dtype() if kind is None else kind
    if is_integral(kind):
        raise RuntimeError(f"{name} requires a floating point or complex dtype")
    if full and n < 0:
        raise RuntimeError(f"Trying to create tensor with negative dimension {n}: [{n}]")
    numbers = [arange((n + 1) // 2, dtype=kind), arange(-(n // 2), 0, dtype=kind)] if full else []
    points = cat(numbers) if full else arange(int(n / 2) + 1, dtype=kind)
    span = n * d
    return points * (1.0 / span if span else float("inf"))


def fft_fftfreq(
    n: int, d: float, dtype: dtype | None, layout: object, device: object, pin_memory: bool, requires_grad: bool
) -> Tensor:
    """The frequencies of the transform of n samples that lie d apart: those from zero up, then the negative ones."""
    return _frequencies("fftfreq", n, d, dtype, full=True)._as_leaf(requires_grad)


def fft_rfftfreq(
    n: int, d: float, dtype: dtype | None, layout: object, device: object, pin_memory: bool, requires_grad: bool
) -> Tensor:
    """The frequencies of the transform of n real samples that lie d apart."""
    return _frequencies("rfftfreq", n, d, dtype, full=False)._as_leaf(requires_grad)


def _rolled(input: Tensor, dim: tuple[int, ...] | None, more: int) -> Tensor:
    dims = tuple(range(input.ndim)) if dim is None else dim
    return input.roll([(input.size(d) + more) // 2 for d in dims], dims)


def fft_fftshift(input: Tensor, dim: tuple[int, ...] | None) -> Tensor:
    """The frequencies with zero in the middle."""
    return _rolled(input, dim, 0)


def fft_ifftshift(input: Tensor, dim: tuple[int, ...] | None) -> Tensor:
    """Takes fftshift back."""
    return _rolled(input, dim, 1)
