"""Look-up tables as modules."""

from __future__ import annotations

from typing import Any

from ..._core import Tensor
from ...autograd.grad_mode import no_grad
from ...error_words import at_call
from .. import functional as F  # noqa: N812
from .. import init
from ..parameter import Parameter, fresh
from .module import Module

__all__ = ["Embedding", "EmbeddingBag"]


def _padding_index(index: int | None, count: int) -> int | None:
    if index is None:
        return None
    if not -count <= index < count:
        raise at_call(AssertionError, "padding_idx must be within num_embeddings")
    return index % count


class _Table(Module):
    """What Embedding and EmbeddingBag share: the weight."""

    num_embeddings: int
    embedding_dim: int
    padding_idx: int | None
    weight: Parameter

    def _make_weight(self, weight: Tensor | None, frozen: bool, device: Any, dtype: Any) -> None:
        if weight is None:
            self.weight = fresh(self.num_embeddings, self.embedding_dim, device=device, dtype=dtype)
            self.weight._as_leaf(not frozen)
            self.reset_parameters()
        else:
            if list(weight.shape) != [self.num_embeddings, self.embedding_dim]:
                raise at_call(AssertionError, "Shape of weight does not match num_embeddings and embedding_dim")
            self.weight = Parameter(weight, requires_grad=not frozen)

    def reset_parameters(self) -> None:
        """Draws the weight from the normal distribution; the row of padding is zero."""
        init.normal_(self.weight)
        self._fill_padding_idx_with_zero()

    def _fill_padding_idx_with_zero(self) -> None:
        if self.padding_idx is not None:
            with no_grad():
                self.weight[self.padding_idx].fill_(0)


