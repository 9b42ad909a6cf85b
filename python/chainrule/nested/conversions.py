"""What a nested tensor says of itself, copies, dtypes and the graph; for both layouts."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .. import _core
from ..error_words import at_call
from ..overrides import DisableTorchFunctionSubclass
from .jagged import NestedTensor
from .kinds import Nested, packed


def wrapped_dim(x: Any, dim: int) -> int:
    """A dimension counted from the front."""
    n = x.dim()
    if not -n <= dim < n:
        raise at_call(IndexError, f"Dimension out of range (expected to be in range of [{-n}, {n - 1}], but got {dim})")
    return dim % n


def _size(function: Callable, x: Any, dim: Any = None) -> Any:
    return x.shape if dim is None else x.shape[wrapped_dim(x, dim)]


def _stride(function: Callable, x: Any, dim: Any = None) -> Any:
    if not isinstance(x, NestedTensor):
        raise at_call(RuntimeError, "Internal error: NestedTensorImpl doesn't support strides; values() has some")
    inner = packed(x).stride()
    strides = (x._rows.size * inner[x._rows.ragged - 1], *inner)
    return strides if dim is None else strides[wrapped_dim(x, dim)]


def _numel(function: Callable, x: Any) -> int:
    values = packed(x)
    if not isinstance(x, NestedTensor) or x.lengths() is None:
        return values.numel()
    length = values.shape[x._rows.ragged - 1]
    return sum(x._rows.counts) * (values.numel() // length if length else 0)


def _on_values(function: Callable, x: Any, *args: Any, **options: Any) -> Any:
    return function(packed(x), *args, **options)


def _alike(function: Callable, x: Any, *args: Any, **options: Any) -> Any:
    return x._alike(function(packed(x), *args, **options))


def _itself(function: Callable, x: Any, *args: Any, **options: Any) -> Any:
    """What concerns the place in the graph, which is that of the packed values."""
    with DisableTorchFunctionSubclass():
        return function(x, *args, **options)


def _backward(function: Callable, x: Any, gradient: Any = None, *args: Any, **options: Any) -> None:
    if isinstance(gradient, Nested):
        if not _same_rows(x, gradient):
            raise at_call(
                RuntimeError,
                f"Mismatch in shape: grad_output[0] has a shape of {_shown(gradient)} and output[0] has a shape "
                f"of {_shown(x)}.",
            )
        gradient = packed(gradient)
    elif gradient is not None and isinstance(x, Nested):
        raise at_call(RuntimeError, f"Mismatch in shape: grad_output[0] is not nested and output[0] is: {_shown(x)}")
    with DisableTorchFunctionSubclass():
        function(x, gradient, *args, **options)


def _shown(x: Any) -> str:
    return str(x.shape) if isinstance(x, NestedTensor) else str(getattr(x, "_rows", x.shape))


def _same_rows(x: Any, y: Any) -> bool:
    """Also if their offsets are different tensors with the same numbers."""
    if type(x) is not type(y):
        return False
    if not isinstance(x, NestedTensor):
        return x._rows == y._rows
    a, b = x._rows, y._rows
    same = a.size == b.size or (a.starts, a.counts) == (b.starts, b.counts)
    return same and a.ragged == b.ragged and packed(x).shape == packed(y).shape


def _to(function: Callable, x: Any, *args: Any, **options: Any) -> Any:
    if isinstance(args[0] if args else None, Nested):
        args = (packed(args[0]), *args[1:])
    values = packed(x)
    result = function(values, *args, **options)
    if result is values:
        return x
    return _moved(x, result)


def _moved(x: Any, values: Any) -> Any:
    result = x._alike(values)
    if isinstance(x, NestedTensor):
        result._rows = x._rows.on(values.device)
    return result


def _cast(function: Callable, x: Any, *args: Any, **options: Any) -> Any:
    values = packed(x)
    result = function(values, *args, **options)
    return x if result is values else _moved(x, result)


def _type(function: Callable, x: Any, dtype: Any = None, **options: Any) -> Any:
    return function(packed(x)) if dtype is None else x.to(dtype)


def _like(function: Callable, x: Any, *args: Any, **options: Any) -> Any:
    options.pop("layout", None)
    grad = options.pop("requires_grad", False)
    return _moved(x, function(packed(x).detach(), *args, **options)).requires_grad_(grad)


def _made_new(function: Callable, x: Any, *args: Any, **options: Any) -> Any:
    return function(packed(x), *args, **options)


def _contiguous(function: Callable, x: Any, **options: Any) -> Any:
    return x if x.is_contiguous() else x.clone(memory_format=_core.contiguous_format)


def _is_contiguous(function: Callable, x: Any, **options: Any) -> bool:
    if isinstance(x, NestedTensor) and x.lengths() is not None:
        return False
    return packed(x).is_contiguous()


def _clone(function: Callable, x: Any, *, memory_format: Any = None) -> Any:
    if isinstance(x, NestedTensor) and x.lengths() is not None and memory_format is _core.contiguous_format:
        from .construct import from_list

        return from_list(list(x.unbind()), None, None)
    return x._alike(function(packed(x), **({} if memory_format is None else {"memory_format": memory_format})))


def _copied(function: Callable, x: Any, src: Any, non_blocking: bool = False) -> Any:
    if not (isinstance(x, Nested) and isinstance(src, Nested)):
        raise at_call(
            RuntimeError, "copy_() between nested and ordinary tensors is not supported: unbind() gives the rows"
        )
    if not _same_rows(x, src):
        raise at_call(
            RuntimeError,
            f"copy_(): expected compatible input and src shapes, but got: {_shown(x)} and {_shown(src)}",
        )
    packed(x).copy_(packed(src))
    return x


def _written(function: Callable, x: Any, *args: Any, **options: Any) -> Any:
    function(packed(x), *args, **options)
    return x


def _item(function: Callable, x: Any) -> Any:
    if x.numel() != 1:
        raise at_call(RuntimeError, f"a Tensor with {x.numel()} elements cannot be converted to Scalar")
    return sum(row.sum().item() for row in x.unbind() if row.numel())


def _to_list(function: Callable, x: Any) -> Any:
    raise at_call(
        RuntimeError,
        ".tolist() is not supported for tensor subclasses, got NestedTensor: [row.tolist() for row in "
        "x.unbind()] has it",
    )


def _is_same_size(function: Callable, x: Any, other: Any) -> bool:
    return tuple(x.shape) == tuple(other.shape)


_CASTS = "bfloat16 double float half int long short char byte bool cfloat cdouble cpu cuda"
_LIKES = "empty_like ones_like zeros_like rand_like randn_like full_like randint_like"
_SAYINGS = "element_size is_floating_point is_complex is_signed get_device is_inference storage_offset is_conj is_neg"

RULES: dict[str, Callable[..., Any]] = {
    "size": _size,
    "stride": _stride,
    "numel": _numel,
    "nelement": _numel,
    "dim": lambda function, x: x.ndim,
    "ndimension": lambda function, x: x.ndim,
    **dict.fromkeys(_SAYINGS.split(), _on_values),
    **dict.fromkeys(_CASTS.split(), _cast),
    **dict.fromkeys(_LIKES.split(), _like),
    **dict.fromkeys(("new_empty", "new_zeros", "new_ones", "new_full", "new_tensor"), _made_new),
    **dict.fromkeys(("backward", "_backward"), _backward),
    **dict.fromkeys(
        ("requires_grad_", "retain_grad", "_hooks", "_post_hooks", "detach_", "_backward_hooks", "register_hook"),
        _itself,
    ),
    **dict.fromkeys(("zero_", "fill_", "normal_", "uniform_"), _written),
    "is_same_size": _is_same_size,
    "detach": _alike,
    "alias": _alike,
    "to": _to,
    "type": _type,
    "contiguous": _contiguous,
    "is_contiguous": _is_contiguous,
    "clone": _clone,
    "copy_": _copied,
    "item": _item,
    "tolist": _to_list,
}
