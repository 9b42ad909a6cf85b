"""Windows for spectral analysis and filters, as torch.signal.windows.

A symmetric window (`sym=True`) ends as it begins. The other kind is one whole period: it leaves out the last point,
which is the first one of the next period. Values are calculated in float64.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable
from functools import wraps
from math import pi
from typing import Any

from .. import arange, float32, float64, get_default_dtype, ones, strided, tensor
from .._core import Tensor
from ..error_words import at_call

__all__ = [
    *("bartlett", "blackman", "cosine", "exponential", "gaussian", "general_cosine", "general_hamming", "hamming"),
    *("hann", "kaiser", "nuttall"),
]


def _window(formula: Callable[..., Tensor]) -> Callable[..., Tensor]:
    """Turns a formula of the points n = 0, 1, ... and of the distance from first to last point into a function of M."""
    name = formula.__name__
    own_parameters = list(inspect.signature(formula).parameters.values())[2:]
    required = [p.name for p in own_parameters if p.default is inspect.Parameter.empty]

    @wraps(formula)
    def window(
        M: int,  # noqa: N803
        *,
        sym: bool = True,
        dtype: Any = None,
        layout: Any = strided,
        device: Any = None,
        requires_grad: bool = False,
        **own: Any,
    ) -> Tensor:
        for argument in required:
            if argument not in own:
                raise at_call(TypeError, f"{name}() missing 1 required keyword-only argument: '{argument}'")
        kind = get_default_dtype() if dtype is None else dtype
        if M < 0:
            raise at_call(ValueError, f"{name} requires non-negative window length, got M={M}")
        if layout is not strided:
            raise at_call(ValueError, f"{name} is implemented for strided tensors only, got: {layout}")
        if kind not in (float32, float64):
            raise at_call(ValueError, f"{name} expects float32 or float64 dtypes, got: {kind}")
        return values(formula, M, M - 1 if sym else M, device, **own).to(kind)._as_leaf(requires_grad)

    window.__signature__ = _signature(formula, window)  # pyright: ignore
    window.formula = formula  # pyright: ignore
    return window


def _signature(formula: Callable, window: Callable) -> inspect.Signature:
    """M, then the formula's own arguments, then those that all windows have."""
    own = list(inspect.signature(formula).parameters.values())[2:]
    size, *common, _ = inspect.signature(window, follow_wrapped=False).parameters.values()
    return inspect.Signature([size, *own, *common], return_annotation="Tensor")


def values(formula: Callable[..., Tensor], length: int, span: int, device: Any = None, **own: Any) -> Tensor:
    """The formula at `length` points in float64; a single point is 1 unless it is told where the centre is."""
    points = formula(arange(length, dtype=float64, device=device), span, **own)
    return ones(1, dtype=float64, device=device) if length == 1 and own.get("center") is None else points


def _cosines(n: Tensor, span: int, coefficients: Iterable[float]) -> Tensor:
    """a0 - a1 cos(2 pi n / span) + a2 cos(4 pi n / span) - ..."""
    terms = ((-1) ** k * a * (2 * pi * k / max(span, 1) * n).cos() for k, a in enumerate(coefficients))
    return sum(terms, n * 0)


@_window
def bartlett(n: Tensor, span: int) -> Tensor:
    """A triangle that begins at zero.

    >>> torch.signal.windows.bartlett(5)
    tensor([0.0000, 0.5000, 1.0000, 0.5000, 0.0000])
    """
    return 1 - (n * 2 / span - 1).abs()


@_window
def blackman(n: Tensor, span: int) -> Tensor:
    """0.42 - 0.5 cos(x) + 0.08 cos(2x).

    >>> torch.signal.windows.blackman(5)[1:4]
    tensor([0.3400, 1.0000, 0.3400])
    """
    return _cosines(n, span, (0.42, 0.5, 0.08))


