"""What PyTorch's transformer layers ask of masks; layers of other packages call it as well."""

from __future__ import annotations

from typing import Any

from ..._core import Tensor
from ..._core import bool as bool_dtype
from ...error_words import at_call
from ...user_warning import warn_user

__all__ = ["_canonical_mask", "_none_or_dtype"]


def _canonical_mask(
    mask: Tensor | None, mask_name: str, other_type: Any, other_name: str, target_type: Any, check_other: bool = True
) -> Tensor | None:
    """A mask as numbers that are added: -inf where one of bool is true."""
    if mask is None:
        return None
    if mask.dtype != bool_dtype and not mask.is_floating_point():
        raise at_call(AssertionError, f"only bool and floating types of {mask_name} are supported")
    if check_other and other_type is not None and mask.dtype != other_type:
        warn_user(f"Support for mismatched {mask_name} and {other_name} is deprecated. Use same type for both instead.")
    if mask.is_floating_point():
        return mask
    return mask.new_zeros(mask.shape, dtype=target_type).masked_fill_(mask, float("-inf"))


def _none_or_dtype(input: Tensor | None) -> Any:
    """The dtype of a tensor that may be left out."""
    if input is None or isinstance(input, Tensor):
        return None if input is None else input.dtype
    raise at_call(RuntimeError, "input to _none_or_dtype() must be None or torch.Tensor")
