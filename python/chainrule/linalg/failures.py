"""What is raised when a factorisation does not exist or an iteration does not converge."""

from __future__ import annotations

from collections.abc import Callable
from typing import NoReturn

from .._core import Tensor


class LinAlgError(RuntimeError):
    """A matrix has no result of the kind that was asked for: it is singular, not positive-definite ..."""


LinAlgError.__name__ = LinAlgError.__qualname__ = "_LinAlgError"  # as PyTorch's
LinAlgError.__module__ = "torch._C"


def check_info(info: Tensor, function: str, reason: Callable[[int], str], error: type = LinAlgError) -> None:
    """Raises if LAPACK reported a failure: `reason` puts its number into words."""
    if info.is_meta or not info.any():
        return
    codes = info.reshape(-1).tolist()
    first = next(i for i, code in enumerate(codes) if code)
    _raise(function, reason(codes[first]), error, first if info.ndim else None)


def _raise(function: str, reason: str, error: type, element: int | None) -> NoReturn:
    place = "" if element is None else f"(Batch element {element}): "
    raise error(f"{function}: {place}{reason}")


def singular(code: int) -> str:
    return (
        f"The diagonal element {code} is zero, the inversion could not be completed because the input matrix is "
        "singular."
    )


def unsolvable(code: int) -> str:
    return "The solver failed because the input matrix is singular."


def not_positive(code: int) -> str:
    return (
        "The factorization could not be completed because the input is not positive-definite (the leading minor of "
        f"order {code} is not positive-definite)."
    )


def zero_pivot(code: int) -> str:
    return (
        f"U[{code},{code}] is zero and using it on lu_solve would result in a division by zero. If you still want to "
        "perform the factorization, consider calling linalg.lu(A, pivot) or linalg.lu_factor_ex(A, pivot)"
    )


def not_full_rank(code: int) -> str:
    return (
        "The least squares solution could not be computed because the input matrix does not have full rank (error "
        f"code: {code})."
    )


def no_convergence(code: int) -> str:
    if code < 0:  # LAPACK looks for NaN among the arguments
        return "The algorithm failed to converge because the input matrix contained non-finite values."
    return (
        "The algorithm failed to converge because the input matrix is ill-conditioned or has too many repeated "
        f"singular values (error code: {code})."
    )


def no_eigenvalues(code: int) -> str:
    return (
        "The algorithm failed to converge because the input matrix is ill-conditioned or has too many repeated "
        f"eigenvalues (error code: {abs(code)})."
    )
