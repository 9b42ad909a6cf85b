"""torch._C._functorch: what packages ask about tensors inside of vmap."""

from __future__ import annotations

from typing import Any

from .._core import Tensor
from ..compat.refusal import refused

__all__ = ["get_unwrapped", "is_batchedtensor", "is_functorch_wrapped_tensor"]

_REASON = "levels of chainrule's vmap are its own; torch.func.vmap is how they are entered"
_add_batch_dim, _remove_batch_dim, _vmap_increment_nesting, _vmap_decrement_nesting = (
    refused(f"_C._functorch.{_name}", _REASON)
    for _name in ("_add_batch_dim", "_remove_batch_dim", "_vmap_increment_nesting", "_vmap_decrement_nesting")
)


def is_batchedtensor(tensor: Any) -> bool:
    """Whether vmap hides a dimension of it.

    >>> from torch._C._functorch import is_batchedtensor
    >>> torch.func.vmap(lambda x: x + is_batchedtensor(x))(torch.zeros(2))
    tensor([1., 1.])
    """
    from ..func.batched import BatchedTensor

    return isinstance(tensor, BatchedTensor)


is_functorch_wrapped_tensor = is_batchedtensor


def is_legacy_batchedtensor(tensor: Any) -> bool:
    """False: PyTorch has had another vmap."""
    return False


def is_gradtrackingtensor(tensor: Any) -> bool:
    """False: a function that is differentiated gets ordinary tensors here."""
    return False


def get_unwrapped(tensor: Tensor) -> Tensor:
    """The tensor with the dimension that vmap hides."""
    from ..func.batched import debug_unwrap

    return debug_unwrap(tensor, recurse=False)


def maybe_get_bdim(tensor: Any) -> int:
    """Which dimension vmap hides, the first; -1 for none."""
    return 0 if is_batchedtensor(tensor) else -1
