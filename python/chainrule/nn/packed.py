"""Sequences of different lengths: padded to one length, or packed without padding."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import Any, NamedTuple, Self

from .. import _core
from .._core import Tensor
from ..error_words import at_call

__all__ = [
    "PackedSequence",
    "invert_permutation",
    "pack_padded_sequence",
    "pack_sequence",
    "pad_packed_sequence",
    "pad_sequence",
    "unpack_sequence",
    "unpad_sequence",
]

_functions = _core.functions


class _Packed(NamedTuple):
    data: Tensor
    batch_sizes: Tensor
    sorted_indices: Tensor | None
    unsorted_indices: Tensor | None


class PackedSequence(_Packed):
    """Sequences, longest first, one time step after the other: the first elements of all, then the second, ...

    batch_sizes has the number of sequences that are at least as long as each step; sorted_indices says where each
    sequence was before they were sorted.

    >>> packed = torch.nn.utils.rnn.pack_sequence([torch.tensor([1, 2]), torch.tensor([3])])
    >>> packed.batch_sizes
    tensor([2, 1])
    """

    __slots__ = ()

    def __new__(
        cls,
        data: Any,
        batch_sizes: Tensor | None = None,
        sorted_indices: Tensor | None = None,
        unsorted_indices: Tensor | None = None,
    ) -> Self:
        if unsorted_indices is None:
            unsorted_indices = invert_permutation(sorted_indices)
        if batch_sizes is None:
            if not isinstance(data, (list, tuple)) or len(data) != 2:
                raise at_call(AssertionError, "Expected data to be a list or tuple of length 2")
            data, batch_sizes = data
        sizes: Any = batch_sizes
        return super().__new__(cls, data, sizes, sorted_indices, unsorted_indices)

    def to(self, *args: Any, **kwargs: Any) -> Self:
        """With converted data."""
        data = self.data.to(*args, **kwargs)
        return self if data is self.data else type(self)(data, *self[1:])

    def cpu(self, *args: Any, **kwargs: Any) -> Self:
        """The sequence itself: it is on the CPU."""
        return self.to(*args, **kwargs)

    def cuda(self, *args: Any, **kwargs: Any) -> Self:
        """Raises: there is only the CPU."""
        return self.to(*args, **{"device": "cuda", **kwargs})

    def pin_memory(self) -> Self:
        """The sequence itself: pinned memory is of no use without a GPU."""
        return self

    def is_pinned(self) -> bool:
        """Whether the memory is pinned."""
        return False

    @property
    def is_cuda(self) -> bool:
        """Whether the data is on a GPU."""
        return False

    def double(self) -> Self:
        """With data in float64."""
        return self.to(dtype=_core.float64)

    def float(self) -> Self:
        """With data in float32."""
        return self.to(dtype=_core.float32)

    def half(self) -> Self:
        """With data in float16."""
        return self.to(dtype=_core.float16)

    def long(self) -> Self:
        """With data in int64."""
        return self.to(dtype=_core.int64)

    def int(self) -> Self:
        """With data in int32."""
        return self.to(dtype=_core.int32)

    def short(self) -> Self:
        """With data in int16."""
        return self.to(dtype=_core.int16)

    def char(self) -> Self:
        """With data in int8."""
        return self.to(dtype=_core.int8)

    def byte(self) -> Self:
        """With data in uint8."""
        return self.to(dtype=_core.uint8)


def _whole(values: Iterable[int]) -> Tensor:
    return _functions["tensor"](list(values), dtype=_core.int64)


def invert_permutation(permutation: Tensor | None) -> Tensor | None:
    """Where each element went.

    >>> torch.nn.utils.rnn.invert_permutation(torch.tensor([2, 0, 1]))
    tensor([1, 2, 0])
    """
    if permutation is None:
        return None
    places = permutation.tolist()
    inverse = [0] * len(places)
    for i, place in enumerate(places):
        inverse[place] = i
    return _whole(inverse)


def pack_padded_sequence(
    input: Tensor, lengths: Tensor | Sequence[int], batch_first: bool = False, enforce_sorted: bool = True
) -> PackedSequence:
    """Packs a padded batch.

    Args:
        input: (length, batch, ...), or with batch_first (batch, length, ...).
        lengths: of the sequences.
        enforce_sorted: raise if they do not come longest first; with False they are sorted here.

    >>> packed = torch.nn.utils.rnn.pack_padded_sequence(torch.tensor([[1, 2], [3, 0]]), [2, 1], batch_first=True)
    >>> packed.data, packed.batch_sizes
    (tensor([1, 3, 2]), tensor([2, 1]))
    """
    if input.numel() == 0:
        raise at_call(RuntimeError, "Cannot pack empty tensors.")
    if isinstance(lengths, Tensor) and lengths.dim() != 1:
        raise at_call(
            RuntimeError, f"'lengths' argument should be a 1D CPU int64 tensor, but got {lengths.dim()}D cpu tensor"
        )
    sizes = [int(n) for n in (lengths.tolist() if isinstance(lengths, Tensor) else lengths)]
    steps_first = input.transpose(0, 1) if batch_first else input
    order = None
    if not enforce_sorted:
        order = sorted(range(len(sizes)), key=lambda i: -sizes[i])
        sizes = [sizes[i] for i in order]
        steps_first = steps_first[:, _whole(order)]
    _check_lengths(sizes, steps_first.shape[1])
    if sizes[0] > steps_first.shape[0]:
        raise at_call(
            RuntimeError, f"Expected lengths of at most {steps_first.shape[0]} steps, but found {sizes[0]} in 'lengths'"
        )
    batch = len(sizes)
    batch_sizes = [sum(n > t for n in sizes) for t in range(sizes[0])]
    rows = _whole(t * batch + b for t, count in enumerate(batch_sizes) for b in range(count))
    data = steps_first.reshape(-1, *steps_first.shape[2:])[rows]
    return PackedSequence(data, _whole(batch_sizes), None if order is None else _whole(order))


def _check_lengths(sizes: list[int], batch: int) -> None:
    if len(sizes) != batch:
        raise at_call(
            RuntimeError,
            f"Expected `len(lengths)` to be equal to batch_size, but got {len(sizes)} (batch_size={batch})",
        )
    if any(a < b for a, b in pairwise(sizes)):
        raise at_call(
            RuntimeError,
            "`lengths` array must be sorted in decreasing order when `enforce_sorted` is True. You can pass "
            "`enforce_sorted=False` to pack_padded_sequence and/or pack_sequence to sidestep this requirement if you "
            "do not need ONNX exportability.",
        )
    if not sizes or sizes[-1] <= 0:
        raise at_call(
            RuntimeError,
            "Length of all samples has to be greater than 0, but found an element in 'lengths' that is <= 0",
        )


def pad_packed_sequence(
    sequence: PackedSequence,
    batch_first: bool = False,
    padding_value: float = 0.0,
    total_length: int | None = None,
) -> tuple[Tensor, Tensor]:
    """The padded batch of a packed one, and the lengths.

    Args:
        batch_first: (batch, length, ...) instead of (length, batch, ...).
        padding_value: what stands behind the end of a sequence.
        total_length: pad to this length, not to that of the longest.

    >>> packed = torch.nn.utils.rnn.pack_sequence([torch.tensor([1, 2]), torch.tensor([3])])
    >>> torch.nn.utils.rnn.pad_packed_sequence(packed, batch_first=True)
    (tensor([[1, 2],
            [3, 0]]), tensor([2, 1]))
    """
    counts = sequence.batch_sizes.tolist()
    if not counts:
        raise at_call(RuntimeError, "batch_sizes can not be empty")
    length = len(counts)
    if total_length is not None:
        if total_length < length:
            raise at_call(
                ValueError,
                "Expected total_length to be at least the length of the longest sequence in input, but got "
                f"total_length={total_length} and max sequence length being {length}",
            )
        length = total_length
    data, batch = sequence.data, counts[0]
    rows = _whole(t * batch + b for t, count in enumerate(counts) for b in range(count))
    flat = _functions["full"]([length * batch, *data.shape[1:]], padding_value, dtype=data.dtype, device=data.device)
    flat[rows] = data
    padded = flat.reshape(length, batch, *data.shape[1:])
    lengths = _whole(sum(count > b for count in counts) for b in range(batch))
    padded = padded.transpose(0, 1) if batch_first else padded
    if sequence.unsorted_indices is not None:
        padded = padded.index_select(0 if batch_first else 1, sequence.unsorted_indices)
        lengths = lengths[sequence.unsorted_indices]
    return padded, lengths


def pad_sequence(
    sequences: Tensor | Iterable[Tensor],
    batch_first: bool = False,
    padding_value: float = 0.0,
    padding_side: str = "right",
) -> Tensor:
    """Sequences (length, ...) as one batch, padded to the longest at the `padding_side`.

    >>> torch.nn.utils.rnn.pad_sequence([torch.tensor([1, 2]), torch.tensor([3])], batch_first=True)
    tensor([[1, 2],
            [3, 0]])
    """
    if not isinstance(sequences, Iterable):
        raise at_call(
            RuntimeError, f"pad_sequence: Expected iterable for input sequences, but got arg of type: {type(sequences)}"
        )
    sequences = tuple(sequences)
    if not sequences:
        raise at_call(RuntimeError, "received an empty list of sequences")
    if padding_side not in ("left", "right"):
        raise at_call(RuntimeError, f"Expected padding_side to be one of left or right, but got {padding_side}.")
    longest = max(s.shape[0] for s in sequences)
    first = sequences[0]
    outer = (len(sequences), longest) if batch_first else (longest, len(sequences))
    padded = _functions["full"]([*outer, *first.shape[1:]], padding_value, dtype=first.dtype, device=first.device)
    rows = padded if batch_first else padded.transpose(0, 1)
    for i, s in enumerate(sequences):
        begin = longest - s.shape[0] if padding_side == "left" else 0
        rows[i, begin : begin + s.shape[0]] = s
    return padded


def unpad_sequence(padded_sequences: Tensor, lengths: Tensor, batch_first: bool = False) -> list[Tensor]:
    """The sequences of a padded batch, without the padding.

    >>> padded = torch.tensor([[1, 2], [3, 0]])
    >>> torch.nn.utils.rnn.unpad_sequence(padded, torch.tensor([2, 1]), batch_first=True)
    [tensor([1, 2]), tensor([3])]
    """
    rows = padded_sequences if batch_first else padded_sequences.transpose(0, 1)
    return [row[: int(n)] for row, n in zip(rows, lengths.tolist(), strict=True)]


def pack_sequence(sequences: list[Tensor], enforce_sorted: bool = True) -> PackedSequence:
    """Packs sequences of different lengths.

    >>> torch.nn.utils.rnn.pack_sequence([torch.tensor([1, 2]), torch.tensor([3])]).data
    tensor([1, 3, 2])
    """
    return pack_padded_sequence(pad_sequence(sequences), [s.shape[0] for s in sequences], enforce_sorted=enforce_sorted)


def unpack_sequence(packed_sequences: PackedSequence) -> list[Tensor]:
    """The sequences of a packed batch.

    >>> packed = torch.nn.utils.rnn.pack_sequence([torch.tensor([1, 2]), torch.tensor([3])])
    >>> torch.nn.utils.rnn.unpack_sequence(packed)
    [tensor([1, 2]), tensor([3])]
    """
    return unpad_sequence(*pad_packed_sequence(packed_sequences, batch_first=True), batch_first=True)
