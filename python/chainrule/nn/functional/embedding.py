"""Look-up tables, and one-hot vectors."""

from __future__ import annotations

import math
import warnings

from ... import _core
from ..._core import Tensor
from .core import core

_functions = _core.functions
_HALF = (_core.bfloat16, _core.float16)


def one_hot(tensor: Tensor, num_classes: int = -1) -> Tensor:
    """1 at the place that each index names, 0 elsewhere, along a new last dimension.

    Shape and dtype: (*, num_classes) of an input (*) of int64; int64.
    Derivative: none, the result is of integers

    >>> torch.nn.functional.one_hot(torch.tensor([0, 2]))
    tensor([[1, 0, 0],
            [0, 0, 1]])
    """
    if tensor.dtype is not _core.int64:
        raise RuntimeError("one_hot is only applicable to index tensor of type LongTensor.")
    if tensor.numel() == 0:
        if num_classes <= 0:
            raise RuntimeError("Can not infer total number of classes from empty tensor.")
        return tensor.new_empty((*tensor.shape, num_classes))
    if int(tensor.min()) < 0:
        raise RuntimeError("Class values must be non-negative.")
    if num_classes == -1:
        num_classes = int(tensor.max()) + 1
    elif num_classes < 1:
        raise RuntimeError("num_classes should be positive")
    elif num_classes <= int(tensor.max()):
        raise RuntimeError("Class values must be smaller than num_classes.")
    return (tensor.unsqueeze(-1) == _functions["arange"](num_classes)).long()


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
        raise AssertionError("Padding_idx must be within num_embeddings")
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
        warnings.warn(
            "Argument order of nn.functional.embedding_bag was changed. Usage `embedding_bag(weight, input, ...)` is "
            "deprecated, and should now be `embedding_bag(input, weight, ...)`.",
            stacklevel=2,
        )
        weight, input = input, weight
    _check_bag(input, weight, offsets, mode, scale_grad_by_freq, sparse, per_sample_weights)
    if input.dim() == 2:
        offsets = _functions["arange"](input.shape[0]) * input.shape[1]
        include_last_offset = False
        per_sample_weights = None if per_sample_weights is None else per_sample_weights.reshape(-1)
        input = input.reshape(-1)
    assert offsets is not None
    if max_norm is not None:
        core("embedding_renorm_")(weight.detach(), input, max_norm, norm_type)
    starts = [int(n) for n in offsets.tolist()]
    _check_offsets(starts, len(input), include_last_offset)
    ends = starts[1:] if include_last_offset else [*starts[1:], len(input)]
    bags = [list(range(a, b)) for a, b in zip(starts, ends, strict=False)]
    if padding_idx is not None:
        skipped = set((input == padding_idx % weight.shape[0]).nonzero().squeeze(1).tolist())
        bags = [[i for i in bag if i not in skipped] for bag in bags]
    rows = core("embedding")(weight, input, -1, scale_grad_by_freq, sparse)
    if weight.dtype in _HALF:  # sums of half numbers would be rounded at every step
        rows = rows.float()
    if per_sample_weights is not None:
        rows = rows * per_sample_weights.unsqueeze(1)
    return _reduced_bags(rows, bags, mode).to(weight.dtype)


def _reduced_bags(rows: Tensor, bags: list[list[int]], mode: str) -> Tensor:
    """Sum, mean or maximum of each bag of rows, by a table in which short bags are filled up with an empty row."""
    longest, empty = max(map(len, bags), default=0), len(rows)
    if longest == 0:
        return rows.sum() * 0 + rows.new_zeros(len(bags), rows.shape[1])
    filling = rows.new_full((1, rows.shape[1]), -math.inf if mode == "max" else 0.0)
    table = _functions["tensor"]([bag + [empty] * (longest - len(bag)) for bag in bags])
    spread = _functions["cat"]([rows, filling])[table]
    sizes = _functions["tensor"]([len(bag) for bag in bags]).unsqueeze(1)
    if mode == "max":
        return _functions["where"](sizes == 0, 0, spread.max(1)[0])
    return spread.sum(1) if mode == "sum" else spread.sum(1) / sizes.clamp_min(1)


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
        raise ValueError(
            f"embedding_bag: If per_sample_weights ({per_sample_weights.shape}) is not None, "
            f"then it must have the same shape as the input ({input.shape})"
        )
    if weight.dim() != 2:
        raise ValueError(f"weight has to be a 2D Tensor, but got Tensor of dimension {weight.dim()}")
    if input.dim() == 2 and offsets is not None:
        raise ValueError(
            "if input is 2D, then offsets has to be None, as input is treated is a mini-batch of fixed length "
            f"sequences. However, found offsets of type {type(offsets)!s}"
        )
    if input.dim() == 1 and (offsets is None or offsets.dim() != 1):
        raise ValueError("offsets has to be a 1D Tensor" + (" but got None" if offsets is None else ""))
    if input.dim() not in (1, 2):
        raise ValueError(f"input has to be 1D or 2D Tensor, but got Tensor of dimension {input.dim()}")
    if mode not in ("sum", "mean", "max"):
        raise ValueError("mode has to be one of sum, mean or max")
    if mode == "max" and scale_grad_by_freq:
        raise ValueError("max mode does not support scaling the gradient by the frequency")
    if mode == "max" and sparse:
        raise ValueError("max mode does not support sparse weights")
    if per_sample_weights is not None and mode != "sum":
        raise NotImplementedError(
            "embedding_bag: per_sample_weights was not None. per_sample_weights is only supported for mode='sum' "
            f"(got mode='{mode}'). Please open a feature request on GitHub."
        )


def _check_offsets(starts: list[int], n: int, include_last_offset: bool) -> None:
    if include_last_offset and not starts:
        raise RuntimeError("include_last_offset: number of offset should be at least 1")
    if starts and starts[0] != 0:
        raise RuntimeError(
            "offsets[0] has to be 0, i.e., the first sequence in the mini-batch has to start from position 0. "
            f"However, got {starts[0]}"
        )
    if starts and starts[-1] > n:
        raise RuntimeError(
            f"offsets[-1] can not be greater than input's length({n}) but got offsets[-1] of {starts[-1]}"
        )
