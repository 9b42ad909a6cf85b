"""What PyTorch's dispatcher takes apart before a mode or a class that dispatches sees it: a rule for each name.

A rule gets `run` and the call's arguments; NotImplemented leaves the call whole.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import prod
from typing import Any

from .. import _core
from .._core import Tensor
from ..nn.modules.conversion import read_to
from ..shapes import broadcast_shapes
from .overloads import aten

__all__ = ["PARTS"]

Run = Callable[..., Any]


# ---- products


def _linear(run: Run, input: Tensor, weight: Tensor, bias: Tensor | None = None) -> Any:
    shape = [_rows(input), input.shape[-1]] if input.dim() else []
    if bias is None or weight.dim() != 2 or not _can_view(input, shape):
        found = _matmul(run, input, run(aten.t.default, weight) if weight.dim() == 2 else weight)
        return found if bias is None else run(aten.add.Tensor, found, bias)
    flat = input if input.dim() == 2 else run(aten.view.default, input, shape)
    found = run(aten.addmm.default, bias, flat, run(aten.t.default, weight))
    return found if input.dim() == 2 else run(aten.view.default, found, [*input.shape[:-1], weight.shape[0]])


def _rows(input: Tensor) -> int:
    return prod(input.shape[:-1])


def _matmul(run: Run, input: Tensor, other: Tensor, *, out: Any = None) -> Any:
    if out is not None or not (isinstance(input, Tensor) and isinstance(other, Tensor)):
        return NotImplemented
    dims = input.dim(), other.dim()
    if dims == (1, 1):
        return run(aten.dot.default, input, other)
    if dims == (2, 1):
        return run(aten.mv.default, input, other)
    if dims == (2, 2):
        return run(aten.mm.default, input, other)
    if dims == (1, 2):
        row = run(aten.mm.default, run(aten.unsqueeze.default, input, 0), other)
        return run(aten.squeeze_.dim, row, 0)
    if 0 in dims:
        return NotImplemented  # refused with the words of matmul
    shape = [_rows(input), input.shape[-1]]
    if dims[0] > 2 and dims[1] == 2 and _can_view(input, shape):
        found = run(aten.mm.default, run(aten.view.default, input, shape), other)
        return run(aten._unsafe_view.default, found, [*input.shape[:-1], other.shape[1]])
    return _batched(run, input, other)


def _batched(run: Run, input: Tensor, other: Tensor) -> Any:
    """Both as batches of matrices of the same size."""
    row, column = input.dim() == 1, other.dim() == 1
    left = run(aten.unsqueeze.default, input, 0) if row else input
    right = run(aten.unsqueeze.default, other, 1) if column else other
    batch = [*broadcast_shapes(left.shape[:-2], right.shape[:-2])]
    (n, k), m = left.shape[-2:], right.shape[-1]
    left = run(aten.expand.default, left, [*batch, n, k])
    left = _flattened(run, left, [prod(batch), n, k])
    right = run(aten.expand.default, right, [*batch, right.shape[-2], m])
    right = _flattened(run, right, [prod(batch), right.shape[-2], m])
    found = run(aten.bmm.default, left, right)
    shape = [*batch, *(() if row else (n,)), *(() if column else (m,))]
    return run(aten._unsafe_view.default, found, shape)


def _outer(run: Run, input: Tensor, vec2: Tensor, *, out: Any = None) -> Any:
    if out is not None:
        return NotImplemented
    return run(aten.mul.Tensor, run(aten.view.default, input, [len(input), 1]), vec2)


# ---- shapes


def _can_view(x: Tensor, shape: Sequence[int]) -> bool:
    """Whether the elements stand in memory so that a view has that shape."""
    try:
        _core.functions["empty_strided"](tuple(x.shape), x.stride(), device="meta").view(shape)
    except RuntimeError:
        return False
    return True


def _flattened(run: Run, x: Tensor, shape: Sequence[int]) -> Any:
    shape = list(shape)
    if _can_view(x, shape):
        return run(aten.view.default, x, shape)
    copied = run(aten.clone.default, x, memory_format=_core.contiguous_format)
    return run(aten._unsafe_view.default, copied, shape)


def _shape_of(given: tuple) -> list[int]:
    return list(given[0]) if len(given) == 1 and not isinstance(given[0], int) else list(given)


def _reshape(run: Run, input: Tensor, *shape: Any, **named: Any) -> Any:
    wanted = _shape_of(shape or (named["shape"],))
    if wanted.count(-1) == 1:
        known = prod(n for n in wanted if n != -1)
        wanted[wanted.index(-1)] = input.numel() // known if known else 0
    return _flattened(run, input, wanted) if prod(wanted) == input.numel() else NotImplemented


def _flatten(run: Run, input: Tensor, start_dim: int = 0, end_dim: int = -1) -> Any:
    if not input.dim():
        return _flattened(run, input, [1])
    first, last = start_dim % input.dim(), end_dim % input.dim()
    if first >= last:
        return input if first == last else NotImplemented
    merged = prod(input.shape[first : last + 1])
    return _flattened(run, input, [*input.shape[:first], merged, *input.shape[last + 1 :]])


def _unflatten(run: Run, input: Tensor, dim: Any, sizes: Any) -> Any:
    if not isinstance(dim, int) or -1 in sizes:
        return NotImplemented
    dim %= input.dim()
    return run(aten.view.default, input, [*input.shape[:dim], *sizes, *input.shape[dim + 1 :]])


def _contiguous(run: Run, input: Tensor, *, memory_format: Any = _core.contiguous_format) -> Any:
    if input.is_contiguous(memory_format=memory_format):
        return input
    return run(aten.clone.default, input, memory_format=memory_format)


def _chunk(run: Run, input: Tensor, chunks: int, dim: int = 0) -> Any:
    size = -(-input.shape[dim] // chunks) if chunks > 0 else 0
    return run(aten.split.Tensor, input, size, *([dim] if dim else [])) if size else NotImplemented


def _split(run: Run, input: Tensor, split_size: Any, dim: int = 0) -> Any:
    rest = [dim] if dim else []
    if isinstance(split_size, int):
        return run(aten.split.Tensor, input, split_size, *rest)
    return run(aten.split_with_sizes.default, input, list(split_size), *rest)


def _unbind(run: Run, input: Tensor, dim: int = 0) -> Any:
    return run(aten.unbind.int, input, *([dim] if dim else []))


def _narrow(run: Run, input: Tensor, dim: int, start: Any, length: int) -> Any:
    if not isinstance(start, int) or start < 0:
        return NotImplemented
    return run(aten.slice.Tensor, input, dim, start, start + length)


def _squeeze(run: Run, input: Tensor, dim: Any = None) -> Any:
    if dim is None:
        return run(aten.squeeze.default, input)
    return run(aten.squeeze.dim if isinstance(dim, int) else aten.squeeze.dims, input, dim)


def _along(name: str) -> Callable:
    """Sums and means, along dimensions or whole."""
    whole, part = (
        getattr(getattr(aten, name), each) for each in ("default", "dim_IntList" if name == "sum" else "dim")
    )

    def rule(run: Run, input: Tensor, dim: Any = None, keepdim: bool = False, **options: Any) -> Any:
        if options.get("out") is not None or (dim is None and keepdim):
            return NotImplemented
        given = {name: value for name, value in options.items() if value is not None}
        if dim is None:
            return run(whole, input, **given)
        dims = [dim] if isinstance(dim, int) else list(dim)
        return run(part, input, dims, *([True] if keepdim else []), **given)

    return rule


def _best(name: str) -> Callable:
    """Largest and smallest elements along a dimension."""

    def rule(run: Run, input: Tensor, dim: Any = None, keepdim: bool = False, **options: Any) -> Any:
        if not isinstance(dim, int) or options:
            return NotImplemented
        return run(getattr(aten, name).dim, input, dim, *([True] if keepdim else []))

    return rule


# ---- conversions


def _to(run: Run, input: Tensor, *args: Any, **options: Any) -> Any:
    if "other" in options:
        options["tensor"] = options.pop("other")
    dtype, device, memory_format, copy = read_to(*args, **options)
    changes: dict[str, Any] = {}
    if dtype is not None and (dtype != input.dtype or copy):
        changes["dtype"] = dtype
    if device is not None and _core.device(device) != input.device:
        changes["device"] = device
    if memory_format is not None and not input.is_contiguous(memory_format=memory_format):
        changes["memory_format"] = memory_format
    return run(aten._to_copy.default, input, **changes) if changes or copy else input


def _cast(dtype: Any) -> Callable:
    def rule(run: Run, input: Tensor, memory_format: Any = None) -> Any:
        return input if input.dtype == dtype else run(aten._to_copy.default, input, dtype=dtype)

    return rule


_CASTS = {
    "double": _core.float64,
    "float": _core.float32,
    "half": _core.float16,
    "bfloat16": _core.bfloat16,
    "int": _core.int32,
    "long": _core.int64,
    "short": _core.int16,
    "char": _core.int8,
    "byte": _core.uint8,
    "bool": _core.bool,
}


# ---- layers


def _softmax(op: Any) -> Callable:
    def rule(run: Run, input: Tensor, dim: Any = None, dtype: Any = None, *, out: Any = None) -> Any:
        if out is not None or dim is None:
            return NotImplemented
        x = input if dtype in (None, input.dtype) else run(aten._to_copy.default, input, dtype=dtype)
        return run(op, x, dim, False)

    return rule


def _convolution(n: int) -> Callable:
    def numbers(given: Any) -> list[int]:
        return [given] * n if isinstance(given, int) else list(given)

    def rule(
        run: Run,
        input: Tensor,
        weight: Tensor,
        bias: Tensor | None = None,
        stride: Any = 1,
        padding: Any = 0,
        dilation: Any = 1,
        groups: int = 1,
    ) -> Any:
        if isinstance(padding, str) or input.dim() != n + 2:
            return NotImplemented
        sizes = numbers(stride), numbers(padding), numbers(dilation)
        return run(aten.convolution.default, input, weight, bias, *sizes, False, [0] * n, groups)

    return rule


def _layer_norm(
    run: Run,
    input: Tensor,
    normalized_shape: Sequence[int],
    weight: Tensor | None = None,
    bias: Tensor | None = None,
    eps: float = 1e-5,
    cudnn_enable: bool = True,
) -> Any:
    return run(aten.native_layer_norm.default, input, list(normalized_shape), weight, bias, eps)[0]


def _cross_entropy(
    run: Run,
    input: Tensor,
    target: Tensor,
    weight: Tensor | None = None,
    reduction: int = 1,
    ignore_index: int = -100,
    label_smoothing: float = 0.0,
) -> Any:
    if label_smoothing or target.is_floating_point() or input.dim() > 2:
        return NotImplemented
    probabilities = run(aten._log_softmax.default, input, 1 if input.dim() == 2 else 0, False)
    return run(aten.nll_loss_forward.default, probabilities, target, weight, reduction, ignore_index)[0]


def _same_as(op: Any) -> Callable:
    return lambda run, input, other: run(op, input, list(other.shape))


PARTS: dict[str, Callable] = {
    "linear": _linear,
    "matmul": _matmul,
    "__matmul__": _matmul,
    "outer": _outer,
    "reshape": _reshape,
    "flatten": _flatten,
    "unflatten": _unflatten,
    "contiguous": _contiguous,
    "item": lambda run, input: run(aten._local_scalar_dense.default, input),
    "chunk": _chunk,
    "split": _split,
    "unbind": _unbind,
    "narrow": _narrow,
    "squeeze": _squeeze,
    "to": _to,
    "type_as": lambda run, input, other: _to(run, input, other.dtype),
    "softmax": _softmax(aten._softmax.default),
    "log_softmax": _softmax(aten._log_softmax.default),
    "layer_norm": _layer_norm,
    "cross_entropy_loss": _cross_entropy,
    **{name: _along(name) for name in ("sum", "mean")},
    **{name: _best(name) for name in ("max", "min")},
    "cpu": lambda run, input, **options: _to(run, input, device="cpu"),
    "square": lambda run, input, *, out=None: run(aten.pow.Tensor_Scalar, input, 2) if out is None else NotImplemented,
    "expand_as": _same_as(aten.expand.default),
    "view_as": _same_as(aten.view.default),
    "reshape_as": lambda run, input, other: _reshape(run, input, list(other.shape)),
    "dropout": lambda run, input, p=0.5, training=True, inplace=False: NotImplemented if training and p else input,
    **{name: _cast(dtype) for name, dtype in _CASTS.items()},
    **{f"conv{n}d": _convolution(n) for n in (1, 2, 3)},
}
for _name in ("swapaxes", "swapdims"):
    PARTS[_name] = lambda run, input, dim0, dim1: run(aten.transpose.int, input, dim0, dim1)
