"""Making nested tensors: of a list, of packed values, of parts of an ordinary tensor."""

from __future__ import annotations

from typing import Any

from .. import _core
from .._core import Tensor
from ..autograd.grad_mode import no_grad
from ..error_words import at_call
from .jagged import NestedTensor, checked_pattern, over, wrapped
from .kinds import Nested, leaf, packed
from .pattern import Pattern

_functions = _core.functions
_strided, _jagged = _core.strided, _core.jagged


def nested_tensor(
    tensor_list: Any,
    *,
    dtype: Any = None,
    layout: Any = None,
    device: Any = None,
    requires_grad: bool = False,
    pin_memory: bool = False,
) -> Tensor:
    """A nested tensor of the rows in a list, without a history.

    Args:
        tensor_list: the rows, tensors or what torch.tensor takes.
        layout: torch.jagged, or torch.strided (which is the default).

    Shape and dtype: (B, ragged, ...), of rows of one dtype, or what is asked for.

    Derivative: none, the result is a leaf.

    >>> rows = torch.nested.nested_tensor([torch.tensor([1., 2.]), torch.tensor([3.])], layout=torch.jagged)
    >>> rows.offsets()
    tensor([0, 2, 3])
    >>> rows.sum(1)
    tensor([3., 3.])
    """
    if pin_memory:
        raise at_call(RuntimeError, "Cannot access accelerator device when none is available.")
    rows = [row if isinstance(row, Tensor) else _functions["as_tensor"](row) for row in tensor_list]
    with no_grad():
        result = _of_list(rows, dtype, device, layout)
    return leaf(type(result), packed(result).detach(), result._rows, requires_grad)


def _of_list(rows: list, dtype: Any, device: Any, layout: Any) -> Any:
    if layout in (None, _strided):
        from .strided import from_list as strided_from_list

        return strided_from_list(rows, dtype, device)
    _check_layout(layout, "tensors")
    return from_list(rows, dtype, device)


def _check_layout(layout: Any, what: str) -> None:
    if layout is not _jagged:
        raise at_call(RuntimeError, f"Specified layout is unsupported for nested {what}: {layout}")


def as_nested_tensor(ts: Any, dtype: Any = None, device: Any = None, layout: Any = None) -> Tensor:
    """A nested tensor of the rows in a list, or of a tensor's, through which gradients lead back to them.

    Shape and dtype: (B, ragged, ...), of rows of one dtype, or what is asked for.

    Derivative: the gradient of each row goes back to it.

    >>> a, b = torch.ones(2, requires_grad=True), torch.ones(3, requires_grad=True)
    >>> torch.nested.as_nested_tensor([a, b], layout=torch.jagged).mul(3).sum().backward()
    >>> a.grad, b.grad
    (tensor([3., 3.]), tensor([3., 3., 3.]))
    """
    if isinstance(ts, Tensor):
        return _of_tensor(ts, dtype, device, layout)
    if not isinstance(ts, (list, tuple)) or not all(isinstance(row, Tensor) for row in ts):
        raise at_call(
            TypeError,
            "as_nested_tensor(): Expected first argument to be a tensor or a list / tuple of tensors "
            f"but got {type(ts).__name__}",
        )
    return _of_list(list(ts), dtype, device, layout)


def _of_tensor(x: Tensor, dtype: Any, device: Any, layout: Any) -> Tensor:
    if x.dim() < 2:
        raise at_call(
            RuntimeError, f"as_nested_tensor(): Expected tensor argument to have dim() > 1, but got {x.dim()}"
        )
    if isinstance(x, Nested):
        if (layout or _strided) is not x.layout:
            raise at_call(
                RuntimeError,
                "as_nested_tensor(): Converting between nested tensor layouts is not supported: unbind() first",
            )
        return x.to(**{k: v for k, v in (("device", device), ("dtype", dtype)) if v is not None})
    if layout in (None, _strided):
        return _of_list(list(x.unbind()), dtype, device, layout)
    _check_layout(layout, "tensors")
    values = x.contiguous().flatten(0, 1).to(device=device, dtype=dtype)
    count, length = x.shape[0], x.shape[1]
    offsets = _functions["arange"](0, count + 1, device=values.device) * length
    return over(values, Pattern(offsets))


def from_list(rows: list[Tensor], dtype: Any, device: Any, offsets: Any = None) -> NestedTensor:
    """A nested tensor of the jagged layout with these rows."""
    ragged = _ragged_dimension(rows)
    values = _functions["cat"](rows, dim=ragged - 1)
    wanted = {name: value for name, value in (("dtype", dtype), ("device", device)) if value is not None}
    values = values.to(**wanted) if wanted else values
    if offsets is None:
        lengths = _functions["tensor"]([0, *(row.shape[ragged - 1] for row in rows)], device=values.device)
        offsets = lengths.cumsum(0)
    return wrapped(values, Pattern(offsets, None, ragged))


