"""From packed rows to padded ones, and back."""

from __future__ import annotations

from typing import Any

from .. import _core
from .._core import Tensor
from ..error_words import at_call
from .jagged import NestedTensor, wrapped
from .kinds import Nested, packed
from .pattern import Pattern


def to_padded_tensor(input: Tensor, padding: float, output_size: Any = None, out: Any = None) -> Tensor:
    """An ordinary tensor with the rows of a nested one, each filled up at its end to the length of the longest.

    Args:
        padding: what they are filled up with.
        output_size: sizes to fill up to.

    Shape and dtype: (B, longest, ...), as the input.

    Derivative: the gradient of each item goes back to it; that of the padding is dropped.

    >>> rows = torch.nested.nested_tensor([torch.tensor([1., 2.]), torch.tensor([3.])], layout=torch.jagged)
    >>> torch.nested.to_padded_tensor(rows, 0.)
    tensor([[1., 2.],
            [3., 0.]])
    """
    if not isinstance(input, Nested):
        raise at_call(
            NotImplementedError,
            "Could not run 'aten::to_padded_tensor': the input is an ordinary tensor, not a nested one",
        )
    if out is not None:
        raise at_call(NotImplementedError, "to_padded_tensor(): out= is not supported; copy the result into it")
    if isinstance(input, NestedTensor):
        return _padded_jagged(input, padding, output_size)
    from .strided import padded

    return padded(input, padding, output_size)


def _padded_jagged(x: NestedTensor, padding: float, output_size: Any) -> Tensor:
    if x.lengths() is not None:
        raise at_call(
            RuntimeError,
            "to_padded_tensor(): not supported for nested tensors with holes; contiguous() gives one without them",
        )
    counts, ragged = x._rows.counts, x._rows.ragged
    length = max(counts, default=0) if output_size is None else output_size[ragged]
    return padded_to(x, padding, length)


def padded_to(x: NestedTensor, padding: Any, length: int) -> Tensor:
    """Rows filled up to a length; what is longer is cut off, as PyTorch does."""
    pattern = x._rows
    values = packed(x).transpose(0, pattern.ragged - 1)
    rows, within, places = pattern.places
    if max(pattern.counts, default=0) > length:
        kept = within < length
        rows, within, places = rows[kept], within[kept], places[kept]
    padded = values.new_full((len(pattern.counts), length, *values.shape[1:]), padding)
    padded = padded.index_put((rows, within), values[places])
    return padded.transpose(1, pattern.ragged)


def from_padded(padded: Tensor, pattern: Pattern) -> Any:
    """The rows of a padded tensor, without the padding."""
    rows, within, _ = pattern.places
    values = padded.transpose(1, pattern.ragged)[rows, within]
    return wrapped(values.transpose(0, pattern.ragged - 1), pattern)


def identity_of(name: str, dtype: Any) -> Any:
    """What a reduction does not notice."""
    if name in ("sum", "prod", "any", "all", "mean"):
        return {"sum": 0, "mean": 0, "prod": 1, "any": False, "all": True}[name]
    lowest = name in ("max", "amax", "argmax")
    if dtype is _core.bool:
        return not lowest
    if dtype.is_floating_point:
        return -float("inf") if lowest else float("inf")
    info = _limits(dtype)
    return info.min if lowest else info.max


def _limits(dtype: Any) -> Any:
    from ..type_info import iinfo

    return iinfo(dtype)
