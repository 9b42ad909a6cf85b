"""Operations that PyTorch's dispatcher has by a name of its own, which torch and its tensors have in another form."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from .._core import Tensor, functions
from ..sparse.copies import _sparse_compressed_tensor_with_dims

__all__ = ["FUNCTIONS"]


def slice_(input: Tensor, dim: int = 0, start: int | None = None, end: int | None = None, step: int = 1) -> Tensor:
    """The elements start, start + step, ... of one dimension, a view."""
    return input[(slice(None),) * (dim % input.dim()) + (slice(start, end, step),)]


def index(input: Tensor, indices: Sequence[Tensor | None]) -> Tensor:
    """The elements at positions; None takes a whole dimension, and a tuple is an index as Python writes it."""
    return input[indices if isinstance(indices, tuple) else tuple(slice(None) if i is None else i for i in indices)]


def index_put_(
    input: Tensor, indices: Sequence[Tensor | None], values: Tensor, accumulate: bool = False, unsafe: bool = False
) -> Tensor:
    """Writes at positions; None takes a whole dimension."""
    if all(each is not None for each in indices):
        return functions["index_put_"](input, indices, values, accumulate)
    if accumulate:
        raise NotImplementedError("aten.index_put_: accumulate=True takes a tensor for each dimension")
    input[tuple(slice(None) if each is None else each for each in indices)] = values
    return input


def _to_copy(input: Tensor, *, memory_format: Any = None, non_blocking: bool = False, **options: Any) -> Tensor:
    """A copy with another dtype, device or order in memory."""
    given = {name: value for name, value in options.items() if value is not None}
    chosen = {} if memory_format is None else {"memory_format": memory_format}
    return input.to(copy=True, **given, **chosen)


def _unsafe_view(input: Tensor, size: Sequence[int]) -> Tensor:
    """view, of what nobody else sees."""
    return input.view(size)


def split_with_sizes(input: Tensor, split_sizes: Sequence[int], dim: int = 0) -> tuple[Tensor, ...]:
    """split into parts of these sizes."""
    return input.split(list(split_sizes), dim)


def nll_loss_forward(
    input: Tensor, target: Tensor, weight: Tensor | None, reduction: int, ignore_index: int
) -> tuple[Tensor, Tensor]:
    """nll_loss, and what its mean is divided by."""
    from ..nn import functional

    loss = functional.nll_loss(input, target, weight, None, ignore_index, None, ("none", "mean", "sum")[reduction])
    counts = target != ignore_index
    share = counts if weight is None else weight.index_select(0, target.masked_fill(~counts, 0).flatten()) * counts
    return loss, share.sum().to(input.dtype)


def native_layer_norm(
    input: Tensor, normalized_shape: Sequence[int], weight: Tensor | None, bias: Tensor | None, eps: float
) -> tuple[Tensor, Tensor, Tensor]:
    """layer_norm, the mean and the inverse of the standard deviation."""
    dims = list(range(input.dim() - len(normalized_shape), input.dim()))
    mean = input.mean(dims, keepdim=True)
    variance = input.var(dims, correction=0, keepdim=True)
    return functions["layer_norm"](input, normalized_shape, weight, bias, eps), mean, (variance + eps).rsqrt()


def _softmax(input: Tensor, dim: int, half_to_float: bool) -> Tensor:
    """softmax."""
    return functions["softmax"](input, dim)


def _log_softmax(input: Tensor, dim: int, half_to_float: bool) -> Tensor:
    """log_softmax."""
    return functions["log_softmax"](input, dim)


def _unchanged(input: Tensor) -> Tensor:
    return input.view(input.shape)


def pad(input: Tensor, pad: Sequence[int], mode: str = "constant", value: float | None = None) -> Tensor:
    """nn.functional.pad."""
    from ..nn import functional

    return functional.pad(input, pad, mode, value)


def _padded(mode: str) -> Callable[[Tensor, Sequence[int]], Tensor]:
    return lambda input, padding: pad(input, padding, mode)


def einsum(equation: str, tensors: Sequence[Tensor], *, path: Sequence[int] | None = None) -> Tensor:
    """torch.einsum."""
    import chainrule

    return chainrule.einsum(equation, *tensors)


FUNCTIONS: dict[str, Callable] = {
    "slice": slice_,
    "_local_scalar_dense": lambda input: input.item(),
    "_unsafe_view": _unsafe_view,
    "split_with_sizes": split_with_sizes,
    "nll_loss_forward": nll_loss_forward,
    "native_layer_norm": native_layer_norm,
    "index": index,
    "index_put_": index_put_,
    "alias": _unchanged,
    "_to_copy": _to_copy,
    "lift_fresh": _unchanged,
    "_softmax": _softmax,
    "_log_softmax": _log_softmax,
    "pad": pad,
    "einsum": einsum,
    "_sparse_compressed_tensor_with_dims": _sparse_compressed_tensor_with_dims,
} | {
    f"{kind}_pad{n}d": _padded(mode)
    for kind, mode in (("reflection", "reflect"), ("replication", "replicate"))
    for n in (1, 2, 3)
}
