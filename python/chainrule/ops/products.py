"""Products of tensors over chosen dimensions."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from math import prod

from .. import _core, broadcast_tensors
from .. import bool as bool_dtype
from .._core import Tensor
from ..autograd import differentiable
from ..user_warning import warn_user
from .checks import check_same_dtype, refuse_dtype, wrap_dim, wrap_dims


def kron(input: Tensor, other: Tensor) -> Tensor:
    """Each element of `input` times the whole of `other`, laid out as blocks."""
    n = max(input.ndim, other.ndim)
    a, b = ([1] * (n - x.ndim) + list(x.shape) for x in (input, other))
    spread = input.reshape([size for pair in zip(a, [1] * n, strict=True) for size in pair])
    blocks = spread * other.reshape([size for pair in zip([1] * n, b, strict=True) for size in pair])
    return _core.functions["_unsafe_view"](blocks, [p * q for p, q in zip(a, b, strict=True)])


def tensordot(a: Tensor, b: Tensor, dims: int | tuple | list | Tensor) -> Tensor:
    """The sum of products over the last dimensions of `a` and the first of `b`, or over two lists of dimensions."""
    over_a, over_b = _contracted(a, b, dims)
    for i, j in zip(over_a, over_b, strict=True):
        if a.shape[i] != b.shape[j] and 1 not in (a.shape[i], b.shape[j]):
            raise RuntimeError(
                "contracted dimensions need to match, but first has size "
                f"{a.shape[i]} in dim {i} and second has size {b.shape[j]} in dim {j}"
            )
        # A dimension of size one is broadcast, and so summed before the product.
        if a.shape[i] != b.shape[j]:
            if b.shape[j] == 1:
                a = a.sum(i, keepdim=True, dtype=a.dtype)
            else:
                b = b.sum(j, keepdim=True, dtype=b.dtype)
    kept_a = [i for i in range(a.ndim) if i not in over_a]
    kept_b = [i for i in range(b.ndim) if i not in over_b]
    shape = [a.shape[i] for i in kept_a] + [b.shape[i] for i in kept_b]
    size = prod(a.shape[i] for i in over_a)
    left = a.permute(kept_a + over_a).reshape(prod(a.shape[i] for i in kept_a), size)
    right = b.permute(over_b + kept_b).reshape(size, prod(b.shape[i] for i in kept_b))
    single = left.shape[0] == right.shape[1] == 1  # no matrix product for autocast, as in PyTorch
    return (left.reshape(size).dot(right.reshape(size)) if single else left.mm(right)).reshape(shape)


def _contracted(a: Tensor, b: Tensor, dims: int | tuple | list | Tensor) -> tuple[list[int], list[int]]:
    over_a, over_b = _two_lists(a, b, dims)
    if len(over_a) != len(over_b):
        raise RuntimeError(f"both dimension lists should have same length, but have {len(over_a)} and {len(over_b)}")
    if a.dtype != b.dtype:
        raise RuntimeError(f"both inputs should have same dtype, but have {a.dtype} and {b.dtype}")
    return wrap_dims(over_a, a.ndim), wrap_dims(over_b, b.ndim)


def _two_lists(a: Tensor, b: Tensor, dims: int | tuple | list | Tensor) -> tuple[list[int], list[int]]:
    if isinstance(dims, Tensor):
        if dims.numel() > 1 and dims.size(0) != 2:
            raise AssertionError(f"dims tensor must have size 2 in first dimension, got {dims.size(0)}")
        dims = dims.tolist() if dims.numel() > 1 else int(dims.item())
    if isinstance(dims, int):
        if dims < 0:
            raise RuntimeError(f"tensordot expects dims >= 0, but got dims={dims}")
        if dims > min(a.ndim, b.ndim):
            raise RuntimeError(f"tensordot expects dims < ndim_a or ndim_b, but got dims={dims}")
        return list(range(a.ndim - dims, a.ndim)), list(range(dims))
    if not isinstance(dims, (tuple, list)):
        raise RuntimeError(
            "tensordot expects dims to be int or tuple[list[int], list[int]] or list[list[int]] containing two lists, "
            f"but got dims={dims}"
        )
    over_a, over_b = dims
    for name, over in (("dims_self", over_a), ("dims_other", over_b)):
        if not isinstance(over, (tuple, list)):
            raise TypeError(f"tensordot(): argument '{name}' must be tuple of ints, not {type(over).__name__}")
    return list(over_a), list(over_b)


def cross(input: Tensor, other: Tensor, dim: int | None = None) -> Tensor:
    """The vector product in three dimensions, along `dim`."""
    if dim is None:
        dim = _first_of_size_three(input)
    if input.ndim != other.ndim:
        raise RuntimeError(
            f"linalg.cross: inputs must have the same number of dimensions. Got {input.ndim} and {other.ndim}"
        )
    given, dim = dim, wrap_dim(dim, input.ndim)
    if input.size(dim) != 3 or other.size(dim) != 3:
        raise RuntimeError(
            f"linalg.cross: inputs dimension {given} must have length 3. Got {input.size(dim)} and {other.size(dim)}"
        )
    if input.dtype == bool_dtype:
        refuse_dtype("cross", input.dtype)
    check_same_dtype(input, other)
    return _cross(input, other, dim)


@differentiable(name="LinalgCrossBackward0", shown={"input": "self"})
def _cross(input: Tensor, other: Tensor, dim: int) -> Tensor:
    a, b = (t.contiguous() for t in broadcast_tensors(input, other))  # and so is the result
    return a.roll(-1, dim) * b.roll(-2, dim) - a.roll(-2, dim) * b.roll(-1, dim)


@_cross.gradient("input")
def _(g: Tensor, other: Tensor, dim: int) -> Tensor:
    return _cross(other.conj(), g, dim)


@_cross.gradient("other")
def _(g: Tensor, input: Tensor, dim: int) -> Tensor:
    return _cross(g, input.conj(), dim)


def _first_of_size_three(input: Tensor) -> int:
    if 3 not in input.shape:
        raise RuntimeError("no dimension of size 3 in input")
    warn_user(
        "Using torch.cross without specifying the dim arg is deprecated.\n"
        "Please either pass the dim explicitly or simply use torch.linalg.cross.\n"
        "The default value of dim will change to agree with that of linalg.cross in a future release."
    )
    return list(input.shape).index(3)


def chain_matmul(matrices: Sequence[Tensor]) -> Tensor:
    """The product of matrices in the order that takes the fewest multiplications."""
    if not matrices:
        raise RuntimeError("chain_matmul(): Expected one or more matrices")
    for i, matrix in enumerate(matrices):
        if matrix.ndim != 2:
            raise RuntimeError(f"Tensor dimension is {matrix.ndim}, expected 2 instead: matrix {i}")
    if len(matrices) == 1:
        return matrices[0]
    warn_user(
        "torch.chain_matmul is deprecated and will be removed in a future PyTorch release. Use torch.linalg.multi_dot "
        "instead, which accepts a list of two or more tensors rather than multiple parameters."
    )
    product = multiply_chain(matrices)
    return product.view(product.shape)  # a view, as PyTorch's


def multiply_chain(matrices: Sequence[Tensor]) -> Tensor:
    """Two or more matrices multiplied in the cheapest order."""
    sizes = [matrices[0].size(0), *(matrix.size(1) for matrix in matrices)]

    @cache
    def best(first: int, last: int) -> tuple[int, int]:
        """How many multiplications matrices first..last take, and after which of them to split."""
        if first == last:
            return 0, first
        outer = sizes[first] * sizes[last + 1]
        return min((best(first, k)[0] + best(k + 1, last)[0] + outer * sizes[k + 1], k) for k in range(first, last))

    def product(first: int, last: int) -> Tensor:
        if first == last:
            return matrices[first]
        at = best(first, last)[1]
        return product(first, at).mm(product(at + 1, last))

    return product(0, len(matrices) - 1)
