"""How a loss is reduced to one number, and PyTorch's older arguments for it."""

from __future__ import annotations

from .._core import Tensor
from ..error_words import at_call
from ..user_warning import warn_user

_ENUM = {"none": 0, "mean": 1, "sum": 2}


def get_enum(reduction: str) -> int:
    """The number that PyTorch's operators take for a reduction."""
    if reduction == "elementwise_mean":
        warn_user("reduction='elementwise_mean' is deprecated. Please use reduction='mean' instead.")
        reduction = "mean"
    if reduction not in _ENUM:
        raise at_call(ValueError, f"{reduction} is not a valid value for reduction: 'none', 'mean' or 'sum'")
    return _ENUM[reduction]


def legacy_get_string(size_average: bool | None, reduce: bool | None, emit_warning: bool = True) -> str:
    """The reduction that two deprecated arguments mean."""
    size_average = True if size_average is None else size_average
    reduce = True if reduce is None else reduce
    result = ("mean" if size_average else "sum") if reduce else "none"
    if emit_warning:
        warn_user(f"size_average and reduce args will be deprecated, please use reduction='{result}' instead.")
    return result


def legacy_get_enum(size_average: bool | None, reduce: bool | None, emit_warning: bool = True) -> int:
    """legacy_get_string as a number."""
    return get_enum(legacy_get_string(size_average, reduce, emit_warning))


def chosen(size_average: bool | None, reduce: bool | None, reduction: str) -> str:
    """The reduction that three arguments mean, checked."""
    if size_average is not None or reduce is not None:
        return legacy_get_string(size_average, reduce)
    if reduction not in _ENUM:
        get_enum(reduction)
        return "mean"
    return reduction


def reduced(loss: Tensor, reduction: str) -> Tensor:
    """The loss itself, its mean or its sum."""
    if reduction == "mean":
        return loss.mean()
    return loss.sum() if reduction == "sum" else loss
