"""assert_close: whether two values, or nested values, are close, and if not, where and by how much."""

from __future__ import annotations

import cmath
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from .. import _core, as_tensor, isclose, promote_types
from .._core import Tensor
from ..user_warning import warn_user

# Relative and absolute tolerances; what is not named has none.
_TOLERANCES = {
    _core.float16: (1e-3, 1e-5),
    _core.bfloat16: (1.6e-2, 1e-5),
    _core.float32: (1.3e-6, 1e-5),
    _core.float64: (1e-7, 1e-7),
    _core.complex64: (1.3e-6, 1e-5),
    _core.complex128: (1e-7, 1e-7),
}
_DTYPES = {bool: _core.bool, int: _core.int64, float: _core.float64, complex: _core.complex128}

_Place = tuple[Any, ...]


class _Settings(NamedTuple):
    allow_subclasses: bool
    rtol: float | None
    atol: float | None
    equal_nan: bool
    check_device: bool
    check_dtype: bool
    check_layout: bool
    check_stride: bool


class _Pair(NamedTuple):
    """Two values to compare and where they were found; `kind` compares them and gives what is wrong."""

    kind: Callable[[Any, Any, float, float, _Settings], str | None]
    actual: Any
    expected: Any
    rtol: float
    atol: float
    place: _Place


def _located(text: str, place: _Place) -> str:
    return f"{text}\n\nThe failure occurred for item {''.join(f'[{key!r}]' for key in place)}" if place else text


# ---- taking nested values apart


def _pairs(actual: Any, expected: Any, s: _Settings, place: _Place) -> Iterator[_Pair]:
    both = (actual, expected)
    if all(isinstance(v, Sequence) and not isinstance(v, str) for v in both):
        if len(actual) != len(expected):
            text = f"The length of the sequences mismatch: {len(actual)} != {len(expected)}"
            raise AssertionError(_located(text, place))
        for i in range(len(actual)):
            yield from _pairs(actual[i], expected[i], s, (*place, i))
    elif all(isinstance(v, Mapping) for v in both):
        for key in _common_keys(actual, expected, place):
            yield from _pairs(actual[key], expected[key], s, (*place, key))
    else:
        yield _pair(actual, expected, s, place)


def _common_keys(actual: Mapping, expected: Mapping, place: _Place) -> list:
    if actual.keys() != expected.keys():
        missing, additional = (
            sorted(a.keys() - b.keys(), key=str) for a, b in ((expected, actual), (actual, expected))
        )
        raise AssertionError(
            _located(
                f"The keys of the mappings do not match:\nMissing keys in the actual mapping: {missing}\n"
                f"Additional keys in the actual mapping: {additional}",
                place,
            )
        )
    try:
        return sorted(actual)
    except TypeError:
        return list(actual)


def _pair(actual: Any, expected: Any, s: _Settings, place: _Place) -> _Pair:
    if actual is None or expected is None:
        return _Pair(_compare_none, actual, expected, 0.0, 0.0, place)
    a, b = _plain(actual), _plain(expected)
    if isinstance(a, bool) and isinstance(b, bool):
        return _Pair(_compare_bools, a, b, 0.0, 0.0, place)
    if isinstance(a, (int, float, complex)) and isinstance(b, (int, float, complex)):
        return _Pair(_compare_numbers, a, b, *_tolerances([_DTYPES[type(a)], _DTYPES[type(b)]], s, place), place)
    related = isinstance(actual, type(expected)) or isinstance(expected, type(actual))
    if related and (s.allow_subclasses or type(actual) is type(expected)):
        a, b = _as_tensor(actual), _as_tensor(expected)
        if a is not None and b is not None:
            return _Pair(_compare_tensors, a, b, *_tolerances([a.dtype, b.dtype], s, place), place)
    raise TypeError(
        _located(
            f"No comparison pair was able to handle inputs of type {type(actual)} and {type(expected)}.",
            place,
        )
    )


def _plain(value: Any) -> Any:
    """NumPy's numbers as Python's."""
    is_number = type(value).__module__ == "numpy" and type(value).__name__ != "ndarray" and hasattr(value, "item")
    return value.item() if is_number else value


