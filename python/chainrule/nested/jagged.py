"""NestedTensor: the jagged layout, with one ragged dimension."""

from __future__ import annotations

from typing import Any

from .. import _core
from .._core import Tensor
from .._utils import _rebuild_njt
from ..error_words import at_call
from .kinds import Nested, leaf, packed
from .pattern import Pattern, check_offsets, check_pattern


class NestedTensor(Nested):
    """A nested tensor of the jagged layout: the rows differ in one dimension.

    Args:
        values: the items of all rows, packed along one dimension.
        offsets: where each row begins in it, and where the last one ends.
        lengths: of the rows, if there are gaps between them.
    """

    _rows: Pattern

    def __new__(cls, values: Tensor, offsets: Tensor, *, lengths: Tensor | None = None, **options: Any) -> Any:
        if offsets is None:
            raise at_call(AssertionError, "offsets must not be None")
        if isinstance(values, Nested):
            raise at_call(AssertionError, "values must not be a NestedTensor")
        pattern = checked_pattern("NestedTensor", values, offsets, lengths, options.get("_ragged_idx", 1))
        if options.get("requires_grad"):
            return leaf(cls, values.detach(), pattern, True)
        return over(values, pattern)

    def __init__(self, *args: Any, **options: Any) -> None:
        pass

    # ---- its parts

    def values(self) -> Tensor:
        """The items of all rows, packed along one dimension."""
        return packed(self)

    def offsets(self) -> Tensor:
        """Where each row begins, and where the last one ends."""
        return self._rows.offsets

    def lengths(self) -> Tensor | None:
        """The lengths of the rows, if there are gaps between them."""
        return self._rows.lengths

    # PyTorch's names for them, which packages use.
    _values: Any = property(packed)
    _offsets = property(lambda self: self._rows.offsets)
    _lengths = property(lambda self: self._rows.lengths)
    _ragged_idx = property(lambda self: self._rows.ragged)
    _size = property(lambda self: tuple(self.shape))
    _strides = property(lambda self: self.stride())
    _metadata_cache = property(lambda self: {})

    def _get_max_seqlen(self) -> int:
        return max(self._rows.counts)

    def _get_min_seqlen(self) -> int:
        return min(self._rows.counts)

    _max_seqlen = _maybe_max_seqlen = property(_get_max_seqlen)
    _min_seqlen = _maybe_min_seqlen = property(_get_min_seqlen)

    # ---- as a tensor

    layout: Any = property(lambda self: _core.jagged)

    @property
    def shape(self) -> Any:
        """The size of each dimension; that of the ragged one is a RaggedSize."""
        inner, pattern = packed(self).shape, self._rows
        dim = pattern.ragged - 1
        return _core.Size((len(pattern.offsets) - 1, *inner[:dim], pattern.size, *inner[dim + 1 :]))

    ndim: Any = property(lambda self: packed(self).dim() + 1)

    @property
    def T(self) -> Any:  # noqa: N802
        raise at_call(ValueError, "Permute is not supported on the batch dimension for jagged NT")

    mT: Any = property(lambda self: self.transpose(-2, -1))  # noqa: N815

    def __repr__(self, *, tensor_contents: Any = None) -> str:
        history = f", requires_grad={self.requires_grad}" if self.requires_grad else ""
        if self.grad_fn:
            history = f", grad_fn={self.grad_fn}"
        size = ", ".join(map(str, self.shape))
        return f"NestedTensor(size=({size}), offsets={self.offsets()}{history}, contiguous={self.is_contiguous()})"

    def __reduce_ex__(self, protocol: Any) -> Any:
        parts = {"values": packed(self).detach(), "offsets": self.offsets(), "lengths": self.lengths()}
        return _rebuild_njt, ({**parts, "_ragged_idx": self._rows.ragged, "requires_grad": self.requires_grad},)

    def __tensor_flatten__(self) -> Any:
        names = ["_values", "_offsets"] + ([] if self.lengths() is None else ["_lengths"])
        return names, {"requires_grad": self.requires_grad, "ragged_idx": self._rows.ragged}

    @staticmethod
    def __tensor_unflatten__(parts: dict, about: dict, outer_size: Any = None, outer_stride: Any = None) -> Any:
        lengths = parts.get("_lengths")
        return NestedTensor(parts["_values"], parts["_offsets"], lengths=lengths, _ragged_idx=about["ragged_idx"])


def over(values: Tensor, pattern: Pattern) -> NestedTensor:
    """The nested tensor with these values, which are somebody's: it shares their memory and leads back to them."""
    result = _core.view_as_subclass(NestedTensor, values)
    result._rows = pattern
    return result


def wrapped(values: Tensor, pattern: Pattern) -> NestedTensor:
    """The nested tensor with values that an operation has just given."""
    result = _core.result_as_subclass(NestedTensor, values)
    result._rows = pattern
    return result


def checked_pattern(name: str, values: Tensor, offsets: Tensor, lengths: Tensor | None, ragged: int) -> Pattern:
    """The rows that somebody has given, after a look at them."""
    check_offsets(offsets, lengths)
    pattern = Pattern(offsets, lengths, ragged)
    check_pattern(name, values, pattern)
    return pattern
