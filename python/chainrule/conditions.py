"""torch._check and its kin: conditions that raise, with PyTorch's classes of errors."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ._core import Tensor
from ._core import bool as bool_dtype


def _assert(condition: Any, message: str) -> None:
    """Raises AssertionError unless the condition holds."""
    if not condition:
        raise AssertionError(message)


def _assert_async(input: Tensor, assert_msg: str | None = None) -> None:
    """Raises RuntimeError where the one element of a tensor is zero; here at once."""
    if input.numel() != 1:
        values = "no values" if input.numel() == 0 else "more than one value"
        raise RuntimeError(f"Boolean value of Tensor with {values} is ambiguous")
    if not input:
        raise RuntimeError(assert_msg or "Expected Tensor with single nonzero value, but got zero")


def _check_with(error_type: type[Exception], cond: bool, message: Callable[[], str] | None = None) -> None:
    """Raises an error of the given class unless `cond`, a bool, is true; `message` is called for its words."""
    if isinstance(cond, Tensor):
        raise TypeError("cond must be a bool, but got a Tensor. For tensor conditions, use torch._check_tensor_all()")
    if not isinstance(cond, bool):
        raise TypeError(f"cond must be a bool, but got {type(cond)}")
    if cond:
        return
    if message is None:
        raise error_type("Expected cond to be True, but got False. (Could this error message be improved?)")
    if not callable(message):
        raise TypeError("message must be a callable")
    raise error_type(str(message()))


def _check_tensor_all_with(error_type: type[Exception], cond: Tensor, message: Callable[[], str] | None = None) -> None:
    """Raises an error of the given class unless all elements of a tensor of bools are true."""
    if not isinstance(cond, Tensor):
        raise TypeError(f"cond must be a tensor, but got {type(cond)}")
    if cond.dtype != bool_dtype:
        raise TypeError(f"cond tensor must have dtype torch.bool, but got {cond.dtype}")
    _check_with(error_type, bool(cond.all()), message)


def _check(cond: bool, message: Callable[[], str] | None = None) -> None:
    """Raises RuntimeError unless `cond`."""
    _check_with(RuntimeError, cond, message)


def _check_index(cond: bool, message: Callable[[], str] | None = None) -> None:
    """Raises IndexError unless `cond`."""
    _check_with(IndexError, cond, message)


def _check_value(cond: bool, message: Callable[[], str] | None = None) -> None:
    """Raises ValueError unless `cond`."""
    _check_with(ValueError, cond, message)


def _check_type(cond: bool, message: Callable[[], str] | None = None) -> None:
    """Raises TypeError unless `cond`."""
    _check_with(TypeError, cond, message)


def _check_not_implemented(cond: bool, message: Callable[[], str] | None = None) -> None:
    """Raises NotImplementedError unless `cond`."""
    _check_with(NotImplementedError, cond, message)


def _check_tensor_all(cond: Tensor, message: Callable[[], str] | None = None) -> None:
    """Raises RuntimeError unless all elements of a tensor of bools are true."""
    _check_tensor_all_with(RuntimeError, cond, message)


def _check_is_size(i: int, message: Callable[[], str] | None = None, *, max: int | None = None) -> None:
    """Raises RuntimeError unless `i` is not negative, and at most `max`."""
    _check(i >= 0 and (max is None or i <= max), message)