def _as_tensor(value: Any) -> Tensor | None:
    if isinstance(value, Tensor):
        return value
    try:
        return as_tensor(value)
    except Exception:  # whatever it is, it is nothing to make a tensor of
        return None


def _tolerances(dtypes: list, s: _Settings, place: _Place) -> tuple[float, float]:
    """Those that were given, or the looser ones of the dtypes."""
    if (s.rtol is None) != (s.atol is None):
        missing = "rtol" if s.rtol is None else "atol"
        raise ValueError(
            _located(f"Both 'rtol' and 'atol' must be either specified or omitted, but got no {missing}.", place)
        )
    if s.rtol is not None and s.atol is not None:
        return s.rtol, s.atol
    relative, absolute = zip(*(_TOLERANCES.get(kind, (0.0, 0.0)) for kind in dtypes), strict=True)
    return max(relative), max(absolute)


# ---- comparing


def _compare_none(actual: Any, expected: Any, rtol: float, atol: float, s: _Settings) -> str | None:
    return None if actual is expected else f"None mismatch: {actual} is not {expected}"


def _compare_bools(actual: bool, expected: bool, rtol: float, atol: float, s: _Settings) -> str | None:
    return None if actual is expected else f"Booleans mismatch: {actual} is not {expected}"


def _compare_numbers(actual: Any, expected: Any, rtol: float, atol: float, s: _Settings) -> str | None:
    if s.check_dtype and type(actual) is not type(expected):
        return f"The (d)types do not match: {type(actual)} != {type(expected)}."
    if actual == expected or (s.equal_nan and cmath.isnan(actual) and cmath.isnan(expected)):
        return None
    difference = abs(actual - expected)
    if cmath.isfinite(difference) and difference <= atol + rtol * abs(expected):
        return None
    return _number_text(actual, expected, rtol, atol)


def _compare_tensors(actual: Tensor, expected: Tensor, rtol: float, atol: float, s: _Settings) -> str | None:
    attributes = [("shape", True), ("layout", s.check_layout), ("device", s.check_device), ("dtype", s.check_dtype)]
    for name, checked in attributes:
        a, b = getattr(actual, name), getattr(expected, name)
        if checked and a != b:
            return f"The values for attribute '{name}' do not match: {a} != {b}."
        if name == "layout" and s.check_stride and actual.stride() != expected.stride():
            return f"The values for attribute 'stride()' do not match: {actual.stride()} != {expected.stride()}."
    actual, expected = actual.detach(), expected.detach()
    if actual.dtype != expected.dtype:
        common = promote_types(actual.dtype, expected.dtype)
        actual, expected = actual.to(common), expected.to(common)
    matches = isclose(actual, expected, rtol, atol, s.equal_nan)
    if matches.all():
        return None
    if not actual.ndim:
        return _number_text(actual.item(), expected.item(), rtol, atol)
    return _tensor_text(actual.flatten(), expected.flatten(), matches, rtol, atol)


# ---- what is said


def _number_text(actual: Any, expected: Any, rtol: float, atol: float) -> str:
    difference = abs(actual - expected)
    relative = float("inf") if expected == 0 else difference / abs(expected)
    lines = [
        f"Expected {expected} but got {actual}.",
        _difference_line("Absolute difference", difference, "", atol, rtol == atol == 0),
        _difference_line("Relative difference", relative, "", rtol, rtol == atol == 0),
    ]
    return _headed("Scalars", lines, rtol == atol == 0)


def _tensor_text(actual: Tensor, expected: Tensor, matches: Tensor, rtol: float, atol: float) -> str:
    equality = rtol == atol == 0
    count, wrong = matches.numel(), int((~matches).sum())
    if not (actual.dtype.is_floating_point or actual.dtype.is_complex):
        actual, expected = actual.to(_core.int64), expected.to(_core.int64)
    absolute = (actual - expected).abs().masked_fill(matches.flatten(), 0)
    relative = (absolute / expected.abs()).masked_fill(matches.flatten(), 0)
    lines = [f"Mismatched elements: {wrong} / {count} ({wrong / count:.1%})"]
    for word, differences, tolerance in (("absolute", absolute, atol), ("relative", relative, rtol)):
        greatest, at = differences.max(0)
        place = f" at index {_index(int(at), tuple(matches.shape))}"
        lines.append(_difference_line(f"Greatest {word} difference", greatest.item(), place, tolerance, equality))
    return _headed("Tensor-likes", lines, equality)


