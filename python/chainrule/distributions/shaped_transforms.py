"""Transforms of vectors and matrices, and those that treat parts of a tensor in different ways."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from .. import _core
from .._core import Size, Tensor
from ..error_words import at_call
from ..linalg import cholesky
from ..nn.functional import logsigmoid, pad, softplus
from ..type_info import finfo
from . import constraints
from .transform import Transform
from .utils import tril_matrix_to_vec, vec_to_tril_matrix


class ReshapeTransform(Transform):
    """The last dimensions in another shape.

    Args:
        in_shape: their shape.
        out_shape: what it becomes.
        cache_size: 1 to remember the last pair of values.

    >>> torch.distributions.ReshapeTransform((4,), (2, 2))(torch.ones(3, 4)).shape
    torch.Size([3, 2, 2])
    """

    bijective = True

    def __init__(self, in_shape: Any, out_shape: Any, cache_size: int = 0) -> None:
        self.in_shape, self.out_shape = Size(in_shape), Size(out_shape)
        if self.in_shape.numel() != self.out_shape.numel():
            raise at_call(ValueError, "in_shape, out_shape have different numbers of elements")
        super().__init__(cache_size=cache_size)

    @property
    def domain(self) -> Any:  # type: ignore[override]
        """Where arguments lie."""
        return constraints.independent(constraints.real, len(self.in_shape))

    @property
    def codomain(self) -> Any:  # type: ignore[override]
        """Where results lie."""
        return constraints.independent(constraints.real, len(self.out_shape))

    def with_cache(self, cache_size: int = 1) -> Transform:
        if self._cache_size == cache_size:
            return self
        return ReshapeTransform(self.in_shape, self.out_shape, cache_size=cache_size)

    def _call(self, x: Tensor) -> Tensor:
        return x.reshape((*x.shape[: x.dim() - len(self.in_shape)], *self.out_shape))

    def _inverse(self, y: Tensor) -> Tensor:
        return y.reshape((*y.shape[: y.dim() - len(self.out_shape)], *self.in_shape))

    def log_abs_det_jacobian(self, x: Tensor, y: Tensor) -> Tensor:
        return x.new_zeros(x.shape[: x.dim() - len(self.in_shape)])

    def forward_shape(self, shape: Any) -> Any:
        return _replaced(shape, self.in_shape, self.out_shape)

    def inverse_shape(self, shape: Any) -> Any:
        return _replaced(shape, self.out_shape, self.in_shape)


def _replaced(shape: Any, old: Size, new: Size) -> Size:
    """A shape whose end has been replaced."""
    if len(shape) < len(old):
        raise at_call(ValueError, "Too few dimensions on input")
    cut = len(shape) - len(old)
    if Size(shape[cut:]) != old:
        raise at_call(ValueError, f"Shape mismatch: expected {Size(shape[cut:])} but got {old}")
    return Size((*shape[:cut], *new))


class _Plain(Transform):
    """A transform without parameters: all of its kind are equal."""

    def __eq__(self, other: object) -> bool:
        return isinstance(other, type(self))

    __hash__ = object.__hash__


class SoftmaxTransform(_Plain):
    """From vectors to probabilities that sum up to 1, each proportional to exp(x).

    >>> torch.distributions.SoftmaxTransform()(torch.tensor([0., 0.]))
    tensor([0.5000, 0.5000])
    """

    domain = constraints.real_vector
    codomain = constraints.simplex

    def _call(self, x: Tensor) -> Tensor:
        probs = (x - x.max(-1, True)[0]).exp()
        return probs / probs.sum(-1, True)

    def _inverse(self, y: Tensor) -> Tensor:
        return y.log()

    def forward_shape(self, shape: Any) -> Any:
        return _at_least(shape, 1)

    inverse_shape = forward_shape


def _at_least(shape: Any, dims: int) -> Any:
    if len(shape) < dims:
        raise at_call(ValueError, "Too few dimensions on input")
    return shape


class StickBreakingTransform(_Plain):
    """From vectors to probabilities, one more of them: each takes a part of what the ones before it have left.

    >>> torch.distributions.StickBreakingTransform()(torch.zeros(1))
    tensor([0.5000, 0.5000])
    """

    domain = constraints.real_vector
    codomain = constraints.simplex
    bijective = True

    def _call(self, x: Tensor) -> Tensor:
        offset = x.shape[-1] + 1 - x.new_ones(x.shape[-1]).cumsum(-1)
        z = _sigmoid(x - offset.log())
        left = (1 - z).cumprod(-1)
        return pad(z, [0, 1], value=1) * pad(left, [1, 0], value=1)

    def _inverse(self, y: Tensor) -> Tensor:
        taken = y[..., :-1]
        offset = y.shape[-1] - taken.new_ones(taken.shape[-1]).cumsum(-1)
        left = (1 - taken.cumsum(-1)).clamp(min=finfo(y.dtype).tiny)
        return taken.log() - left.log() + offset.log()

    def log_abs_det_jacobian(self, x: Tensor, y: Tensor) -> Tensor:
        offset = x.shape[-1] + 1 - x.new_ones(x.shape[-1]).cumsum(-1)
        x = x - offset.log()
        return (-x + logsigmoid(x) + y[..., :-1].log()).sum(-1)

    def forward_shape(self, shape: Any) -> Any:
        _at_least(shape, 1)
        return Size((*shape[:-1], shape[-1] + 1))

    def inverse_shape(self, shape: Any) -> Any:
        _at_least(shape, 1)
        return Size((*shape[:-1], shape[-1] - 1))


def _sigmoid(x: Tensor) -> Tensor:
    limits = finfo(x.dtype)
    return x.sigmoid().clamp(min=limits.tiny, max=1.0 - limits.eps)


class LowerCholeskyTransform(_Plain):
    """From square matrices to lower triangular ones with a positive diagonal.

    >>> torch.distributions.LowerCholeskyTransform()(torch.zeros(2, 2))
    tensor([[1., 0.],
            [0., 1.]])
    """

    domain = constraints.independent(constraints.real, 2)
    codomain = constraints.lower_cholesky

    def _call(self, x: Tensor) -> Tensor:
        return x.tril(-1) + x.diagonal(dim1=-2, dim2=-1).exp().diag_embed()

    def _inverse(self, y: Tensor) -> Tensor:
        return y.tril(-1) + y.diagonal(dim1=-2, dim2=-1).log().diag_embed()


class PositiveDefiniteTransform(_Plain):
    """From square matrices to positive definite ones.

    >>> torch.distributions.PositiveDefiniteTransform()(torch.zeros(2, 2))
    tensor([[1., 0.],
            [0., 1.]])
    """

    domain = constraints.independent(constraints.real, 2)
    codomain = constraints.positive_definite

    def _call(self, x: Tensor) -> Tensor:
        factor = LowerCholeskyTransform()(x)
        return factor @ factor.mT

    def _inverse(self, y: Tensor) -> Tensor:
        return LowerCholeskyTransform().inv(cholesky(y))


class CorrCholeskyTransform(Transform):
    """From vectors of D(D - 1)/2 numbers to Cholesky factors of correlation matrices of size D.

    >>> torch.distributions.CorrCholeskyTransform()(torch.zeros(1))
    tensor([[1., 0.],
            [0., 1.]])
    """

    domain = constraints.real_vector
    codomain = constraints.corr_cholesky
    bijective = True

    def _call(self, x: Tensor) -> Tensor:
        x = x.tanh()
        eps = finfo(x.dtype).eps
        r = vec_to_tril_matrix(x.clamp(min=-1 + eps, max=1 - eps), diag=-1)
        left = (1 - r**2).sqrt().cumprod(-1)
        r = r + _core.functions["eye"](r.shape[-1], dtype=r.dtype, device=r.device)
        return r * pad(left[..., :-1], [1, 0], value=1)

    def _inverse(self, y: Tensor) -> Tensor:
        left = pad((1 - (y * y).cumsum(dim=-1))[..., :-1], [1, 0], value=1)
        y_below, left_below = tril_matrix_to_vec(y, diag=-1), tril_matrix_to_vec(left, diag=-1)
        t = y_below / left_below.sqrt()
        return (t.log1p() - t.neg().log1p()) / 2

    def log_abs_det_jacobian(self, x: Tensor, y: Tensor, intermediates: Any = None) -> Tensor:
        left = 1 - (y * y).cumsum(dim=-1)
        of_sticks = 0.5 * tril_matrix_to_vec(left.log(), -2).sum(-1)
        of_tanh = -2 * (x + softplus(-2 * x) - math.log(2.0)).sum(dim=-1)
        return of_sticks + of_tanh

    def forward_shape(self, shape: Any) -> Any:
        _at_least(shape, 1)
        size = round((0.25 + 2 * shape[-1]) ** 0.5 + 0.5)
        if size * (size - 1) // 2 != shape[-1]:
            raise at_call(ValueError, "Input is not a flattened lower-diagonal number")
        return Size((*shape[:-1], size, size))

    def inverse_shape(self, shape: Any) -> Any:
        _at_least(shape, 2)
        if shape[-2] != shape[-1]:
            raise at_call(ValueError, "Input is not square")
        return Size((*shape[:-2], shape[-1] * (shape[-1] - 1) // 2))


class CatTransform(Transform):
    """A transform for each part along a dimension.

    Args:
        tseq: the transforms.
        dim: the dimension.
        lengths: of the parts; 1 if not given.
        cache_size: 1 to remember the last pair of values.

    >>> exp, keep = torch.distributions.ExpTransform(), torch.distributions.AffineTransform(0., 1.)
    >>> torch.distributions.CatTransform([exp, keep], lengths=[1, 1])(torch.tensor([0., 5.]))
    tensor([1., 5.])
    """

    def __init__(
        self, tseq: Sequence[Transform], dim: int = 0, lengths: Sequence[int] | None = None, cache_size: int = 0
    ) -> None:
        if not all(isinstance(t, Transform) for t in tseq):
            raise AssertionError("All elements of tseq must be Transform instances")
        super().__init__(cache_size=cache_size)
        self.transforms = [t.with_cache(cache_size) for t in tseq] if cache_size else list(tseq)
        self.lengths = [1] * len(self.transforms) if lengths is None else list(lengths)
        if len(self.lengths) != len(self.transforms):
            raise AssertionError("lengths must have as many elements as tseq")
        self.dim = dim

    @property
    def event_dim(self) -> int:
        return max(t.event_dim for t in self.transforms)

    @property
    def length(self) -> int:
        """The size of the dimension."""
        return sum(self.lengths)

    def with_cache(self, cache_size: int = 1) -> Transform:
        if self._cache_size == cache_size:
            return self
        return CatTransform(self.transforms, self.dim, self.lengths, cache_size)

    def _call(self, x: Tensor) -> Tensor:
        parts = x.split(self.lengths, self.dim)
        return _core.functions["cat"]([t(p) for t, p in zip(self.transforms, parts, strict=True)], self.dim)

    def _inverse(self, y: Tensor) -> Tensor:
        parts = y.split(self.lengths, self.dim)
        return _core.functions["cat"]([t.inv(p) for t, p in zip(self.transforms, parts, strict=True)], self.dim)

    def log_abs_det_jacobian(self, x: Tensor, y: Tensor) -> Tensor:
        terms = []
        parts = zip(self.transforms, x.split(self.lengths, self.dim), y.split(self.lengths, self.dim), strict=True)
        for t, before, after in parts:
            term = t.log_abs_det_jacobian(before, after)
            more = self.event_dim - t.event_dim
            terms.append(term.reshape((*term.shape[: term.dim() - more], -1)).sum(-1) if more else term)
        dim = self.dim - x.dim() if self.dim >= 0 else self.dim
        dim += self.event_dim
        if dim < 0:
            return _core.functions["cat"](terms, dim)
        return sum(terms[1:], terms[0])

    @property
    def bijective(self) -> bool:  # type: ignore[override]
        """Whether each value has one inverse."""
        return all(t.bijective for t in self.transforms)

    @property
    def domain(self) -> Any:  # type: ignore[override]
        """Where arguments lie."""
        return constraints.cat([t.domain for t in self.transforms], self.dim, self.lengths)

    @property
    def codomain(self) -> Any:  # type: ignore[override]
        """Where results lie."""
        return constraints.cat([t.codomain for t in self.transforms], self.dim, self.lengths)


class StackTransform(Transform):
    """A transform for each slice of a dimension.

    Args:
        tseq: the transforms.
        dim: the dimension.
        cache_size: 1 to remember the last pair of values.

    >>> exp, keep = torch.distributions.ExpTransform(), torch.distributions.AffineTransform(0., 1.)
    >>> torch.distributions.StackTransform([exp, keep])(torch.tensor([0., 5.]))
    tensor([1., 5.])
    """

    def __init__(self, tseq: Sequence[Transform], dim: int = 0, cache_size: int = 0) -> None:
        if not all(isinstance(t, Transform) for t in tseq):
            raise AssertionError("All elements of tseq must be Transform instances")
        super().__init__(cache_size=cache_size)
        self.transforms = [t.with_cache(cache_size) for t in tseq] if cache_size else list(tseq)
        self.dim = dim

    def with_cache(self, cache_size: int = 1) -> Transform:
        return self if self._cache_size == cache_size else StackTransform(self.transforms, self.dim, cache_size)

    def _call(self, x: Tensor) -> Tensor:
        return self._stacked([t(part) for t, part in zip(self.transforms, x.unbind(self.dim), strict=True)])

    def _inverse(self, y: Tensor) -> Tensor:
        return self._stacked([t.inv(part) for t, part in zip(self.transforms, y.unbind(self.dim), strict=True)])

    def log_abs_det_jacobian(self, x: Tensor, y: Tensor) -> Tensor:
        parts = zip(self.transforms, x.unbind(self.dim), y.unbind(self.dim), strict=True)
        return self._stacked([t.log_abs_det_jacobian(a, b) for t, a, b in parts])

    def _stacked(self, parts: list[Tensor]) -> Tensor:
        return _core.functions["stack"](parts, self.dim)

    @property
    def bijective(self) -> bool:  # type: ignore[override]
        """Whether each value has one inverse."""
        return all(t.bijective for t in self.transforms)

    @property
    def domain(self) -> Any:  # type: ignore[override]
        """Where arguments lie."""
        return constraints.stack([t.domain for t in self.transforms], self.dim)

    @property
    def codomain(self) -> Any:  # type: ignore[override]
        """Where results lie."""
        return constraints.stack([t.codomain for t in self.transforms], self.dim)
