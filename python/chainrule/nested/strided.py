"""The strided layout of nested tensors: rows of any sizes, and the operations that PyTorch has for them."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from .. import _core
from .._core import Tensor
from ..error_words import at_call
from .kinds import Nested, packed

_functions = _core.functions
Sizes = list[tuple[int, ...]]


class StridedNestedTensor(Nested):
    """A nested tensor of the strided layout: a list of tensors with the same number of dimensions."""

    _rows: Sizes

    layout: Any = property(lambda self: _core.strided)

    def values(self) -> Tensor:
        """The items of all rows, one after another."""
        return packed(self)

    @property
    def shape(self) -> Any:
        raise at_call(
            RuntimeError,
            f"Internal error: NestedTensorImpl doesn't support sizes. size(dim) has those that are regular: {_WAY}",
        )

    ndim: Any = property(lambda self: 1 + (len(self._rows[0]) if self._rows else 0))

    @property
    def T(self) -> Any:  # noqa: N802
        raise at_call(RuntimeError, f"a nested tensor cannot be turned by its batch dimension: {_WAY}")

    mT: Any = property(lambda self: self.transpose(-2, -1))  # noqa: N815

    def __repr__(self, *, tensor_contents: Any = None) -> str:
        rows = [row.detach().requires_grad_(self.requires_grad) for row in self.unbind()]
        lines = ",\n".join("\n".join(f"  {line}" for line in repr(row).split("\n")) for row in rows)
        suffix = ", requires_grad=True" if self.requires_grad else ""
        if self.grad_fn is not None:
            suffix = f", grad_fn=<{self.grad_fn.name().rpartition('::')[2]}>"
        return f"nested_tensor([\n{lines}\n]{suffix})"

    def __reduce_ex__(self, protocol: Any) -> Any:
        return _rebuilt, ([row.detach() for row in self.unbind()], self.dtype, self.requires_grad)


_WAY = "unbind() gives the rows, to_padded_tensor(padding) an ordinary tensor"


def _rebuilt(rows: list[Tensor], dtype: Any, requires_grad: bool) -> Any:
    from .construct import nested_tensor

    return nested_tensor(rows, dtype=dtype, requires_grad=requires_grad)


def from_list(rows: list[Tensor], dtype: Any = None, device: Any = None) -> Any:
    """A nested tensor of the strided layout with these rows."""
    for i, row in enumerate(rows):
        if row.dim() != rows[0].dim():
            raise at_call(
                RuntimeError,
                "All Tensors given to nested_tensor must have the same dimension. Found dimension "
                f"{row.dim()} for Tensor at index {i} and dimension {rows[0].dim()} for Tensor at index 0.",
            )
    dtype = dtype or (rows[0].dtype if rows else None)
    flat = [row.reshape(-1).to(dtype) for row in rows]
    values = _functions["cat"](flat) if flat else _functions["empty"](0, dtype=dtype)
    values = values if device is None else values.to(device)
    return _with_sizes(values, [tuple(row.shape) for row in rows])


def _with_sizes(values: Tensor, sizes: Sizes) -> Any:
    result = _core.result_as_subclass(StridedNestedTensor, values)
    result._rows = sizes
    return result


def _rows_of(x: Any) -> list[Tensor]:
    parts = packed(x).split([math.prod(size) for size in x._rows])
    return [part.view(size) for part, size in zip(parts, x._rows, strict=True)]


def padded(x: Any, padding: float, output_size: Any) -> Tensor:
    """An ordinary tensor with the rows in its corners."""
    if not x._rows:
        raise at_call(RuntimeError, "to_padded_tensor(): a nested tensor without rows has no size")
    largest = [len(x._rows), *(max(sizes) for sizes in zip(*x._rows, strict=True))]
    wanted = largest if output_size is None else list(output_size)
    if len(wanted) != len(largest) or any(size < least for size, least in zip(wanted, largest, strict=False)):
        raise at_call(
            RuntimeError,
            "Value in output_size is less than NestedTensor padded size. Truncation is not supported. Got "
            f"{wanted}, and the rows need {largest}",
        )
    rows = []
    for row in _rows_of(x):
        widths = [n for size, own in zip(wanted[:0:-1], row.shape[::-1], strict=True) for n in (0, size - own)]
        rows.append(_functions["constant_pad_nd"](row, widths, padding))
    rows += [rows[0].new_full(rows[0].shape, padding)] * (wanted[0] - len(rows))
    return _functions["stack"](rows)


# ---- on all items, and row by row


def _on_values(function: Callable, x: Any, *args: Any, **options: Any) -> Any:
    if not isinstance(x, StridedNestedTensor) or any(isinstance(a, Tensor) for a in (*args, *options.values())):
        return _together(function, x, *args, **options)
    return _with_sizes(function(packed(x), *args, **options), x._rows)


def _together(function: Callable, a: Any, b: Any, *args: Any, **options: Any) -> Any:
    name = function.__name__.strip("_")
    nested = [isinstance(x, Nested) for x in (a, b)]
    if all(nested):
        if a._rows != b._rows:
            raise at_call(
                RuntimeError,
                f"{name} does not support broadcasting when given a NestedTensor: got {a._rows} and {b._rows}",
            )
        return _with_sizes(function(packed(a), packed(b), *args, **options), a._rows)
    first, other = (a, b) if nested[0] else (b, a)
    if isinstance(other, Tensor) and other.numel() != 1:
        kinds = ["nested" if kind else "non-nested" for kind in nested]
        raise at_call(
            RuntimeError,
            f"Expected both self and other to be nested, but got a {kinds[0]} self and {kinds[1]} other of shape "
            f"{tuple(other.shape)}",
        )
    one = other.reshape(()) if isinstance(other, Tensor) else other
    values = (packed(a), one) if nested[0] else (one, packed(b))
    return _with_sizes(function(*values, *args, **options), first._rows)


def _written(function: Callable, x: Any, *args: Any, **options: Any) -> Any:
    given = []
    for other in args:
        if isinstance(other, Nested) and other._rows != x._rows:
            raise at_call(
                RuntimeError,
                f"{function.__name__} does not support broadcasting when given a NestedTensor: got {x._rows} and "
                f"{other._rows}",
            )
        given.append(packed(other) if isinstance(other, Nested) else other)
    if any(
        isinstance(a, Tensor) and not isinstance(o, Nested) and a.numel() != 1 for a, o in zip(given, args, strict=True)
    ):
        raise at_call(
            RuntimeError, "Expected both self and other to be nested, but got a nested self and non-nested other"
        )
    function(packed(x), *given, **options)
    return x


def _row_by_row(function: Callable, *args: Any, **options: Any) -> Any:
    """Of the rows of each nested argument; the others are for all rows."""
    counts = {len(a._rows) for a in args if isinstance(a, Nested)}
    if len(counts) > 1:
        raise at_call(
            RuntimeError, f"{function.__name__}(): nested tensors of {sorted(counts)} rows do not go together"
        )
    columns = [_rows_of(a) if isinstance(a, Nested) else [a] * max(counts) for a in args]
    return from_list([function(*row, **options) for row in zip(*columns, strict=True)])


def _dim_of_rows(x: Any, dim: int, name: str) -> int:
    n = x.dim()
    if not -n <= dim < n:
        raise at_call(IndexError, f"Dimension out of range (expected to be in range of [{-n}, {n - 1}], but got {dim})")
    if dim % n == 0:
        raise at_call(RuntimeError, f"{name}(): not supported on the batch dimension of a nested tensor: {_WAY}")
    return dim % n - 1


def _matmul(function: Callable, a: Any, b: Any) -> Any:
    if not (isinstance(a, Nested) and isinstance(b, Nested)):
        kinds = ["nested" if isinstance(x, Nested) else "non-nested" for x in (a, b)]
        raise at_call(
            RuntimeError,
            f"Expected both to be nested, but got a {kinds[0]} self and {kinds[1]} other: linear() takes both",
        )
    return _row_by_row(function, a, b)


def _transpose(function: Callable, x: Any, dim0: int, dim1: int) -> Any:
    return _row_by_row(function, x, _dim_of_rows(x, dim0, "transpose"), _dim_of_rows(x, dim1, "transpose"))


def _softmax(function: Callable, x: Any, dim: int, *args: Any, **options: Any) -> Any:
    return _row_by_row(function, x, _dim_of_rows(x, dim, function.__name__), *args, **options)


def _layer_norm(function: Callable, x: Any, shape: Any, *args: Any, **options: Any) -> Any:
    rows = [function(row, shape, *args, **options) for row in _rows_of(x)]
    return from_list(rows)


def _sum(function: Callable, x: Any, dim: Any = None, keepdim: bool = False, **options: Any) -> Any:
    dim = dim[0] if isinstance(dim, (tuple, list)) and len(dim) == 1 else dim
    if not isinstance(dim, int):
        raise at_call(
            NotImplementedError, f"Could not run 'aten::sum' with nested tensors: values().sum() has it; {_WAY}"
        )
    if _dim_of_rows(x, dim, "sum") != x.dim() - 2:
        raise at_call(
            RuntimeError, f"NestedTensor can only be reduced across the last dimension for now. Got dim {dim}"
        )
    if not keepdim:
        raise at_call(RuntimeError, "NestedTensor always requires keepdim=True for now.")
    return from_list([function(row, -1, True, **options) for row in _rows_of(x)])


def _size(function: Callable, x: Any, dim: Any = None) -> Any:
    if dim is None:
        return x.shape
    n = x.dim()
    if not -n <= dim < n:
        raise at_call(IndexError, f"Dimension out of range (expected to be in range of [{-n}, {n - 1}], but got {dim})")
    dim %= n
    if dim == 0:
        return len(x._rows)
    sizes = {size[dim - 1] for size in x._rows}
    if len(sizes) > 1:
        raise at_call(
            RuntimeError,
            f"Given dimension {dim} is irregular and does not have a size. The rows have "
            f"{[s[dim - 1] for s in x._rows]}",
        )
    return sizes.pop()


def _unbind(function: Callable, x: Any, dim: int = 0) -> tuple:
    if dim not in (0, -x.dim()):
        raise at_call(RuntimeError, f"NestedTensor can only be unbound along dimension 0 got dimension {dim} instead.")
    return tuple(_rows_of(x))


def _subscript(function: Callable, x: Any, index: Any) -> Any:
    first, rest = (index[0], tuple(index[1:])) if isinstance(index, tuple) and index else (index, ())
    if type(first) is not int:
        raise at_call(
            NotImplementedError, f"a nested tensor of the strided layout is indexed by a row first, got {index}: {_WAY}"
        )
    row = _rows_of(x)[first]
    return row[rest] if rest else row


def _select(function: Callable, x: Any, dim: int, index: int) -> Any:
    if dim != 0:
        raise at_call(
            NotImplementedError, f"select(): of the strided layout of nested tensors only rows, got dim={dim}: {_WAY}"
        )
    return _rows_of(x)[index]


def _equal(function: Callable, a: Any, b: Any) -> bool:
    same = isinstance(a, Nested) and isinstance(b, Nested) and a._rows == b._rows
    return same and function(packed(a), packed(b))


_ONE = """
    relu gelu silu tanh sigmoid sin cos exp log sqrt neg negative abs absolute sgn sign logical_not isnan isinf
    reciprocal
    square floor ceil round erf softplus leaky_relu elu hardtanh clamp dropout __neg__ __abs__ __invert__ mish