def _headed(what: str, lines: list[str], equality: bool) -> str:
    return "\n".join([f"{what} are not {'equal' if equality else 'close'}!", "", *lines])


def _difference_line(what: str, difference: Any, place: str, tolerance: float, equality: bool) -> str:
    return f"{what}: {difference}{place}" + ("" if equality else f" (up to {tolerance} allowed)")


def _index(flat: int, shape: tuple[int, ...]) -> tuple[int, ...]:
    place: list[int] = []
    for size in reversed(shape):
        flat, i = divmod(flat, size)
        place.insert(0, i)
    return tuple(place)


def assert_close(
    actual: Any,
    expected: Any,
    *,
    allow_subclasses: bool = True,
    rtol: float | None = None,
    atol: float | None = None,
    equal_nan: bool = False,
    check_device: bool = True,
    check_dtype: bool = True,
    check_layout: bool = True,
    check_stride: bool = False,
    msg: str | Callable[[str], str] | None = None,
) -> None:
    """Raises AssertionError unless |actual - expected| <= atol + rtol * |expected| for every element.

    Tensors, numbers, bools, None, what a tensor can be made of, and sequences and mappings of these are compared.
    Tolerances that are not given follow from the dtypes: (1.3e-6, 1e-5) for float32, (1e-7, 1e-7) for float64.

    Args:
        actual: the value found.
        expected: the value wanted, of the same class unless `allow_subclasses` permits a subclass.
        rtol: relative tolerance; given together with `atol` or not at all.
        atol: absolute tolerance.
        equal_nan: whether NaN equals NaN.
        check_device: whether tensors must be on the same device.
        check_dtype: whether dtypes, of numbers their types, must agree.
        check_layout: whether layouts must agree.
        check_stride: whether strides must agree.
        msg: what to say instead of the message, or a function of it.

    >>> torch.testing.assert_close(torch.tensor([1., 2.]), torch.tensor([1., 2. + 1e-7]))
    """
    __tracebackhide__ = True
    s = _Settings(allow_subclasses, rtol, atol, equal_nan, check_device, check_dtype, check_layout, check_stride)
    # The structure is checked as a whole before any value.
    for pair in list(_pairs(actual, expected, s, ())):
        text = pair.kind(pair.actual, pair.expected, pair.rtol, pair.atol, s)
        if text is None:
            continue
        text = _located(text, pair.place)
        raise AssertionError(msg if isinstance(msg, str) else msg(text) if msg is not None else text)


def assert_allclose(
    actual: Any,
    expected: Any,
    rtol: float | None = None,
    atol: float | None = None,
    equal_nan: bool = True,
    msg: str = "",
) -> None:
    """The older form of assert_close, which compares values of any dtypes.

    >>> torch.testing.assert_allclose(torch.tensor([1., 2.]), torch.tensor([1., 2. + 1e-7]))
    """
    warn_user(
        "`torch.testing.assert_allclose()` is deprecated since 1.12 and will be removed in a future release. Please "
        "use `torch.testing.assert_close()` instead.",
        FutureWarning,
    )
    actual, expected = (v if isinstance(v, Tensor) else as_tensor(v) for v in (actual, expected))
    if rtol is None and atol is None:
        older = {_core.float16: (1e-3, 1e-3), _core.float32: (1e-4, 1e-5), _core.float64: (1e-5, 1e-8)}
        rtol, atol = map(max, zip(*(older.get(t.dtype, (0.0, 0.0)) for t in (actual, expected)), strict=True))
    assert_close(
        actual,
        expected,
        rtol=rtol,
        atol=atol,
        equal_nan=equal_nan,
        check_dtype=False,
        check_stride=False,
        msg=msg or None,
    )
