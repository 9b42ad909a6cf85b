"""torch._prims_common: questions about tensors that PyTorch's own operations ask."""

from __future__ import annotations

from .._core import Tensor


def is_contiguous_or_false(a: Tensor) -> bool:
    """Whether the elements lie in the order of their indices."""
    return a.is_contiguous()
