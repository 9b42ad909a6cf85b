"""Look-up tables, and one-hot vectors."""

from __future__ import annotations

import math

from ... import _core
from ..._core import Tensor
from ...error_words import at_call
from ...user_warning import warn_user
from .core import core

_functions = _core.functions


def one_hot(tensor: Tensor, num_classes: int = -1) -> Tensor:
    """1 at the place that each index names, 0 elsewhere, along a new last dimension.

    Shape and dtype: (*, num_classes) of an input (*) of int64; int64.
    Derivative: none, the result is of integers

    >>> torch.nn.functional.one_hot(torch.tensor([0, 2]))
    tensor([[1, 0, 0],
            [0, 0, 1]])
    """
    if tensor.dtype is not _core.int64:
        raise at_call(RuntimeError, "one_hot is only applicable to index tensor of type LongTensor.")
    if tensor.numel() == 0:
        if num_classes <= 0:
            raise at_call(RuntimeError, "Can not infer total number of classes from empty tensor.")
        return tensor.new_empty((*tensor.shape, num_classes))
    if tensor.is_meta and num_classes > 0:  # no classes to look at
        return tensor.new_zeros(*tensor.shape, num_classes)
    if int(tensor.min()) < 0:
        raise at_call(RuntimeError, "Class values must be non-negative.")
    if num_classes == -1:
        num_classes = int(tensor.max()) + 1
    elif num_classes < 1:
        raise at_call(RuntimeError, "num_classes should be positive")
    elif num_classes <= int(tensor.max()):
        raise at_call(RuntimeError, "Class values must be smaller than num_classes.")
    return tensor.new_zeros(*tensor.shape, num_classes).scatter_(-1, tensor.unsqueeze(-1), 1)


def embedding(
    input: Tensor,
    weight: Tensor,
    padding_idx: int | None = None,
    max_norm: float | None = None,
    norm_type: float = 2.0,
    scale_grad_by_freq: bool = False,
    sparse: bool = False,
) -> Tensor:
    """The rows of `weight` that the indices name.

    Args:
        padding_idx: a row that gets no gradient.
        max_norm: rows that are used and longer are first shortened to it, in place, in the norm `norm_type`.
        scale_grad_by_freq: divide each row's gradient by how often the row is used.
        sparse: refused: there are no sparse tensors, the gradient is dense.

    Shape and dtype: (*, D) of weight (n, D) and indices (*), which are int32 or int64; the dtype of the weight.
    Derivative: weight: zeros with the rows of g added at the indices

    >>> torch.nn.functional.embedding(torch.tensor([1, 0]), torch.tensor([[1., 2.], [3., 4.]]))
    tensor([[3., 4.],
            [1., 2.]])
    """
    if padding_idx is None:
        padding_idx = -1
    elif not -weight.shape[0] <= padding_idx < weight.shape[0]:
        raise at_call(AssertionError, "Padding_idx must be within num_embeddings")
    elif padding_idx < 0:
        padding_idx += weight.shape[0]
    if max_norm is not None:
        core("embedding_renorm_")(weight.detach(), input.contiguous(), max_norm, norm_type)
    return core("embedding")(weight, input, padding_idx, scale_grad_by_freq, sparse)


def embedding_bag(
    input: Tensor,
    weight: Tensor,
    offsets: Tensor | None = None,
    max_norm: float | None = None,
    norm_type: float = 2,
    scale_grad_by_freq: bool = False,
    mode: str = "mean",
    sparse: bool = False,
    per_sample_weights: Tensor | None = None,
    include_last_offset: bool = False,
    padding_idx: int | None = None,
) -> Tensor:
    """Sum, mean or maximum of bags of rows: a row of a 2-D input is a bag, or what `offsets` cuts out of a 1-D one.

    Shape and dtype: (bags, D) of weight (n, D) and indices (bags, length), or one dimension and offsets; the dtype of
    the weight.
    Derivative: weight: zeros with g of each bag added at its indices; its mean, or where the maximum was

    >>> torch.nn.functional.embedding_bag(torch.tensor([[0, 1]]), torch.tensor([[1., 2.], [3., 4.]]))
    tensor([[2., 3.]])
    """
    if weight.dtype is _core.int64 and input.is_floating_point():
        warn_user(
            "Argument order of nn.functional.embedding_bag was changed. Usage `embedding_bag(weight, input, ...)` is "
            "deprecated, and should now be `embedding_bag(input, weight, ...)`."
        )
        weight, input = input, weight
    _check_bag(input, weight, offsets, mode, scale_grad_by_freq, sparse, per_sample_weights)
    if max_norm is not None:
        core("embedding_renorm_")(weight.detach(), input.contiguous(), max_norm, norm_type)
    padding = -1 if padding_idx is None else _padding_row(padding_idx, weight.shape[0])
    starts = _starts(input, offsets, include_last_offset)
    if mode == "max":
        try:
            return _largest(input, weight, starts, padding).to(weight.dtype)
        except IndexError:
            wrong = input[(input < 0) | (input >= weight.shape[0])]
            raise at_call(
                RuntimeError,
                f"embedding_bag: Expected idx >= 0 && idx < num_embeddings but found idx to be {int(wrong[0])}",
            ) from None
    factors = None if per_sample_weights is None else per_sample_weights.reshape(-1)
    options = (padding, scale_grad_by_freq, mode == "mean", sparse)
    return core("_embedding_bag_sum")(weight, input.reshape(-1), starts, factors, *options)


