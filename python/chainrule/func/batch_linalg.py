"""Linear algebra inside vmap: its functions take batches of matrices, so samples are one dimension more in front."""

from __future__ import annotations

import math
from typing import Any

from .. import _core
from .._core import Tensor
from ..error_words import at_call
from .batch_composed import composed
from .batch_rules import Call, loop_quietly, rule

_functions = _core.functions

_OF_ONE_MATRIX = """
det linalg_det slogdet linalg_slogdet logdet inverse linalg_inv linalg_inv_ex cholesky linalg_cholesky
linalg_cholesky_ex cholesky_inverse qr linalg_qr geqrf lu linalg_lu linalg_lu_factor linalg_lu_factor_ex svd linalg_svd
linalg_svdvals linalg_eigh linalg_eigvalsh linalg_eig linalg_eigvals pinverse linalg_pinv linalg_matrix_rank matrix_exp
linalg_matrix_exp matrix_power linalg_matrix_power linalg_cond linalg_ldl_factor linalg_ldl_factor_ex
"""

# How many dimensions fewer than the first matrix the other tensors have.
_OF_SEVERAL = {
    **dict.fromkeys(("linalg_solve", "linalg_solve_ex", "linalg_lstsq"), (0, 0)),
    **dict.fromkeys(("linalg_solve_triangular", "triangular_solve", "cholesky_solve"), (0, 0)),
    **dict.fromkeys(("lu_unpack", "linalg_householder_product", "orgqr"), (0, 1)),
    **dict.fromkeys(("linalg_lu_solve", "linalg_ldl_solve", "ormqr"), (0, 1, 0)),
    "lu_solve": (0, 0, 1),
}


def _has_batched(call: Call, values: Any) -> bool:
    return any(call.is_batched(value) for value in values)


def _together(call: Call, values: tuple, args: tuple, kwargs: dict) -> Any:
    """All samples at once. What was not asked for is empty, and has no dimension of samples."""
    result = call.function(*values, **kwargs)
    if any(t.shape[:1] != (call.size,) for t in (result if isinstance(result, tuple) else (result,))):
        return loop_quietly(call, call.function, args, kwargs)
    return call.wrapped(result)


@rule(*_OF_ONE_MATRIX.split())
def _of_one_matrix(call: Call, a: Any, *args: Any, **kwargs: Any) -> Any:
    if a.ndim < 2 or not call.is_batched(a) or _has_batched(call, (*args, *kwargs.values())):
        return loop_quietly(call, call.function, (a, *args), kwargs)
    return _together(call, (a._value, *args), (a, *args), kwargs)


@rule(*_OF_SEVERAL)
def _of_several(call: Call, *args: Any, **kwargs: Any) -> Any:
    fewer = _OF_SEVERAL[call.function.__name__]
    tensors, rest = args[: len(fewer)], args[len(fewer) :]
    if len(tensors) == len(fewer) and all(isinstance(t, Tensor) for t in tensors) and tensors[0].ndim >= 2:
        ranks = tuple(tensors[0].ndim - t.ndim for t in tensors)
        solves_vectors = fewer == (0, 0) and tensors[0].shape[:-1] == tensors[1].shape
        if ranks == fewer or solves_vectors:
            return _together(call, (*map(call.expanded, tensors), *rest), args, kwargs)
    return loop_quietly(call, call.function, args, kwargs)


# ---- made of the others


@composed("linalg_tensorinv")
def _tensorinv(input: Tensor, ind: int = 2) -> Tensor:
    first, last = tuple(input.shape[:ind]), tuple(input.shape[ind:])
    if ind <= 0 or math.prod(first) != math.prod(last):
        raise at_call(
            RuntimeError,
            "Expected self to satisfy the requirement prod(self.shape[ind:]) == prod(self.shape[:ind]), but got "
            f"{math.prod(last)} != {math.prod(first)}",
        )
    size = math.prod(first)
    return _functions["linalg_inv"](input.reshape(size, size)).reshape((*last, *first))


@composed("linalg_tensorsolve")
def _tensorsolve(input: Tensor, other: Tensor, dims: Any = None) -> Tensor:
    if dims is not None:
        moved = [d % input.ndim for d in ((dims,) if isinstance(dims, int) else dims)]
        input = input.movedim(moved, tuple(range(input.ndim - len(moved), input.ndim)))
    size = math.prod(other.shape)
    solution = _functions["linalg_solve"](input.reshape(size, -1), other.reshape(-1))
    return solution.reshape(tuple(input.shape[other.ndim :]))


@composed("nuclear_norm")
def _nuclear_norm(input: Tensor, dim: Any = None, keepdim: bool = False) -> Tensor:
    return _functions["linalg_matrix_norm"](input, "nuc", (0, 1) if dim is None else tuple(dim), keepdim)


@composed("linalg_norm")
def _norm(input: Tensor, ord: Any = None, dim: Any = None, keepdim: bool = False, *, dtype: Any = None) -> Tensor:
    dims = None if dim is None else (dim,) if isinstance(dim, int) else tuple(dim)
    of_matrix = ord is not None and (input.ndim if dims is None else len(dims)) == 2
    if not of_matrix:
        order = 2 if ord is None else ord
        return _functions["linalg_vector_norm"](input, order, dims, keepdim, dtype=dtype)
    return _functions["linalg_matrix_norm"](input, ord, (-2, -1) if dims is None else dims, keepdim, dtype=dtype)
