"""Comparing tensors as wholes, or within a tolerance."""

from __future__ import annotations

from .. import bool as bool_dtype
from .. import full_like, get_default_dtype, ones_like, result_type, searchsorted, tensor
from .._core import Tensor
from .checks import is_integral, spoken

Number = int | float

_FIRST_PIECE = 1024  # elements


def isclose(input: Tensor, other: Tensor, rtol: float, atol: float, equal_nan: bool) -> Tensor:
    """Where |input - other| <= atol + rtol * |other|."""
    if input.dtype != other.dtype:
        raise RuntimeError(f"{spoken(input.dtype)} did not match {spoken(other.dtype)}; convert one of them with .to()")
    for name, value in (("rtol", rtol), ("atol", atol)):
        if not value >= 0:
            raise RuntimeError(f"{name} must be greater than or equal to zero, but got {value:g}")
    close = input == other
    if equal_nan and not is_integral(input.dtype):
        close = close | (input.isnan() & other.isnan())
    if rtol == 0 and atol == 0:
        return close
    if is_integral(input.dtype):
        input, other = input.to(get_default_dtype()), other.to(get_default_dtype())
    error = (input - other).abs()
    return close | (error.isfinite() & (error <= atol + (rtol * other).abs()))


def allclose(input: Tensor, other: Tensor, rtol: float, atol: float, equal_nan: bool) -> bool:
    """Whether isclose holds everywhere."""
    return bool(isclose(input, other, rtol, atol, equal_nan).all())


def equal(input: Tensor, other: Tensor) -> bool:
    """Whether both have the same shape and the same elements."""
    if input.shape != other.shape:
        return False
    if input.numel() <= _FIRST_PIECE or not (input.is_contiguous() and other.is_contiguous()):
        return bool((input == other).all())
    # Piece by piece, each twice as long as the one before: most tensors that differ do so early.
    a, b = input.detach().view(-1), other.detach().view(-1)
    start, end = 0, _FIRST_PIECE
    while start < len(a):
        if not (a[start:end] == b[start:end]).all():
            return False
        start, end = end, 2 * end
    return True


def isreal(input: Tensor) -> Tensor:
    """Where the imaginary part is zero."""
    return input.imag == 0 if input.is_complex() else ones_like(input, dtype=bool_dtype)


def isin_tensors(elements: Tensor, test_elements: Tensor, assume_unique: bool, invert: bool) -> Tensor:
    """Which elements are among `test_elements`. Whether those repeat makes no difference."""
    for t in (elements, test_elements):
        if t.is_complex() or t.dtype == bool_dtype:
            raise RuntimeError(f"Unsupported input type encountered for isin(): {spoken(t.dtype)}")
    kind = result_type(elements, test_elements)
    wanted, known = elements.to(kind), test_elements.to(kind).flatten().sort().values
    if known.numel() == 0:
        return full_like(elements, invert, dtype=bool_dtype)
    place = searchsorted(known, wanted.contiguous()).clamp_max(known.numel() - 1)
    return (known[place] == wanted) != invert


def isin_number(elements: Tensor, test_element: Number, assume_unique: bool, invert: bool) -> Tensor:
    """Which elements equal one number."""
    return isin_tensors(elements, tensor(test_element), assume_unique, invert)


def isin_of_number(element: Number, test_elements: Tensor, assume_unique: bool, invert: bool) -> Tensor:
    """Whether one number is among `test_elements`."""
    return isin_tensors(tensor(element), test_elements, assume_unique, invert)
