"""The window functions of the torch namespace, periodic by default; signal.windows has their formulas."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .. import get_default_dtype, strided
from .._core import Tensor
from ..signal import windows
from .checks import is_integral, refuse_dtype, spoken


def _make(name: str, window: Any, length: int, periodic: bool, options: tuple, **own: Any) -> Tensor:
    kind, layout, _, _, requires_grad = options
    if layout not in (None, strided):
        raise RuntimeError(f"{name} is not implemented for sparse types, got: {layout}")
    kind = get_default_dtype() if kind is None else kind
    if length < 0:
        raise RuntimeError(f"{name} requires non-negative window_length, got window_length={length}")
    if is_integral(kind):
        raise RuntimeError(f"{name} expects floating point dtypes, got: {spoken(kind)}")
    if kind.is_complex:
        refuse_dtype(name, kind)
    points = windows.values(window.formula, length, length if periodic else length - 1, **own)
    return points.to(kind)._as_leaf(requires_grad)


def _plain(name: str, window: Any) -> Callable[..., Tensor]:
    def body(window_length: int, periodic: bool, *options: Any) -> Tensor:
        return _make(name, window, window_length, periodic, options)

    return body


bartlett_window = _plain("bartlett_window", windows.bartlett)
blackman_window = _plain("blackman_window", windows.blackman)
hann_window = _plain("hann_window", windows.hann)


def hamming_window(window_length: int, periodic: bool, alpha: float, beta: float, *options: Any) -> Tensor:
    """alpha - beta cos(x)."""
    return _make("hamming_window", windows.general_cosine, window_length, periodic, options, a=(alpha, beta))


def kaiser_window(window_length: int, periodic: bool, beta: float, *options: Any) -> Tensor:
    """A Kaiser window with the shape parameter `beta`."""
    return _make("kaiser_window", windows.kaiser, window_length, periodic, options, beta=beta)
