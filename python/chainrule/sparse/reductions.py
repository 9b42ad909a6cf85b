"""Sums, norms and softmax of sparse tensors: what is not there is zero for sums, and not there for softmax."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from math import prod
from typing import Any

from .. import _core
from .._core import Tensor
from ..autograd.differentiable import differentiable
from ..error_words import at_call
from .convert import to_compressed, to_coo
from .elementwise import cast, dtype_name, unsupported
from .history import assembled, coalesced, loose, opened
from .parts import COO, CSR, LAYOUT_WORDS, CooPattern, is_sparse, pattern_of, raveled
from .shapes import wrapped

_functions = _core.functions
_NARROW = (_core.bool, _core.uint8, _core.int8, _core.int16, _core.int32)  # summed in int64


def total(input: Tensor, dim: Any = None, keepdim: bool = False, *, dtype: Any = None) -> Tensor:
    """The sum of all elements, a dense number, or along dimensions, sparse."""
    if dtype is not None:
        input = cast(input, dtype)
    if dim is None or (not isinstance(dim, int) and len(dim) == 0):
        result = _sum_of_all(input)
        return result.reshape([1] * input.ndim) if keepdim else result
    if pattern_of(input).layout is not COO:
        return _total_compressed(input, dim, keepdim)
    dims = _dims(dim, input.ndim)
    if len(dims) == input.ndim:
        return _sum_of_all(input).reshape([1] * (input.ndim * keepdim))
    if dtype is None and input.dtype in _NARROW:
        input = cast(input, _core.int64)
    result = _total_coo(input, dims)
    if not keepdim:
        return result
    for d in dims:
        result = result.unsqueeze(d)
    return result


def _dims(dim: Any, ndim: int) -> list[int]:
    """Dimensions counted from the front, in order."""
    dims = sorted(wrapped(d, ndim) for d in ([dim] if isinstance(dim, int) else dim))
    twice = next((d for d, e in pairwise(dims) if d == e), None)
    if twice is not None:
        raise at_call(RuntimeError, f"dim {twice} appears multiple times in the list of dims")
    return dims


@differentiable(name="SumBackward0")
def _sum_of_all(x: Tensor) -> Tensor:
    return loose(x)[1].sum()


@_sum_of_all.gradient("x")
def _(g: Tensor, x: Tensor) -> Tensor:
    return g.expand(x.shape)


def _total_coo(x: Tensor, dims: Sequence[int], keepdim: bool = False, stays_sparse: bool = False) -> Tensor:
    pattern, values = loose(x)
    n = len(pattern.outer)
    inner = [d - n + 1 for d in dims if d >= n]
    if inner:
        values = values.sum(inner, keepdim, dtype=values.dtype)
    kept = [d for d in range(n) if d not in dims]
    size = [1 if d in dims else s for d, s in enumerate(pattern.size) if keepdim or d not in dims]
    if len(kept) == n:
        return coalesced(assembled(values, CooPattern(pattern.indices, size, pattern.coalesced)))
    if not kept and not stays_sparse:
        return values.sum(0).reshape(size)
    rows = [pattern.indices[d] for d in kept]
    if keepdim:
        zeros = pattern.indices.new_zeros(pattern.count)
        rows = [zeros if d in dims else pattern.indices[d] for d in range(n)]
    return coalesced(assembled(values, CooPattern(_functions["stack"](rows), size)))


def _total_compressed(x: Tensor, dim: Any, keepdim: bool) -> Tensor:
    layout = pattern_of(x).layout
    if layout is not CSR:
        raise at_call(
            RuntimeError,
            "Currently the only compressed sparse format supported for sum.dim_IntList is CSR, but got layout "
            f"{LAYOUT_WORDS[layout]}",
        )
    if not keepdim:
        raise at_call(RuntimeError, "reduction operations on CSR tensors with keepdim=False is unsupported")
    if x.ndim != 2:
        raise at_call(RuntimeError, f"sum.dim_IntList of CSR takes a matrix, but got {x.ndim} dimensions")
    if x.dtype in _NARROW:
        x = cast(x, _core.int64)
    summed = _total_coo(to_coo(x), _dims(dim, x.ndim), True, stays_sparse=True)
    return to_compressed(coalesced(summed), CSR, index=pattern_of(x).starts.dtype)


def sum(input: Tensor, dim: Any = None, dtype: Any = None) -> Tensor:
    """The sum of a sparse tensor along dimensions; without them, of all elements.

    >>> x = torch.sparse_coo_tensor([[0, 1, 1], [2, 0, 2]], [3., 4., 5.], (2, 3))
    >>> torch.sparse.sum(x, 1).to_dense()
    tensor([3., 9.])
    """
    if not is_sparse(input):
        return input.sum(dim, dtype=dtype)
    if dtype is not None:
        input = cast(input, dtype)
    if dim is None:
        return loose(input)[1].sum()
    dims = _dims(dim, input.ndim)
    if pattern_of(input).layout is not COO:
        raise unsupported("_indices", input)
    return _total_coo(input, dims)


def norm(input: Tensor, p: Any = "fro", dim: Any = None, keepdim: bool = False, dtype: Any = None) -> Tensor:
    """A norm of all elements."""
    if dim is not None and len([dim] if isinstance(dim, int) else dim) not in (0, input.ndim):
        raise at_call(
            RuntimeError,
            "norm_sparse currently only supports full reductions, so 'dim' must either be empty or contain all "
            "dimensions of the input",
        )
    if keepdim:
        raise at_call(RuntimeError, "norm_sparse currently does not support keepdim=True")
    if dtype is not None and p == "fro":
        raise at_call(ValueError, "dtype argument is not supported in frobenius norm")
    if dtype is not None:
        raise at_call(RuntimeError, "norm_sparse currently does not support 'dtype' argument")
    if not (input.is_floating_point() or input.is_complex()):
        raise at_call(
            RuntimeError,
            f"norm(): input dtype should be either floating point or complex. Got {dtype_name(input.dtype)} instead.",
        )
    values = opened(input)[1].reshape(-1)
    return _functions["linalg_vector_norm"](values, 2 if p in ("fro", None) else p)


def vector_norm(input: Tensor, ord: Any = 2, dim: Any = None, keepdim: bool = False, *, dtype: Any = None) -> Tensor:
    return norm(input, ord, dim, keepdim, dtype)


def any_of(input: Tensor) -> Tensor:
    return opened(input)[1].any()


# ---- softmax


def softmax(input: Tensor, dim: int, *, dtype: Any = None) -> Tensor:
    """Softmax along a dimension, of the elements that are there: the others stay zero.

    >>> x = torch.sparse_coo_tensor([[0, 1, 1], [2, 0, 2]], [3., 4., 5.], (2, 3))
    >>> torch.sparse.softmax(x, 1).to_dense()
    tensor([[0.0000, 0.0000, 1.0000],
            [0.2689, 0.0000, 0.7311]])
    """
    return _softmax(input, dim, dtype, logarithm=False)


def log_softmax(input: Tensor, dim: int, *, dtype: Any = None) -> Tensor:
    """The logarithm of softmax, of the elements that are there.

    >>> x = torch.sparse_coo_tensor([[0, 1, 1], [2, 0, 2]], [3., 4., 5.], (2, 3))
    >>> torch.sparse.log_softmax(x, 1).values()
    tensor([ 0.0000, -1.3133, -0.3133])
    """
    return _softmax(input, dim, dtype, logarithm=True)


def _softmax(input: Tensor, dim: int, dtype: Any, *, logarithm: bool) -> Tensor:
    if not is_sparse(input):
        raise at_call(
            NotImplementedError, "Could not run 'aten::_sparse_softmax' with arguments from the 'CPU' backend."
        )
    if dtype is not None:
        input = cast(input, dtype)
    d = wrapped(dim, input.ndim)
    layout = pattern_of(input).layout
    if layout is not COO:
        raise unsupported("_sparse_softmax", input)
    if not pattern_of(input).count:
        return input
    name = "log_softmax" if logarithm else "softmax"
    if not input.is_floating_point():
        raise at_call(NotImplementedError, f"\"{name}\" not implemented for '{dtype_name(input.dtype)}'")
    pattern, values = opened(input)
    n = len(pattern.outer)
    if d >= n:
        function = Tensor.log_softmax if logarithm else Tensor.softmax
        return assembled(function(values, d - n + 1), pattern)
    return assembled(_pooled(values, *_pools(pattern, d), logarithm=logarithm), pattern)


def _pools(pattern: Any, d: int) -> tuple[Tensor, int]:
    """For each entry the number of the line along dimension d that it stands in."""
    rest = [i for i in range(len(pattern.outer)) if i != d]
    if not rest:
        return _functions["zeros"](pattern.count, dtype=_core.int64), 1
    sizes = [pattern.outer[i] for i in rest]
    keys = raveled([pattern.indices[i] for i in rest], sizes)
    order, starts = _functions["_sparse_order"](keys, max(prod(sizes), 1))
    runs = _functions["zeros"](pattern.count, dtype=_core.int64)
    runs[starts[1:]] = 1
    pools = _functions["empty_like"](runs)
    pools[order] = runs.cumsum(0)
    return pools, max(len(starts), 1)


def _pooled(values: Tensor, pools: Tensor, count: int, *, logarithm: bool) -> Tensor:
    rest = values.shape[1:]
    at = pools.reshape(-1, *[1] * len(rest)).expand(values.shape)
    shape = (count, *rest)
    highest = values.detach().new_full(shape, -float("inf")).scatter_reduce(0, at, values.detach(), "amax")
    shifted = values - highest.index_select(0, pools)
    exponentials = shifted.exp()
    totals = values.new_zeros(shape).index_add(0, pools, exponentials)
    if logarithm:
        return shifted - totals.log().index_select(0, pools)
    return exponentials / totals.index_select(0, pools)


RULES = {
    "sum": total,
    "norm": norm,
    "frobenius_norm": norm,
    "linalg_vector_norm": vector_norm,
    "linalg_norm": vector_norm,
    "any": any_of,
}
