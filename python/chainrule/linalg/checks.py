"""What functions of matrices refuse, in PyTorch's words."""

from __future__ import annotations

from collections.abc import Sequence

from .._core import Tensor
from ..ops.checks import is_integral, refuse_dtype, spoken
from ..settings import is_warn_always_enabled
from ..shapes import broadcast_shapes
from ..user_warning import warn_user

LAPACK_TYPES = {"torch.float32", "torch.float64", "torch.complex64", "torch.complex128"}


def check_matrix(a: Tensor, function: str, name: str = "A") -> None:
    """At least two dimensions."""
    if a.ndim < 2:
        raise RuntimeError(f"{function}: The input tensor {name} must have at least 2 dimensions.")


def check_square(a: Tensor, function: str, name: str = "A") -> None:
    """A matrix, or a batch of them, with as many rows as columns."""
    check_matrix(a, function, name)
    if a.shape[-1] != a.shape[-2]:
        colon = f"{function}: " if function else ""
        raise RuntimeError(
            f"{colon}{name} must be batches of square matrices, but they are {a.shape[-2]} by {a.shape[-1]} matrices"
        )


def check_floating(a: Tensor, function: str, low_precision: bool = True) -> None:
    """Not integers; without `low_precision`, no half types either."""
    if is_integral(a.dtype):
        raise RuntimeError(f"{function}: Expected a floating point or complex tensor as input. Got {spoken(a.dtype)}")
    if not low_precision and repr(a.dtype) not in LAPACK_TYPES:
        raise RuntimeError(f"{function}: Low precision dtypes not supported. Got {spoken(a.dtype)}")


def check_kernel(a: Tensor, kernel: str) -> None:
    """One of the four dtypes that LAPACK knows."""
    if repr(a.dtype) not in LAPACK_TYPES:
        refuse_dtype(kernel, a.dtype)


def check_same(a: Tensor, b: Tensor, function: str, first: str = "A", second: str = "B") -> None:
    """Two tensors of one dtype."""
    if a.dtype != b.dtype:
        raise RuntimeError(
            f"{function}: Expected {first} and {second} to have the same dtype, but found {first} of type "
            f"{spoken(a.dtype)} and {second} of type {spoken(b.dtype)} instead"
        )


def check_equation(a: Tensor, b: Tensor, left: bool, function: str) -> None:
    """A square matrix A and a B that fits it, for AX = B or XA = B."""
    check_square(a, function)
    check_matrix(b, function, "B")
    if a.shape[-2] != b.shape[-2 if left else -1]:
        raise RuntimeError(
            f"{function}: Incompatible shapes of A and B for the equation {'AX = B' if left else 'XA = B'} "
            f"({a.shape[-2]}x{a.shape[-1]} and {b.shape[-2]}x{b.shape[-1]})"
        )


def broadcast_batches(first: Tensor, second: Tensor) -> tuple[Tensor, Tensor]:
    """Both with the same dimensions in front of their matrices."""
    batch = _batch_shape(first.shape[:-2], second.shape[:-2])
    return first.expand(*batch, *first.shape[-2:]), second.expand(*batch, *second.shape[-2:])


def _batch_shape(a: Sequence[int], b: Sequence[int]) -> Sequence[int]:
    if tuple(a) == tuple(b):
        return a
    for back in range(1, min(len(a), len(b)) + 1):
        if a[-back] != b[-back] and 1 not in (a[-back], b[-back]):
            raise RuntimeError(
                f"The size of tensor a ({b[-back]}) must match the size of tensor b ({a[-back]}) at non-singleton "
                f"dimension {max(len(a), len(b)) - back}"
            )
    return broadcast_shapes(a, b)


_warned: set[str] = set()


def warn_of_old_name(old: str, new: str, advice: str) -> None:
    """For functions that are older than torch.linalg: once in a program, as in PyTorch."""
    if old in _warned and not is_warn_always_enabled():
        return
    _warned.add(old)
    warn_user(
        f"torch.{old} is deprecated in favor of torch.linalg.{new} and will be removed in a future PyTorch release.\n"
        f"{advice}"
    )