def _padding_row(padding_idx: int, rows: int) -> int:
    if not -rows <= padding_idx < rows:
        raise at_call(
            RuntimeError,
            f"padding_idx must be within the number of embeddings, {-rows} through {rows - 1}, but got {padding_idx}",
        )
    return padding_idx % rows


def _starts(input: Tensor, offsets: Tensor | None, include_last_offset: bool) -> Tensor:
    """Where each bag begins among all indices."""
    if offsets is None:
        return _functions["arange"](input.shape[0], device=input.device) * input.shape[1]
    _check_offsets(offsets, len(input), include_last_offset)
    return offsets[:-1] if include_last_offset else offsets


def bags_of(starts: Tensor, n: int) -> Tensor:
    """The bag of each of n indices."""
    places = _functions["arange"](n, dtype=starts.dtype, device=starts.device)
    bags = _functions["searchsorted"](starts, places, right=True) - 1
    return bags.clamp_min(0)


def _largest(input: Tensor, weight: Tensor, starts: Tensor, padding: int) -> Tensor:
    """The maximum of each bag of rows; empty bags give zeros."""
    if input.dim() == 2 and padding < 0 and input.numel():
        return core("embedding")(weight, input).max(1)[0]
    input, bags, count = input.reshape(-1), bags_of(starts, input.numel()), len(starts)
    if padding >= 0:
        kept = input != padding
        input, bags = input[kept], bags[kept]
    rows = core("embedding")(weight, input)
    sizes = bags.new_zeros(count).index_add(0, bags, _functions["ones_like"](bags))
    # A table with a row for each bag, in which short bags are filled up with a row that is never the largest.
    order = _functions["arange"](len(bags), device=bags.device)
    places = order - (sizes.cumsum(0) - sizes)[bags]
    longest = int(sizes.max()) if count else 0
    table = _functions["full"]((count, max(longest, 1)), len(rows), dtype=_core.int64, device=bags.device)
    table[bags, places] = order
    filling = rows.new_full((1, rows.shape[1]), -math.inf)
    largest = _functions["cat"]([rows, filling])[table].max(1)[0]
    return _functions["where"](sizes.unsqueeze(1) == 0, 0, largest)


def _check_bag(
    input: Tensor,
    weight: Tensor,
    offsets: Tensor | None,
    mode: str,
    scale_grad_by_freq: bool,
    sparse: bool,
    per_sample_weights: Tensor | None,
) -> None:
    if per_sample_weights is not None and input.shape != per_sample_weights.shape:
        raise at_call(
            ValueError,
            f"embedding_bag: If per_sample_weights ({per_sample_weights.shape}) is not None, "
            f"then it must have the same shape as the input ({input.shape})",
        )
    if weight.dim() != 2:
        raise at_call(ValueError, f"weight has to be a 2D Tensor, but got Tensor of dimension {weight.dim()}")
    if input.dim() == 2 and offsets is not None:
        raise at_call(
            ValueError,
            "if input is 2D, then offsets has to be None, as input is treated is a mini-batch of fixed length "
            f"sequences. However, found offsets of type {type(offsets)!s}",
        )
    if input.dim() == 1 and (offsets is None or offsets.dim() != 1):
        raise at_call(ValueError, "offsets has to be a 1D Tensor" + (" but got None" if offsets is None else ""))
    if input.dim() not in (1, 2):
        raise at_call(ValueError, f"input has to be 1D or 2D Tensor, but got Tensor of dimension {input.dim()}")
    if mode not in ("sum", "mean", "max"):
        raise at_call(ValueError, "mode has to be one of sum, mean or max")
    if mode == "max" and scale_grad_by_freq:
        raise at_call(ValueError, "max mode does not support scaling the gradient by the frequency")
    if mode == "max" and sparse:
        raise at_call(ValueError, "max mode does not support sparse weights")
    if per_sample_weights is not None and mode != "sum":
        raise at_call(
            NotImplementedError,
            "embedding_bag: per_sample_weights was not None. per_sample_weights is only supported for mode='sum' "
            f"(got mode='{mode}'). Please open a feature request on GitHub.",
        )


def _check_offsets(offsets: Tensor, n: int, include_last_offset: bool) -> None:
    if len(offsets) == 0:
        if include_last_offset:
            raise at_call(RuntimeError, "include_last_offset: number of offset should be at least 1")
        return
    first, last = int(offsets[0]), int(offsets[-1])
    if first != 0:
        raise at_call(
            RuntimeError,
            "offsets[0] has to be 0, i.e., the first sequence in the mini-batch has to start from position 0. "
            f"However, got {first}",
        )
    if last > n:
        raise at_call(
            RuntimeError, f"offsets[-1] can not be greater than input's length({n}) but got offsets[-1] of {last}"
        )
