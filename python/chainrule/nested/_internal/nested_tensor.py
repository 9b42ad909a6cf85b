"""torch.nested._internal.nested_tensor: the class, and the functions below the public ones."""

from __future__ import annotations

from typing import Any

from ..._core import Tensor
from ..._utils import _rebuild_njt as _rebuild_njt
from ..construct import from_list
from ..construct import nested_tensor_from_jagged as _from_jagged
from ..jagged import NestedTensor as NestedTensor
from ..padding import from_padded as _from_padded
from ..pattern import Pattern
from ..ragged_size import _sizes as _tensor_symint_registry  # noqa: F401
from ..ragged_size import size_of


def get_tensor_symint(tensor: Tensor, *, coeff: int = 1) -> Any:
    """The ragged size of a tensor of offsets."""
    return size_of(tensor) * coeff


def jagged_from_list(tensors: list[Tensor], offsets: Tensor | None, dtype: Any = None, device: Any = None) -> Any:
    """A nested tensor of the rows in a list, and its offsets."""
    result = from_list(tensors, dtype, device, offsets)
    return result, result.offsets()


def nested_view_from_values_offsets(
    values: Tensor, offsets: Tensor, ragged_idx: int = 1, min_seqlen: Any = None, max_seqlen: Any = None
) -> Any:
    """A nested tensor over values."""
    return _from_jagged(values, offsets, jagged_dim=ragged_idx)


def nested_view_from_values_offsets_lengths(
    values: Tensor, offsets: Tensor, lengths: Any, ragged_idx: int = 1, min_seqlen: Any = None, max_seqlen: Any = None
) -> Any:
    """A nested tensor over values with gaps."""
    return _from_jagged(values, offsets, lengths, ragged_idx)


def nested_from_padded(
    padded: Tensor,
    offsets: Tensor,
    ragged_idx: int = 1,
    min_seqlen: Any = None,
    max_seqlen: Any = None,
    sum_S: Any = None,  # noqa: N803
) -> Any:
    """The rows of a padded tensor."""
    return _from_padded(padded, Pattern(offsets, None, ragged_idx))


def buffer_from_jagged(jagged: NestedTensor) -> Tensor:
    """The packed values."""
    return jagged.values()