"""
_TWO = """
    add sub subtract rsub mul multiply div divide true_divide pow eq ne gt ge lt le masked_fill maximum minimum __add__
    __radd__ __sub__ __rsub__ __mul__ __rmul__ __truediv__ __rtruediv__ __pow__ __rpow__ __eq__ __ne__ __gt__ __ge__
    __lt__
    __le__
"""
_WRITES = "add_ sub_ mul_ div_ relu_ tanh_ neg_ __iadd__ __isub__ __imul__ __itruediv__"
RULES: dict[str, Callable[..., Any]] = {
    **dict.fromkeys(_ONE.split(), _on_values),
    **dict.fromkeys(_TWO.split(), _together),
    **dict.fromkeys(_WRITES.split(), _written),
    **dict.fromkeys(("matmul", "bmm", "__matmul__"), _matmul),
    "linear": _row_by_row,
    "scaled_dot_product_attention": _row_by_row,
    "layer_norm": _layer_norm,
    **dict.fromkeys(("softmax", "log_softmax"), _softmax),
    **dict.fromkeys(("transpose", "swapaxes", "swapdims"), _transpose),
    "sum": _sum,
    "size": _size,
    "unbind": _unbind,
    "__getitem__": _subscript,
    "select": _select,
    "equal": _equal,
}