@_window
def cosine(n: Tensor, span: int) -> Tensor:
    """The arch of a sine, its ends between two points.

    >>> torch.signal.windows.cosine(4)
    tensor([0.3827, 0.9239, 0.9239, 0.3827])
    """
    return ((n + 0.5) * (pi / max(span + 1, 1))).sin()


@_window
def exponential(n: Tensor, span: int, *, center: float | None = None, tau: float = 1.0) -> Tensor:
    """exp(-|n - center| / tau).

    >>> torch.signal.windows.exponential(3)
    tensor([0.3679, 1.0000, 0.3679])
    """
    if tau <= 0:
        raise at_call(ValueError, f"Tau must be positive, got: {tau} instead.")
    if center is not None and span < n.numel():
        raise at_call(ValueError, f"Center must be None for symmetric windows, got: {center}")
    return (-(n - (span / 2 if center is None else center)).abs() / tau).exp()


@_window
def gaussian(n: Tensor, span: int, *, std: float = 1.0) -> Tensor:
    """exp(-(n - centre)**2 / (2 * std**2)).

    >>> torch.signal.windows.gaussian(3, std=1.0)
    tensor([0.6065, 1.0000, 0.6065])
    """
    if std <= 0:
        raise at_call(ValueError, f"Standard deviation must be positive, got: {std} instead.")
    return (((n - span / 2) / std).square() / -2).exp()


@_window
def general_cosine(n: Tensor, span: int, *, a: Iterable[float]) -> Tensor:
    """a0 - a1 cos(x) + a2 cos(2x) - ...

    >>> torch.signal.windows.general_cosine(4, a=[0.5, 0.25])
    tensor([0.2500, 0.6250, 0.6250, 0.2500])
    """
    if n.numel() < 2:
        return n + 1
    if not isinstance(a, Iterable):
        raise at_call(TypeError, "Coefficients must be a list/tuple")
    coefficients = list(a)
    if not coefficients:
        raise at_call(ValueError, "Coefficients cannot be empty")
    return _cosines(n, span, coefficients)


@_window
def general_hamming(n: Tensor, span: int, *, alpha: float = 0.54) -> Tensor:
    """alpha - (1 - alpha) cos(x).

    >>> torch.signal.windows.general_hamming(4, alpha=0.75)
    tensor([0.5000, 0.8750, 0.8750, 0.5000])
    """
    return _cosines(n, span, (alpha, 1 - alpha))


@_window
def hamming(n: Tensor, span: int) -> Tensor:
    """0.54 - 0.46 cos(x).

    >>> torch.signal.windows.hamming(4)
    tensor([0.0800, 0.7700, 0.7700, 0.0800])
    """
    return _cosines(n, span, (0.54, 0.46))


@_window
def hann(n: Tensor, span: int) -> Tensor:
    """0.5 - 0.5 cos(x).

    >>> torch.signal.windows.hann(5)
    tensor([0.0000, 0.5000, 1.0000, 0.5000, 0.0000])
    """
    return _cosines(n, span, (0.5, 0.5))


@_window
def kaiser(n: Tensor, span: int, *, beta: float = 12.0) -> Tensor:
    """I0(beta * sqrt(1 - (2n / span - 1)**2)) / I0(beta).

    >>> torch.signal.windows.kaiser(3, beta=1.0)
    tensor([0.7898, 1.0000, 0.7898])
    """
    if beta < 0:
        raise at_call(ValueError, f"beta must be non-negative, got: {beta} instead.")
    height = (1 - (n * 2 / span - 1).square()).clamp_min(0).sqrt()
    return (beta * height).i0() / tensor(beta, dtype=float64).i0()


@_window
def nuttall(n: Tensor, span: int) -> Tensor:
    """Four cosines with small side lobes.

    >>> torch.signal.windows.nuttall(4)
    tensor([3.6280e-04, 5.2923e-01, 5.2923e-01, 3.6280e-04])
    """
    return _cosines(n, span, (0.3635819, 0.4891775, 0.1365995, 0.0106411))