class Embedding(_Table):
    """A table of vectors, looked up by index.

    Args:
        num_embeddings, embedding_dim: rows and columns of the table.
        padding_idx: a row that is zero at first and gets no gradient.
        max_norm: rows that are looked up are first shortened to it, in the norm `norm_type`.
        scale_grad_by_freq: divide a row's gradient by how often the row is used.

    >>> torch.nn.Embedding(10, 3)(torch.tensor([[1, 2], [4, 5]])).shape
    torch.Size([2, 2, 3])
    """

    def __init__(
        self,
        num_embeddings: int,
        embedding_dim: int,
        padding_idx: int | None = None,
        max_norm: float | None = None,
        norm_type: float = 2.0,
        scale_grad_by_freq: bool = False,
        sparse: bool = False,
        _weight: Tensor | None = None,
        _freeze: bool = False,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__()
        self.num_embeddings, self.embedding_dim = num_embeddings, embedding_dim
        self.padding_idx = _padding_index(padding_idx, num_embeddings)
        self.max_norm, self.norm_type, self.scale_grad_by_freq = max_norm, norm_type, scale_grad_by_freq
        self._make_weight(_weight, _freeze, device, dtype)
        self.sparse = sparse

    def forward(self, input: Tensor) -> Tensor:
        return F.embedding(
            input,
            self.weight,
            self.padding_idx,
            self.max_norm,
            self.norm_type,
            self.scale_grad_by_freq,
            self.sparse,
        )

    def extra_repr(self) -> str:
        parts = [f"{self.num_embeddings}, {self.embedding_dim}"]
        parts += [f"padding_idx={self.padding_idx}"] if self.padding_idx is not None else []
        parts += [f"max_norm={self.max_norm}"] if self.max_norm is not None else []
        parts += [f"norm_type={self.norm_type}"] if self.norm_type != 2 else []
        parts += [f"scale_grad_by_freq={self.scale_grad_by_freq}"] if self.scale_grad_by_freq else []
        parts += ["sparse=True"] if self.sparse else []
        return ", ".join(parts)

    @classmethod
    def from_pretrained(
        cls,
        embeddings: Tensor,
        freeze: bool = True,
        padding_idx: int | None = None,
        max_norm: float | None = None,
        norm_type: float = 2.0,
        scale_grad_by_freq: bool = False,
        sparse: bool = False,
    ) -> Embedding:
        """An Embedding of a given table; freeze: without a gradient."""
        if embeddings.dim() != 2:
            raise at_call(AssertionError, "Embeddings parameter is expected to be 2-dimensional")
        rows, columns = embeddings.shape
        return cls(
            num_embeddings=rows,
            embedding_dim=columns,
            _weight=embeddings,
            _freeze=freeze,
            padding_idx=padding_idx,
            max_norm=max_norm,
            norm_type=norm_type,
            scale_grad_by_freq=scale_grad_by_freq,
            sparse=sparse,
        )


class EmbeddingBag(_Table):
    """Sums, means or maxima of bags of rows of a table.

    Args:
        num_embeddings, embedding_dim: rows and columns of the table.
        mode: "sum", "mean" or "max".
        include_last_offset: the offsets end with the length of the input.
        padding_idx: a row that no bag counts.

    >>> torch.nn.EmbeddingBag(10, 3, mode="sum")(torch.tensor([[1, 2], [4, 5]])).shape
    torch.Size([2, 3])
    """

    def __init__(
        self,
        num_embeddings: int,
        embedding_dim: int,
        max_norm: float | None = None,
        norm_type: float = 2.0,
        scale_grad_by_freq: bool = False,
        mode: str = "mean",
        sparse: bool = False,
        _weight: Tensor | None = None,
        include_last_offset: bool = False,
        padding_idx: int | None = None,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__()
        self.num_embeddings, self.embedding_dim = num_embeddings, embedding_dim
        self.max_norm, self.norm_type, self.scale_grad_by_freq = max_norm, norm_type, scale_grad_by_freq
        self.padding_idx = _padding_index(padding_idx, num_embeddings)
        self._make_weight(_weight, False, device, dtype)
        self.mode, self.sparse, self.include_last_offset = mode, sparse, include_last_offset

    def forward(self, input: Tensor, offsets: Tensor | None = None, per_sample_weights: Tensor | None = None) -> Tensor:
        return F.embedding_bag(
            input,
            self.weight,
            offsets,
            self.max_norm,
            self.norm_type,
            self.scale_grad_by_freq,
            self.mode,
            self.sparse,
            per_sample_weights,
            self.include_last_offset,
            self.padding_idx,
        )

    def extra_repr(self) -> str:
        parts = [f"{self.num_embeddings}, {self.embedding_dim}"]
        parts += [f"max_norm={self.max_norm}"] if self.max_norm is not None else []
        parts += [f"norm_type={self.norm_type}"] if self.norm_type != 2 else []
        parts += [f"scale_grad_by_freq={self.scale_grad_by_freq}"] if self.scale_grad_by_freq else []
        parts += [f"mode={self.mode!r}"]
        parts += [f"padding_idx={self.padding_idx}"] if self.padding_idx is not None else []
        return ", ".join(parts)

    @classmethod
    def from_pretrained(
        cls,
        embeddings: Tensor,
        freeze: bool = True,
        max_norm: float | None = None,
        norm_type: float = 2.0,
        scale_grad_by_freq: bool = False,
        mode: str = "mean",
        sparse: bool = False,
        include_last_offset: bool = False,
        padding_idx: int | None = None,
    ) -> EmbeddingBag:
        """An EmbeddingBag of a given table; freeze: without a gradient."""
        if embeddings.dim() != 2:
            raise at_call(AssertionError, "Embeddings parameter is expected to be 2-dimensional")
        rows, columns = embeddings.shape
        bag = cls(
            num_embeddings=rows,
            embedding_dim=columns,
            _weight=embeddings,
            max_norm=max_norm,
            norm_type=norm_type,
            scale_grad_by_freq=scale_grad_by_freq,
            mode=mode,
            sparse=sparse,
            include_last_offset=include_last_offset,
            padding_idx=padding_idx,
        )
        bag.weight._as_leaf(not freeze)
        return bag
