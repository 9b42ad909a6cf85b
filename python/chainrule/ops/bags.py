"""embedding_bag under its old name, with what PyTorch's network functions need beside the result."""

from __future__ import annotations

from .. import _core
from .._core import Tensor
from ..nn.functional import look_up

_functions = _core.functions
_MODES = ("sum", "mean", "max")


def embedding_bag(
    weight: Tensor,
    indices: Tensor,
    offsets: Tensor,
    scale_grad_by_freq: bool = False,
    mode: int = 0,
    sparse: bool = False,
    per_sample_weights: Tensor | None = None,
    include_last_offset: bool = False,
    padding_idx: int | None = None,
) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """Sum (mode 0), mean (1) or maximum (2) of bags of rows; then the bag of each index, the sizes of the bags, and the
    rows that gave the maximum. `torch.nn.functional.embedding_bag` is easier to call.

    Shape and dtype: (bags, D) of weight (n, D) and indices (length), in the weight's dtype; integers for the others.
    Derivative: weight: zeros with g of each bag added at its indices; its mean, or where the maximum was

    >>> weight = torch.tensor([[1., 2.], [3., 4.], [5., 6.]])
    >>> torch.embedding_bag(weight, torch.tensor([0, 1, 2]), torch.tensor([0, 2]))[0]
    tensor([[4., 6.],
            [5., 6.]])
    """
    if mode not in (0, 1, 2):
        raise RuntimeError(f"embedding_bag: mode has to be 0 (sum), 1 (mean) or 2 (max), not {mode}")
    result = look_up.embedding_bag(
        indices,
        weight,
        offsets,
        scale_grad_by_freq=scale_grad_by_freq,
        mode=_MODES[mode],
        sparse=sparse,
        per_sample_weights=per_sample_weights,
        include_last_offset=include_last_offset,
        padding_idx=padding_idx,
    )
    starts = offsets[:-1] if include_last_offset else offsets
    bags = look_up.bags_of(starts, len(indices))
    sizes = bags.new_zeros(len(starts)).index_add(0, bags, _functions["ones_like"](bags))
    return result, bags, sizes, _rows_of_maxima(weight, indices, bags, result) if mode == 2 else sizes


def _rows_of_maxima(weight: Tensor, indices: Tensor, bags: Tensor, result: Tensor) -> Tensor:
    """For each number of the result the first index of its bag whose row has it."""
    values, found = weight.detach()[indices], bags.new_zeros(result.shape)
    for i in reversed(range(len(indices))):
        bag = int(bags[i])
        found[bag] = _functions["where"](values[i] == result.detach()[bag], indices[i], found[bag])
    return found
