"""Products of sparse matrices."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from .. import _core
from .._core import Tensor
from ..autograd.differentiable import differentiable
from ..error_words import at_call
from .convert import dense, to_compressed, to_coo
from .elementwise import dtype_name, plus, unsupported
from .history import assembled, coalesced, read, values_of
from .parts import BLOCKED, COO, CSC, CSR, LAYOUT_WORDS, CompressedPattern, CooPattern, is_sparse, layout_of, pattern_of

_functions = _core.functions
_QUICK = (_core.float32, _core.float64)
_HALVES = (_core.float16, _core.bfloat16)  # calculated in float, rounded once


class Rows:
    """Where the entries of a sparse matrix stand, by rows."""

    def __init__(self, starts: Tensor, columns: Tensor, width: int):
        self.starts, self.columns, self.width = starts, columns, width
        self.height = len(starts) - 1

    @property
    def lines(self) -> Tensor:
        """The row of each entry."""
        return _functions["arange"](self.height).repeat_interleave(self.starts.to(_core.int64).diff())


def conjugate(x: Tensor) -> Tensor:
    return x.conj() if x.is_complex() else x


# Three products that are each other's derivatives. A has these values in these rows; B and C are dense, as high as A is
# wide and high: A B, the transpose of A times C, and for each entry of A the product of C's row with B's.


@differentiable(name="SparseAddmmBackward0")
def product(values: Tensor, b: Tensor, rows: Rows) -> Tensor:
    if values.dtype in _HALVES:
        return product(values.float(), b.float(), rows).to(b.dtype)
    if values.dtype in _QUICK:
        return _functions["_csr_product"](rows.starts, rows.columns, values, b)
    terms = b.index_select(0, rows.columns) * values.unsqueeze(1)
    return b.new_zeros(rows.height, b.shape[1]).index_add(0, rows.lines, terms)


@product.gradient("values")
def _(g: Tensor, b: Tensor, rows: Rows) -> Tensor:
    return sampled(g, conjugate(b), rows)


@product.gradient("b")
def _(g: Tensor, values: Tensor, rows: Rows) -> Tensor:
    return transposed_product(conjugate(values), g, rows)


@differentiable(name="SparseAddmmBackward0")
def transposed_product(values: Tensor, c: Tensor, rows: Rows) -> Tensor:
    if values.dtype in _HALVES:
        return transposed_product(values.float(), c.float(), rows).to(c.dtype)
    if values.dtype in _QUICK:
        return _functions["_csr_transposed_product"](rows.starts, rows.columns, values, c, rows.width)
    terms = c.index_select(0, rows.lines) * values.unsqueeze(1)
    return c.new_zeros(rows.width, c.shape[1]).index_add(0, rows.columns, terms)


@transposed_product.gradient("values")
def _(g: Tensor, c: Tensor, rows: Rows) -> Tensor:
    return sampled(conjugate(c), g, rows)


@transposed_product.gradient("c")
def _(g: Tensor, values: Tensor, rows: Rows) -> Tensor:
    return product(conjugate(values), g, rows)


@differentiable(name="SparseSampledAddmmBackward0")
def sampled(c: Tensor, b: Tensor, rows: Rows) -> Tensor:
    if c.dtype in _HALVES:
        return sampled(c.float(), b.float(), rows).to(c.dtype)
    if c.dtype in _QUICK:
        return _functions["_csr_sampled_product"](rows.starts, rows.columns, c, b)
    return (c.index_select(0, rows.lines) * b.index_select(0, rows.columns)).sum(1)


@sampled.gradient("c")
def _(g: Tensor, b: Tensor, rows: Rows) -> Tensor:
    return product(g, conjugate(b), rows)


@sampled.gradient("b")
def _(g: Tensor, c: Tensor, rows: Rows) -> Tensor:
    return transposed_product(g, conjugate(c), rows)


# ---- matrices


def opened_matrix(x: Tensor) -> tuple[Tensor, Rows, bool]:
    """Values and rows of a matrix, or, with True, of its transpose."""
    pattern = pattern_of(x)
    if pattern.layout in BLOCKED or getattr(pattern, "batch", 0):
        return opened_matrix(to_compressed(x, CSR) if pattern.layout in BLOCKED else to_coo(x))
    if pattern.layout is not COO:
        width = pattern.size[1] if pattern.by_row else pattern.size[0]
        return values_of(x), Rows(pattern.starts, pattern.plain, width), not pattern.by_row
    x = coalesced(x)
    pattern = pattern_of(x)
    return values_of(x), Rows(pattern.starts, pattern.indices[1], pattern.size[1]), False


def multiplied(a: Tensor, b: Tensor) -> Tensor:
    """A sparse matrix times a dense one. The gradient of the sparse one has the places that it has."""
    values, rows, turned = opened_matrix(a)
    return (transposed_product if turned else product)(values, b, rows)


@differentiable(name="MmBackward0")
def _mm(a: Tensor, b: Tensor) -> Tensor:
    """The same where the gradient of the sparse matrix is dense, as that of torch.mm is."""
    return multiplied(a, b)


@_mm.gradient("a")
def _(g: Tensor, b: Tensor) -> Tensor:
    return g.mm(conjugate(b).t())


@_mm.gradient("b")
def _(g: Tensor, a: Tensor) -> Tensor:
    return multiplied(conjugate(transposed(a)), g)


@differentiable(name="MmBackward0")
def _mm_from_left(b: Tensor, a: Tensor) -> Tensor:
    """A dense matrix times a sparse one."""
    return multiplied(transposed(a), b.t()).t()


@_mm_from_left.gradient("b")
def _(g: Tensor, a: Tensor) -> Tensor:
    return multiplied(conjugate(a), g.t()).t()


@_mm_from_left.gradient("a")
def _(g: Tensor, b: Tensor) -> Tensor:
    return conjugate(b).t().mm(g)


def _check(name: str, a: Tensor, b: Tensor) -> None:
    for which, x in (("mat1", a), ("mat2", b)):
        if x.ndim != 2 and COO in (layout_of(a), layout_of(b)):
            raise at_call(RuntimeError, f"addmm: matrices expected, got {x.ndim}D tensor")
        if x.ndim != 2:
            raise at_call(RuntimeError, f"{which} must be a matrix, got {x.ndim}-D tensor")
    _check_inner_sizes(a, b)
    if a.dtype is not b.dtype:
        words = [dtype_name(x.dtype) for x in (a, b)]
        if layout_of(a) is layout_of(b) is COO:
            raise at_call(RuntimeError, f"mat1 dtype {words[0]} does not match mat2 dtype {words[1]}")
        raise at_call(RuntimeError, f"expected scalar type {words[0]} but found {words[1]}")
    for x in (a, b):
        if layout_of(x) is COO and len(pattern_of(x).outer) != 2:
            raise at_call(RuntimeError, f"{name}: expected sparse dimensions to be 2, got {len(pattern_of(x).outer)}")


def _check_inner_sizes(a: Tensor, b: Tensor) -> None:
    if a.shape[1] == b.shape[0]:
        return
    layouts = (layout_of(a), layout_of(b))
    if layouts in ((COO, _core.strided), (_core.strided, COO)):
        wanted, got = (a.shape[1], b.shape[0]) if layouts[0] is COO else (b.shape[0], a.shape[1])
        raise at_call(RuntimeError, f"addmm: Argument #3 (dense): Expected dim 0 size {wanted}, got {got}")
    # in the words that dense ones get
    empty = _functions["empty"]
    empty(tuple(a.shape), device="meta").mm(empty(tuple(b.shape), device="meta"))


def mm(input: Tensor, mat2: Tensor, *, masked: bool = False) -> Tensor:
    """The product of two matrices; sparse if both are. `masked`: the gradient of a sparse one has its places."""
    _check("mm", input, mat2)
    if is_sparse(input) and is_sparse(mat2):
        result = sparse_product(input, mat2)
        to_rows = not masked and layout_of(input) is CSC and layout_of(mat2) in (CSR, CSC)
        return to_compressed(result, CSR) if to_rows else result  # as PyTorch has it
    if is_sparse(input):
        return (multiplied if masked else _mm)(input, mat2)
    return multiplied(transposed(mat2), input.t()).t() if masked else _mm_from_left(input, mat2)


def transposed(x: Tensor) -> Tensor:
    from .shapes import transpose

    return transpose(x, 0, 1)


def sparse_product(a: Tensor, b: Tensor) -> Tensor:
    """The product of two sparse matrices, in the layout of the first."""
    left, right = coalesced(to_coo(a)), coalesced(to_coo(b))
    own, other = pattern_of(left), pattern_of(right)
    counts = other.starts.diff()
    each = counts.index_select(0, own.indices[1])
    from_left = _functions["arange"](own.count).repeat_interleave(each)
    begins = other.starts.index_select(0, own.indices[1]) - (each.cumsum(0) - each)
    from_right = _functions["arange"](len(from_left)) + begins.repeat_interleave(each)
    terms = values_of(left).index_select(0, from_left) * values_of(right).index_select(0, from_right)
    rows, columns = own.indices[0].index_select(0, from_left), other.indices[1].index_select(0, from_right)
    size = (a.shape[0], b.shape[1])
    result = coalesced(assembled(terms, CooPattern(_functions["stack"]([rows, columns]), size)))
    layout = pattern_of(a).layout
    return result if layout is COO else to_compressed(result, layout, pattern_of(a).block)


def matmul(input: Tensor, other: Tensor) -> Tensor:
    if input.ndim == 2 and other.ndim == 2:
        return mm(input, other)
    if input.ndim == 2 and other.ndim == 1:
        return mv(input, other)
    if input.ndim == 1 and other.ndim == 2:
        return mv(transposed(other), input)
    if input.ndim == 3 and other.ndim == 3:
        return bmm(input, other)
    raise unsupported("matmul", input if is_sparse(input) else other)


def mv(input: Tensor, vec: Tensor) -> Tensor:
    if is_sparse(vec):
        vec = dense(vec)
    if layout_of(input) not in (COO, _core.strided):
        _check_addmv(vec.new_empty(input.shape[:1]), input, vec)
    elif input.ndim != 2 or vec.ndim != 1:
        raise at_call(
            RuntimeError,
            f"mv: two tensor dim should be 2 and 1, but got SparseTensor Dim: {input.ndim}Tensor Dim: {vec.ndim}",
        )
    if input.shape[1] != vec.shape[0]:
        raise at_call(RuntimeError, "mv: expected self.size(-1) == vec.size(-1)")
    return mm(input, vec.unsqueeze(1)).squeeze(1)


def addmm(input: Tensor, mat1: Tensor, mat2: Tensor, *, beta: Any = 1, alpha: Any = 1, masked: bool = False) -> Tensor:
    """beta * input + alpha * (mat1 @ mat2)"""
    if is_sparse(input) and tuple(input.shape) != (mat1.shape[0], mat2.shape[1]):
        raise at_call(RuntimeError, f"expand is unsupported for {LAYOUT_WORDS[layout_of(input)]} tensors")
    all_sparse = is_sparse(mat1) and is_sparse(mat2)
    result = mm(mat1, mat2, masked=masked or all_sparse) if is_sparse(mat1) or is_sparse(mat2) else mat1.mm(mat2)
    if alpha != 1:
        result = result * alpha
    if beta == 0:
        return result
    shown = input if is_sparse(input) or input.shape == result.shape else input.expand(result.shape)
    if beta != 1:
        shown = shown * beta
    if is_sparse(result) and not is_sparse(shown):
        result = dense(result)
    return plus(shown, result) if is_sparse(result) else dense(shown) + result


def addmv(input: Tensor, mat: Tensor, vec: Tensor, *, beta: Any = 1, alpha: Any = 1) -> Tensor:
    """beta * input + alpha * (mat @ vec), of a matrix in a compressed layout"""
    if not is_sparse(mat) or pattern_of(mat).layout is COO or is_sparse(vec) or is_sparse(input):
        raise unsupported("addmv", next(t for t in (mat, vec, input) if is_sparse(t)))
    _check_addmv(input, mat, vec)
    rows = mat.shape[0]
    result = mv(mat, vec)
    if alpha != 1:
        result = result * alpha
    return result if beta == 0 else (input if beta == 1 else input * beta).expand(rows) + result


def _check_addmv(input: Tensor, mat: Tensor, vec: Tensor) -> None:
    if mat.ndim != 2 or vec.ndim != 1 or input.ndim > 1:
        raise at_call(RuntimeError, f"vector + matrix @ vector expected, got {input.ndim}, {mat.ndim}, {vec.ndim}")
    rows, columns = mat.shape
    if vec.shape[0] != columns or input.numel() not in (1, rows):
        raise at_call(
            RuntimeError,
            f"size mismatch, got input ({input.numel()}), mat ({rows}x{columns}), vec ({vec.shape[0]})",
        )
    if not input.dtype is mat.dtype is vec.dtype:
        words = [dtype_name(t.dtype) for t in (input, mat, vec)]
        raise at_call(
            RuntimeError,
            f"addmv input tensors must have the same dtype, but got {words[0]}, {words[1]}, and {words[2]}",
        )


def bmm(input: Tensor, mat2: Tensor) -> Tensor:
    """Products of batches; the first may be COO."""
    if layout_of(mat2) is COO:
        raise at_call(RuntimeError, "bmm_sparse: Tensor 'mat2' must be dense")
    if is_sparse(mat2):
        raise unsupported("bmm", mat2)
    if layout_of(input) is COO and len(pattern_of(input).outer) != 3:
        sparse = len(pattern_of(input).outer)
        raise at_call(RuntimeError, f"bmm_sparse: Tensor 'self' must have 3 sparse dims, but has {sparse}")
    for name, x in (("batch1", input), ("batch2", mat2)):
        if x.ndim != 3:
            raise at_call(RuntimeError, f"{name} must be a 3D tensor")
    for i, j in ((0, 0), (2, 1)):
        if input.shape[i] != mat2.shape[j]:
            raise at_call(RuntimeError, f"bmm_sparse: 'self.size({i})' and 'mat2.size({j})' must match")
    return _bmm(input, mat2)


def _batches(input: Tensor, mat2: Tensor) -> Tensor:
    x = coalesced(to_coo(input))
    batches, height, width = x.shape
    batch, rows, columns = pattern_of(x).indices.unbind(0)
    flat = _functions["stack"]([batch * height + rows, batch * width + columns])
    wide = assembled(values_of(x), CooPattern(flat, (batches * height, batches * width), True))
    return multiplied(wide, mat2.reshape(batches * width, mat2.shape[2])).reshape(batches, height, mat2.shape[2])


@differentiable(name="BmmBackward0")
def _bmm(a: Tensor, b: Tensor) -> Tensor:
    return _batches(a, b)


@_bmm.gradient("a")
def _(g: Tensor, b: Tensor) -> Tensor:
    return g.bmm(conjugate(b).transpose(1, 2))


@_bmm.gradient("b")
def _(g: Tensor, a: Tensor) -> Tensor:
    return _batches(conjugate(transposed_batches(a)), g)


def transposed_batches(a: Tensor) -> Tensor:
    from .shapes import transpose

    return transpose(to_coo(a), 1, 2)


def sampled_addmm(input: Tensor, mat1: Tensor, mat2: Tensor, *, beta: Any = 1, alpha: Any = 1) -> Tensor:
    """beta * input + alpha * (mat1 @ mat2), at the places that the input has.

    >>> x = torch.eye(2).to_sparse_csr()
    >>> torch.sparse.sampled_addmm(x, torch.ones(2, 3), torch.ones(3, 2)).values()
    tensor([4., 4.])
    """
    _check_sample(input, mat1, mat2)
    if input.ndim < mat1.ndim:
        input = repeated(input, mat1.shape[:-2])
    return _added_sample(input, mat1, mat2, alpha, beta)


def repeated(x: Tensor, batch: Sequence[int]) -> Tensor:
    """A matrix of CSR as each one of a batch."""
    pattern = pattern_of(x)
    starts, plain, values = (part.expand(*batch, len(part)) for part in (pattern.starts, pattern.plain, values_of(x)))
    return assembled(values.contiguous(), CompressedPattern(CSR, starts, plain, (*batch, *x.shape)))


def _check_sample(input: Tensor, mat1: Tensor, mat2: Tensor) -> None:
    if not is_sparse(input) or pattern_of(input).layout is COO:
        raise unsupported("sparse_sampled_addmm", input)
    name, mats = "sampled_addmm: Expected", (("mat1", mat1), ("mat2", mat2))
    if pattern_of(input).layout is not CSR:
        raise at_call(RuntimeError, f"{name} result to have sparse csr layout, but got {LAYOUT_WORDS[input.layout]}")
    if input.dtype not in (*_QUICK, _core.complex64, _core.complex128):
        raise at_call(
            RuntimeError,
            "sparse_sampled_addmm: Expected self to be a floating-point or complex tensor, but got "
            f"{dtype_name(input.dtype)}",
        )
    for which, mat in mats:
        if is_sparse(mat):
            raise at_call(RuntimeError, f"{name} {which} to have strided layout, but got {LAYOUT_WORDS[mat.layout]}")
    for which, other in (("mat2", mat2), ("self", input)):
        if mat1.dtype is not other.dtype:
            raise at_call(
                RuntimeError,
                f"{name} mat1 and {which} to have the same dtype, but got {dtype_name(mat1.dtype)} and "
                f"{dtype_name(other.dtype)}",
            )
    for which, mat in mats:
        if mat.ndim < 2:
            raise at_call(RuntimeError, f"{name} {which} to be a matrix, got {mat.ndim}-D tensor")
    _check_sample_sizes(input, mat1, mat2)


def _check_sample_sizes(input: Tensor, mat1: Tensor, mat2: Tensor) -> None:
    one, two, own = (list(x.shape[:-2]) for x in (mat1, mat2, input))
    name = "sampled_addmm: Expected"
    if one != two:
        raise at_call(RuntimeError, f"{name} mat1 and mat2 to have the same batch size, but got {one} and {two}")
    if own and own != one:
        raise at_call(RuntimeError, f"{name} self and mat1 to have the same batch size, but got {own} and {one}")
    if mat1.shape[-1] != mat2.shape[-2]:
        raise at_call(
            RuntimeError,
            f"sampled_addmm: mat1 and mat2 shapes cannot be multiplied ({mat1.shape[-2]}x{mat1.shape[-1]} and "
            f"{mat2.shape[-2]}x{mat2.shape[-1]})",
        )
    for dim, which, mat in ((-2, "mat1", mat1), (-1, "mat2", mat2)):
        if input.shape[dim] != mat.shape[dim]:
            raise at_call(RuntimeError, f"sampled_addmm: self.shape[{dim}] must match {which}.shape[{dim}]")


@differentiable(name="SparseSampledAddmmBackward0")
def _added_sample(input: Tensor, mat1: Tensor, mat2: Tensor, alpha: Any, beta: Any) -> Tensor:
    pattern = pattern_of(input)
    if pattern.batch:
        found = pattern.read(mat1 @ mat2)
    else:
        found = sampled(mat1, mat2.t(), Rows(pattern.starts, pattern.plain, pattern.size[1]))
    found = found * alpha if alpha != 1 else found
    return assembled(found if beta == 0 else found + values_of(input) * beta, pattern)


@_added_sample.gradient("input")
def _(g: Tensor, beta: Any) -> Tensor:
    return g * _conjugate_number(beta)  # in the layout that g has, as PyTorch's


@_added_sample.gradient("mat1")
def _(g: Tensor, input: Tensor, mat2: Tensor, alpha: Any) -> Tensor:
    return matmul(_at_places_of(input, g), conjugate(mat2).mT) * _conjugate_number(alpha)


@_added_sample.gradient("mat2")
def _(g: Tensor, input: Tensor, mat1: Tensor, alpha: Any) -> Tensor:
    return matmul(conjugate(mat1).mT, _at_places_of(input, g)) * _conjugate_number(alpha)


def _at_places_of(input: Tensor, g: Tensor) -> Tensor:
    return assembled(read(g, pattern_of(input)), pattern_of(input))


def _conjugate_number(x: Any) -> Any:
    return x.conjugate() if isinstance(x, complex) else x


def spmm_reduced(mat1: Tensor, mat2: Tensor, reduce: str) -> Tensor:
    """The product of a CSR matrix with a dense one, with another way than sums to join the terms of a row."""
    if reduce == "sum":
        return mm(mat1, mat2, masked=True)
    if reduce not in ("mean", "amax", "amin", "prod"):
        raise at_call(RuntimeError, f"reduce argument must be either sum, prod, mean, amax or amin, got {reduce}")
    values, rows, _ = opened_matrix(to_compressed(mat1, CSR))
    counts = rows.starts.to(_core.int64).diff()
    if reduce == "mean":
        return mm(mat1, mat2, masked=True) / counts.clamp_min(1).to(mat2.dtype).unsqueeze(1)
    terms = mat2.index_select(0, rows.columns) * values.unsqueeze(1)
    at = rows.lines.unsqueeze(1).expand(terms.shape)
    zeros = mat2.new_zeros(rows.height, mat2.shape[1])
    return zeros.scatter_reduce(0, at, terms, reduce, include_self=False)


RULES = {
    "mm": mm,
    "spmm": mm,
    "matmul": matmul,
    "__matmul__": matmul,
    "mv": mv,
    "addmm": addmm,
    "addmv": addmv,
    "bmm": bmm,
    "_sparse_mm": mm,
}
