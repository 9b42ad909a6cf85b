"""Dropout as modules."""

from __future__ import annotations

from ..._core import Tensor
from ...error_words import at_call
from .. import functional as F  # noqa: N812
from .module import Module

__all__ = ["AlphaDropout", "Dropout", "Dropout1d", "Dropout2d", "Dropout3d", "FeatureAlphaDropout"]


class _DropoutNd(Module):
    """What all kinds share: the probability, and whether to overwrite the input."""

    def __init__(self, p: float = 0.5, inplace: bool = False) -> None:
        super().__init__()
        if p < 0 or p > 1:
            raise at_call(ValueError, f"dropout probability has to be between 0 and 1, but got {p}")
        self.p, self.inplace = p, inplace

    def extra_repr(self) -> str:
        return f"p={self.p}, inplace={self.inplace}"


class Dropout(_DropoutNd):
    """In training each element is zero with probability p and else divided by 1 - p.

    Args:
        p: the part that is dropped.
        inplace: whether to write into the input.

    >>> torch.nn.Dropout(0.5).eval()(torch.tensor([1., 2.]))  # nothing is dropped in evaluation
    tensor([1., 2.])
    """

    def forward(self, input: Tensor) -> Tensor:
        return F.dropout(input, self.p, self.training, self.inplace)


class Dropout1d(_DropoutNd):
    """Dropout of whole channels of (N, C, L) or (C, L).

    The arguments are those of Dropout.

    >>> torch.nn.Dropout1d(0.5)(torch.ones(2, 3, 4)).shape
    torch.Size([2, 3, 4])
    """

    def forward(self, input: Tensor) -> Tensor:
        return F.dropout1d(input, self.p, self.training, self.inplace)


class Dropout2d(_DropoutNd):
    """Dropout of whole channels of (N, C, H, W).

    The arguments are those of Dropout.

    >>> torch.nn.Dropout2d(0.5)(torch.ones(2, 3, 4, 4)).shape
    torch.Size([2, 3, 4, 4])
    """

    def forward(self, input: Tensor) -> Tensor:
        return F.dropout2d(input, self.p, self.training, self.inplace)


class Dropout3d(_DropoutNd):
    """Dropout of whole channels of (N, C, D, H, W) or (C, D, H, W).

    The arguments are those of Dropout.

    >>> torch.nn.Dropout3d(0.5)(torch.ones(2, 3, 4, 4, 4)).shape
    torch.Size([2, 3, 4, 4, 4])
    """

    def forward(self, input: Tensor) -> Tensor:
        return F.dropout3d(input, self.p, self.training, self.inplace)


class AlphaDropout(_DropoutNd):
    """Dropout that keeps mean and variance of what SELU gives.

    >>> torch.nn.AlphaDropout(0.5).eval()(torch.tensor([1., 2.]))
    tensor([1., 2.])
    """

    def forward(self, input: Tensor) -> Tensor:
        return F.alpha_dropout(input, self.p, self.training)


class FeatureAlphaDropout(_DropoutNd):
    """AlphaDropout of whole channels.

    >>> torch.nn.FeatureAlphaDropout(0.5).eval()(torch.tensor([1., 2.]))
    tensor([1., 2.])
    """

    def forward(self, input: Tensor) -> Tensor:
        return F.feature_alpha_dropout(input, self.p, self.training)
