"""What distributions written elsewhere import from torch.distributions.utils."""

from __future__ import annotations

from typing import Any

from .. import _core
from .._core import Tensor
from ..error_words import at_call
from .distribution import broadcast_all, lazy_property, logits_to_probs, probs_to_logits
from .distribution import clamped as clamp_probs
from .independent import sum_rightmost

__all__ = [
    "broadcast_all",
    "clamp_probs",
    "lazy_property",
    "logits_to_probs",
    "probs_to_logits",
    "tril_matrix_to_vec",
    "vec_to_tril_matrix",
]


def _standard_normal(shape: Any, dtype: Any, device: Any) -> Tensor:
    return _core.functions["empty"](shape, dtype=dtype, device=device).normal_()


_sum_rightmost = sum_rightmost


def _below(size: int, diag: int, device: Any) -> Tensor:
    """Which elements of a square matrix are on the diagonal `diag` or below it."""
    arange = _core.functions["arange"](size, device=device)
    return arange < arange.view(-1, 1) + (diag + 1)


def vec_to_tril_matrix(vec: Tensor, diag: int = 0) -> Tensor:
    """A lower triangular matrix from its elements, row by row."""
    # size (size + 1) / 2 elements up to the main diagonal; each diagonal more or less changes the count by its length
    count = vec.shape[-1]
    n = (-(1 + 2 * diag) + ((1 + 2 * diag) ** 2 + 8 * count + 4 * abs(diag) * (diag + 1)) ** 0.5) / 2
    size = round(n)
    if abs(n - size) > 1e-6:
        raise at_call(
            ValueError,
            f"The size of last dimension is {count} which cannot be expressed as "
            "the lower triangular part of a square D x D matrix.",
        )
    matrix = vec.new_zeros((*vec.shape[:-1], size, size))
    matrix[..., _below(size, diag, vec.device)] = vec
    return matrix


def tril_matrix_to_vec(mat: Tensor, diag: int = 0) -> Tensor:
    """The elements of a matrix on the diagonal `diag` and below, row by row."""
    size = mat.shape[-1]
    if diag < -size or diag >= size:
        raise at_call(ValueError, f"diag ({diag}) provided is outside [{-size}, {size - 1}].")
    return mat[..., _below(size, diag, mat.device)]
