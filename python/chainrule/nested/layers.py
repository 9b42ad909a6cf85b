"""What layers do with nested tensors: softmax, normalization, dropout, embeddings."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .. import _core
from .._core import Tensor
from ..error_words import at_call
from .conversions import wrapped_dim
from .jagged import NestedTensor, wrapped
from .kinds import packed
from .padding import from_padded, padded_to
from .ragged_size import RaggedSize


def _softmax(function: Callable, x: NestedTensor, dim: Any = None, *args: Any, **options: Any) -> Any:
    name, ragged = function.__name__, x._rows.ragged
    if not isinstance(dim, int):
        raise at_call(
            RuntimeError, f"{name}(): not supported for dimensions of type '{type(dim).__name__}' for NestedTensor"
        )
    dim = wrapped_dim(x, dim)
    if dim == 0:
        raise at_call(
            RuntimeError,
            f"{name}(): not supported when reducing across the batch dimension for NestedTensor: dim={dim}",
        )
    if dim != ragged:
        return wrapped(function(packed(x), dim - 1, *args, **options), x._rows)
    if name != "softmax":
        raise at_call(
            RuntimeError,
            f"{name}(): not supported when reducing along the ragged dimension for NestedTensor: dim={dim}",
        )
    if ragged > 1:
        raise at_call(
            RuntimeError,
            "softmax(): not supported when reducing along the ragged dimension for ragged_idx > 1 for NestedTensor: "
            f"got {tuple(x.shape)}",
        )
    if x.lengths() is not None:
        raise at_call(
            RuntimeError,
            "softmax(): not supported where lengths is not None if reducing across the ragged dimension for "
            "NestedTensor",
        )
    padded = padded_to(x, -float("inf"), max(x._rows.counts, default=0))
    return from_padded(function(padded, 1, *args, **options), x._rows)


def _check_norm(name: str, x: NestedTensor, shape: Any) -> None:
    if x.dim() <= 2:
        raise at_call(
            RuntimeError,
            f"{name}(): not supported for NestedTensor objects with 2 or fewer dimensions: got {tuple(x.shape)}",
        )
    if len(shape) >= x.dim():
        raise at_call(
            RuntimeError, f"{name}(): not supported when normalizing over the batch dimension for NestedTensor: {shape}"
        )


def _layer_norm(
    function: Callable,
    x: Any,
    normalized_shape: Any,
    weight: Any = None,
    bias: Any = None,
    eps: float = 1e-5,
    *rest: Any,
) -> Any:
    _check_norm("layer_norm", x, normalized_shape)
    if any(isinstance(size, RaggedSize) for size in normalized_shape):
        return _layer_norm_of_rows(function, x, normalized_shape, weight, bias, eps)
    if len(normalized_shape) > x.dim() - x._rows.ragged - 1:
        raise at_call(
            RuntimeError,
            f"layer_norm(): given normalized_shape={list(normalized_shape)}, expected input with shape "
            f"{list(normalized_shape)}, but the dimension {x._rows.ragged} of {tuple(x.shape)} is ragged",
        )
    return wrapped(function(packed(x), normalized_shape, weight, bias, eps, *rest), x._rows)


def _layer_norm_of_rows(function: Callable, x: Any, shape: Any, weight: Any, bias: Any, eps: float) -> Any:
    """Over whole rows, each by itself."""
    if x.lengths() is not None:
        raise at_call(
            RuntimeError,
            "layer_norm(): not supported where lengths is not None if operating on the ragged dimension for "
            "NestedTensor",
        )
    if weight is not None or bias is not None or x._rows.ragged != 1 or tuple(shape) != tuple(x.shape[1:]):
        raise at_call(
            RuntimeError,
            "layer_norm(): over the ragged dimension of a NestedTensor it takes whole rows, without weight and "
            "bias: got "
            f"normalized_shape={tuple(shape)} for {tuple(x.shape)}",
        )
    rows = [function(row, tuple(row.shape), None, None, eps) for row in x.unbind()]
    return wrapped(_core.functions["cat"](rows), x._rows)


def _rms_norm(function: Callable, x: Any, normalized_shape: Any, *args: Any, **options: Any) -> Any:
    if len(normalized_shape) > x.dim() - x._rows.ragged - 1:
        raise at_call(
            ValueError,
            "rms_norm(): Normalization over the ragged dim not supported for nested tensors: got "
            f"normalized_shape={tuple(normalized_shape)} for {tuple(x.shape)}",
        )
    return wrapped(function(packed(x), normalized_shape, *args, **options), x._rows)


def _dropout(function: Callable, x: NestedTensor, *args: Any, **options: Any) -> Any:
    values = packed(x)
    result = function(values, *args, **options)
    return x if result is values else wrapped(result, x._rows)


def _embedding(function: Callable, *args: Any, **options: Any) -> Any:
    """embedding(weight, indices) and embedding(indices, weight): both orders are PyTorch's, at different depths."""
    nested = [x for x in (*args, *options.values()) if isinstance(x, NestedTensor)]
    if len(nested) != 1:
        raise at_call(ValueError, "embedding(): expected nested indices and an ordinary weight")
    (indices,) = nested
    plain = [packed(x) if x is indices else x for x in args]
    given = {key: packed(x) if x is indices else x for key, x in options.items()}
    weight = next(x for x in (*args, *options.values()) if isinstance(x, Tensor) and x is not indices)
    if weight.dim() != 2 or indices.dtype not in (_core.int32, _core.int64):
        raise at_call(RuntimeError, f"embedding(): expected nested indices of integers, but got {indices.dtype}")
    return wrapped(function(*plain, **given), indices._rows)


RULES: dict[str, Callable[..., Any]] = {
    **dict.fromkeys(("softmax", "log_softmax", "softmin"), _softmax),
    "layer_norm": _layer_norm,
    "rms_norm": _rms_norm,
    **dict.fromkeys(("dropout",), _dropout),
    "embedding": _embedding,
}
