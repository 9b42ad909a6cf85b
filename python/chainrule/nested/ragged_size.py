"""The size of a ragged dimension: no number but a name, `j1`, equal for tensors with rows of the same lengths."""

from __future__ import annotations

from typing import Any

from .._core import Tensor
from ..error_words import at_call
from ..symbolic_numbers import SymInt
from ..utils.weak import WeakTensorKeyDictionary


class RaggedSize(SymInt):
    """The lengths of the rows of a nested tensor, as an item of its size; sizes of the same offsets are equal."""

    def __init__(self, number: int, factor: int = 1) -> None:
        self._number, self._factor = number, factor

    def nested_int(self) -> int:
        """The number in its name. The core, too, tells a ragged size by this method."""
        return self._number

    def __repr__(self) -> str:
        return f"j{self._number}" if self._factor == 1 else f"{self._factor}*j{self._number}"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, RaggedSize) and (self._number, self._factor) == (other._number, other._factor)

    def __hash__(self) -> int:
        return hash((self._number, self._factor))

    def __mul__(self, other: int) -> RaggedSize:
        if isinstance(other, RaggedSize):
            raise at_call(ValueError, f"unsupported: the product of the ragged sizes {self} and {other}")
        return RaggedSize(self._number, self._factor * other)

    __rmul__ = __mul__

    def __ge__(self, other: Any) -> bool:
        if isinstance(other, RaggedSize) and other._number == self._number:
            return self._factor >= other._factor
        if isinstance(other, int) and other <= 2:  # as PyTorch decides it: rows count as longer than that
            return True
        raise _undecided("ge", self, other)

    def __gt__(self, other: Any) -> bool:
        if isinstance(other, RaggedSize) and other._number == self._number:
            return self._factor > other._factor
        if isinstance(other, int) and other < 2:
            return True
        raise _undecided("gt", self, other)

    def __lt__(self, other: Any) -> bool:
        return not self >= other

    def __le__(self, other: Any) -> bool:
        return not self > other

    def __int__(self) -> int:
        raise self._no_number("int_")

    __index__ = __int__

    def __float__(self) -> float:
        raise self._no_number("sym_float")

    def __add__(self, other: object) -> Any:
        raise self._no_number("add")

    __radd__ = __add__

    def __sub__(self, other: object) -> Any:
        raise self._no_number("sub")

    __rsub__ = __sub__

    def __floordiv__(self, other: object) -> Any:
        raise self._no_number("int_floordiv")

    def __truediv__(self, other: object) -> Any:
        raise self._no_number("int_truediv")

    def __mod__(self, other: object) -> Any:
        raise self._no_number("mod")

    def _no_number(self, name: str) -> Exception:
        return at_call(
            AttributeError,
            f"'NestedIntNode' object has no attribute '{name}': {self} is the size of a ragged dimension, whose "
            "rows have "
            "different lengths; offsets().diff() has them, and to_padded_tensor(padding) a size for all",
        )


def _undecided(name: str, a: Any, b: Any) -> Exception:
    return at_call(ValueError, f"{name}: relation is indeterminate between the ragged size {a} and {b}")


_sizes = WeakTensorKeyDictionary()
_count = 0


def size_of(lengths: Tensor) -> RaggedSize:
    """The size that belongs to a tensor of offsets, or of lengths; the same for the same tensor."""
    global _count
    known = _sizes.get(lengths)
    if known is None:
        _count += 1
        known = _sizes[lengths] = RaggedSize(_count)
    return known


def same_size(lengths: Tensor, other: Tensor) -> None:
    """Lets a copy of offsets stand for the same ragged size."""
    _sizes[lengths] = size_of(other)
