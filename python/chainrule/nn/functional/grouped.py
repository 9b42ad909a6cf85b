"""Products of groups of matrices, one matrix for each expert of a mixture."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

from ... import _core
from ..._core import Tensor, dtype
from ...error_words import at_call

_functions = _core.functions


def grouped_mm(
    mat_a: Tensor,
    mat_b: Tensor,
    *,
    offs: Tensor | None = None,
    bias: Tensor | None = None,
    out_dtype: dtype | None = None,
) -> Tensor:
    """Products of matrices group by group, where a 2-D operand is cut into groups that end at `offs`.

    Args:
        offs: int32, where each group ends; None if both operands are 3-D.
        bias: refused, as in PyTorch.
        out_dtype: that of `mat_a`, or None.

    Shape and dtype: (n, q) of (n, p) and (g, p, q); (g, n, q) of (n, p) and (p, q), or of two 3-D operands; (n, q) of
    (g, n, p) and (p, q). float32, bfloat16 or float16; what is beyond the last group is 0.
    Derivative: of each group that of its product

    >>> a, b = torch.ones(3, 4), torch.stack([torch.eye(4), 2 * torch.eye(4)])
    >>> torch.nn.functional.grouped_mm(a, b, offs=torch.tensor([1, 3], dtype=torch.int32))
    tensor([[1., 1., 1., 1.],
            [2., 2., 2., 2.],
            [2., 2., 2., 2.]])
    """
    _check(mat_a, mat_b, offs, bias, out_dtype)
    if offs is None:
        return _functions["bmm"](mat_a, mat_b)
    groups = [slice(start, end) for start, end in pairwise([0, *offs.tolist()])]
    if mat_a.ndim == 2 and mat_b.ndim == 2:
        return _functions["stack"]([mat_a[:, group] @ mat_b[group] for group in groups])
    if mat_a.ndim == 2:
        products = [mat_a[group] @ b for group, b in zip(groups, mat_b, strict=True)]
        return _filled_up(products, 0, mat_a.shape[0])
    products = [a @ mat_b[:, group] for group, a in zip(groups, mat_a, strict=True)]
    return _filled_up(products, 1, mat_b.shape[1])


def _filled_up(products: list[Tensor], dim: int, size: int) -> Tensor:
    shape = list(products[0].shape)
    shape[dim] = size - sum(product.shape[dim] for product in products)
    return _functions["cat"]([*products, products[0].new_zeros(shape)], dim)


def _check(mat_a: Tensor, mat_b: Tensor, offs: Tensor | None, bias: Any, out_dtype: dtype | None) -> None:
    for name, operand in (("mat_a", mat_a), ("mat_b", mat_b)):
        if operand.dtype not in (_core.float32, _core.bfloat16, _core.float16):
            raise at_call(
                RuntimeError, f"Expected {name} to be Float32, BFloat16 or Float16 matrix, got {operand.dtype}"
            )
        if operand.ndim not in (2, 3):
            raise at_call(RuntimeError, f"{name} has to be 2 or 3d, but has shape {list(operand.shape)}")
    if mat_a.shape[-1] != mat_b.shape[-2]:
        raise at_call(
            RuntimeError,
            "contraction dimension of mat_a and mat_b must match, "
            f"but they have shapes {list(mat_a.shape)} and {list(mat_b.shape)}",
        )
    if (offs is None) != (mat_a.ndim == mat_b.ndim == 3):
        raise at_call(
            RuntimeError,
            "Have to provide offsets if there is a 2d matrix, or no offset if both matrices are 3d, "
            f"but they have shapes {list(mat_a.shape)} and {list(mat_b.shape)}",
        )
    if bias is not None:
        raise at_call(RuntimeError, "Bias not supported yet")
    if out_dtype not in (None, mat_a.dtype):
        raise at_call(
            RuntimeError, f"Grouped gemm output dtype must match `mat_a` dtype: {out_dtype} and {mat_a.dtype}"
        )
    if offs is not None:
        _check_groups(mat_a, mat_b, offs)
    elif len(mat_a) != len(mat_b):
        raise at_call(RuntimeError, f"matrix batch sizes have to match, but are {len(mat_a)} and {len(mat_b)}")


def _check_groups(mat_a: Tensor, mat_b: Tensor, offs: Tensor) -> None:
    """The ends of the groups rise and stay inside the operand that they cut, one group for each matrix of the other."""
    if offs.ndim != 1 or offs.dtype is not _core.int32:
        raise at_call(
            RuntimeError, "Offsets have to be int32" if offs.ndim == 1 else f"offs has to be 1D, but is {offs.ndim}D"
        )
    for operand in (mat_a, mat_b):
        if operand.ndim == 3 and len(operand) != len(offs):
            raise at_call(RuntimeError, f"matrix batch sizes have to match, but are {len(operand)} and {len(offs)}")
    size = mat_a.shape[1 if mat_b.ndim == 2 else 0] if mat_a.ndim == 2 else mat_b.shape[1]
    ends = [0, *offs.tolist(), size]
    if any(end < start for start, end in pairwise(ends)):
        raise at_call(RuntimeError, f"offs has to rise from 0 to at most {size}, but is {offs.tolist()}")
