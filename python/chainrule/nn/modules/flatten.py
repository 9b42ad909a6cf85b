"""Several dimensions as one, and one as several."""

from __future__ import annotations

from typing import Any

from ..._core import Tensor
from ...error_words import at_call
from .module import Module

__all__ = ["Flatten", "Unflatten"]


class Flatten(Module):
    """Dimensions start_dim to end_dim as one.

    Args:
        start_dim, end_dim: the first and the last dimension that are joined.

    >>> torch.nn.Flatten()(torch.ones(2, 3, 4)).shape
    torch.Size([2, 12])
    """

    def __init__(self, start_dim: int = 1, end_dim: int = -1) -> None:
        super().__init__()
        self.start_dim, self.end_dim = start_dim, end_dim

    def forward(self, input: Tensor) -> Tensor:
        return input.flatten(self.start_dim, self.end_dim)

    def extra_repr(self) -> str:
        return f"start_dim={self.start_dim}, end_dim={self.end_dim}"


class Unflatten(Module):
    """Dimension `dim` as several of the given sizes.

    Args:
        dim: the dimension that is split.
        unflattened_size: into these sizes.

    >>> torch.nn.Unflatten(1, (2, 3))(torch.ones(4, 6)).shape
    torch.Size([4, 2, 3])
    """

    def __init__(self, dim: int | str, unflattened_size: Any) -> None:
        super().__init__()
        if isinstance(dim, str):
            raise at_call(
                NotImplementedError, "Unflatten: chainrule has no named dimensions; give the dimension's number"
            )
        if not isinstance(dim, int):
            raise at_call(TypeError, "invalid argument type for dim parameter")
        self._require_sizes(unflattened_size)
        self.dim, self.unflattened_size = dim, unflattened_size

    def _require_sizes(self, sizes: Any) -> None:
        if not isinstance(sizes, (tuple, list)):
            raise at_call(TypeError, f"unflattened_size must be a tuple of ints, but found type {type(sizes).__name__}")
        for i, size in enumerate(sizes):
            if not isinstance(size, int):
                raise at_call(
                    TypeError,
                    "unflattened_size must be tuple of ints, but found element of type "
                    f"{type(size).__name__} at pos {i}",
                )

    def forward(self, input: Tensor) -> Tensor:
        return input.unflatten(self.dim, self.unflattened_size)

    def extra_repr(self) -> str:
        return f"dim={self.dim}, unflattened_size={self.unflattened_size}"
