"""The exponential function of matrices."""

from __future__ import annotations

from math import factorial

from .. import cat, complex128, eye, float64, where
from .._core import Tensor
from ..autograd import differentiable
from .checks import check_floating, check_square

# Up to this 1-norm the series below is exact to float64's last bit.
_LARGEST = 0.8
_COEFFICIENTS = [1 / factorial(k) for k in range(17)]


def _series(a: Tensor) -> Tensor:
    """Taylor's, to the 16th power, by fourth powers (Paterson and Stockmeyer): six products."""
    a2 = a.matmul(a)
    a3 = a2.matmul(a)
    a4 = a2.matmul(a2)
    unit = eye(a.shape[-1], dtype=a.dtype)

    def cubic(first: int) -> Tensor:
        c = _COEFFICIENTS[first : first + 4]
        return c[0] * unit + c[1] * a + c[2] * a2 + c[3] * a3

    total = cubic(12) + _COEFFICIENTS[16] * a4
    for first in (8, 4, 0):
        total = total.matmul(a4) + cubic(first)
    return total


def _exponential(a: Tensor) -> Tensor:
    """exp(A / 2ˢ) squared s times, with an s for each matrix."""
    norm = a.abs().sum(-2).amax(-1)
    halvings = where(norm.isfinite(), (norm / _LARGEST).log2().ceil().clamp_min(0), 0.0)
    result = _series(a * (2.0**-halvings).unsqueeze(-1).unsqueeze(-1))
    for done in range(int(halvings.max().item())):
        result = where((halvings > done).unsqueeze(-1).unsqueeze(-1), result.matmul(result), result)
    return result


@differentiable(name="LinalgMatrixExpBackward0", shown={"A": "self"})
def _matrix_exp(A: Tensor) -> Tensor:
    if not A.numel():
        return A.clone()
    # Squaring loses digits, so narrow dtypes are calculated in a wide one.
    return _exponential(A.to(complex128 if A.is_complex() else float64)).to(A.dtype)


@_matrix_exp.gradient
def _(g, A):
    """The corner of exp of the blocks (Aᴴ, g; 0, Aᴴ)."""
    n = A.shape[-1]
    a = A.mH.expand(g.shape)
    blocks = cat([cat([a, g], -1), cat([a.new_zeros(a.shape), a], -1)], -2)
    return _matrix_exp(blocks)[..., :n, n:]


def linalg_matrix_exp(input: Tensor) -> Tensor:
    """1 + A + A²/2 + A³/6 + ..."""
    check_square(input, "linalg.matrix_exp")
    check_floating(input, "linalg.matrix_exp")
    return _matrix_exp(input)


matrix_exp = linalg_matrix_exp