def _ragged_dimension(rows: list[Tensor]) -> int:
    """The one dimension in which rows differ; the first if there is none."""
    if not rows:
        raise at_call(RuntimeError, "Cannot construct a nested tensor from an empty tensor list")
    for what, kinds in (
        ("have the same dtype", {row.dtype for row in rows}),
        ("be on the same device", {row.device for row in rows}),
        ("have the same dim", {row.dim() for row in rows}),
    ):
        if len(kinds) > 1:
            got = ", ".join(sorted(map(str, kinds)))
            raise at_call(
                RuntimeError, f"When constructing a nested tensor, all tensors in list must {what}: got {got}"
            )
    if rows[0].dim() == 0:
        raise at_call(RuntimeError, "Cannot construct a nested tensor from a list of zero-dim tensors")
    ragged = [d + 1 for d in range(rows[0].dim()) if len({row.shape[d] for row in rows}) > 1]
    if len(ragged) > 1:
        raise at_call(
            RuntimeError,
            "Cannot represent given tensor list as a nested tensor with the jagged layout. Note that the jagged layout "
            "only allows for a single ragged dimension. For example: (B, *, D_0, D_1, ..., D_N), with ragged * "
            "dim. Got "
            f"rows of the shapes {[tuple(row.shape) for row in rows]}",
        )
    return ragged[0] if ragged else 1


def nested_tensor_from_jagged(
    values: Tensor,
    offsets: Tensor | None = None,
    lengths: Tensor | None = None,
    jagged_dim: int | None = None,
    min_seqlen: int | None = None,
    max_seqlen: int | None = None,
) -> Tensor:
    """A nested tensor over packed values, which it shares.

    Args:
        offsets: where each row begins, and where the last one ends; by default the rows of `lengths`, without gaps.
        lengths: of the rows; with offsets, for rows with gaps between them.
        jagged_dim: the ragged dimension of the result. Default: 1

    Shape and dtype: (B, ragged, ...), as the values.

    Derivative: the packed gradient goes back to the values.

    >>> rows = torch.nested.nested_tensor_from_jagged(torch.arange(5.), torch.tensor([0, 2, 5]))
    >>> rows.unbind()
    (tensor([0., 1.]), tensor([2., 3., 4.]))
    """
    name = "nested_tensor_from_jagged"
    starts: Any = offsets
    if offsets is None:
        if lengths is None:
            raise at_call(RuntimeError, f"{name}(): At least one of offsets or lengths is required.")
        starts, lengths = _from_lengths(lengths), None
    if jagged_dim is not None and jagged_dim < 1:
        raise at_call(ValueError, f"Expected jagged_dim >=1, but got {jagged_dim}.")
    return over(values, checked_pattern(name, values, starts, lengths, jagged_dim or 1))


def _from_lengths(lengths: Tensor) -> Any:
    return _functions["cat"]([lengths.new_zeros(1), lengths.cumsum(0)])


def narrow(tensor: Tensor, dim: int, start: Any, length: Any, layout: Any = _core.strided) -> Tensor:
    """A nested tensor of a part of each row of an ordinary tensor: from `start` on, `length` items.

    Args:
        dim: 1 for the jagged layout.
        start: one for all rows, or a tensor with one for each.
        length: likewise.

    Shape and dtype: (B, ragged, ...), as the tensor, whose memory a jagged result shares.

    Derivative: the gradient goes back to the parts.

    >>> x = torch.arange(6.).reshape(2, 3)
    >>> torch.nested.narrow(x, 1, torch.tensor([0, 1]), torch.tensor([1, 2]), layout=torch.jagged).unbind()
    (tensor([0.]), tensor([4., 5.]))
    """
    for name, given in (("start", start), ("length", length)):
        if not isinstance(given, (int, Tensor)):
            raise at_call(RuntimeError, f"{name} must be an integer or a tensor, but got {type(given).__name__}")
    if layout is _strided:
        if isinstance(start, Tensor) or isinstance(length, Tensor):
            raise at_call(RuntimeError, "start and length must be integers for the strided layout NT impl")
        if dim != 0:
            raise at_call(RuntimeError, f"narrow(): only dim=0 supported for nested tensors, but got: {dim}")
        return as_nested_tensor(list(tensor.narrow(0, start, length).unbind()))
    if layout is not _jagged:
        raise at_call(RuntimeError, f"Specified layout is unsupported for nested narrow: {layout}")
    if dim != 1:
        raise at_call(RuntimeError, f"jagged layout only supports dim=1, but got dim={dim}")
    return _narrowed(tensor, _one_for_each(start, tensor), _one_for_each(length, tensor))


def _one_for_each(given: Any, tensor: Tensor) -> Tensor:
    given = given if isinstance(given, Tensor) else _functions["tensor"]([given], device=tensor.device)
    if tuple(given.shape) not in ((), (1,), (tensor.shape[0],)):
        raise at_call(
            RuntimeError,
            "When constructing a jagged nested tensor using narrow(), your start and length must be Tensors that "
            f"broadcast to input.shape[0]: got {tuple(given.shape)} for {tensor.shape[0]} rows",
        )
    return given.expand(tensor.shape[0])


def _narrowed(tensor: Tensor, starts: Tensor, lengths: Tensor) -> Tensor:
    count, length = tensor.shape[0], tensor.shape[1]
    if any(s < 0 or n < 0 or s + n > length for s, n in zip(starts.tolist(), lengths.tolist(), strict=True)):
        raise at_call(
            RuntimeError,
            f"Expected cond to be True, but got False. narrow(): start {starts.tolist()} and length {lengths.tolist()} "
            f"are not inside of a dimension of size {length}",
        )
    begin = starts + length * _functions["arange"](count, device=tensor.device)
    offsets = _functions["cat"]([begin, begin[-1:] + lengths[-1:]])
    values = tensor.view(-1, *tensor.shape[2:])
    if offsets.diff().tolist() == lengths.tolist():  # the rows follow one another
        return over(values[begin[0].item() : offsets[-1].item()], Pattern(offsets - offsets[0]))
    return over(values, Pattern(offsets, lengths.contiguous()))
