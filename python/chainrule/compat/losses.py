"""Losses as functions of the top level, which PyTorch keeps beside nn.functional's: the reduction is a number."""

from __future__ import annotations

from .._core import Tensor
from ..error_words import at_call
from ..nn import functional

_REDUCTIONS = ("none", "mean", "sum")
_NONE = 0  # what PyTorch takes here by default, other than in nn.functional


def _name(reduction: int) -> str:
    if reduction not in range(len(_REDUCTIONS)):
        raise at_call(ValueError, f"{reduction} is not a valid value for reduction: 0 is none, 1 the mean, 2 the sum")
    return _REDUCTIONS[reduction]


def binary_cross_entropy_with_logits(
    input: Tensor,
    target: Tensor,
    weight: Tensor | None = None,
    pos_weight: Tensor | None = None,
    reduction: int = _NONE,
) -> Tensor:
    """nn.functional.binary_cross_entropy_with_logits, with a number for the reduction: 0 none, 1 the mean, 2 the sum.

    Shape and dtype: One number, or with reduction 0 the shape of the input; its dtype.
    Derivative: input: (sigmoid(input) - target) * g, reduced alike

    >>> torch.binary_cross_entropy_with_logits(torch.zeros(2), torch.ones(2))
    tensor([0.6931, 0.6931])
    """
    return functional.binary_cross_entropy_with_logits(
        input, target, weight, pos_weight=pos_weight, reduction=_name(reduction)
    )


def cosine_embedding_loss(
    input1: Tensor, input2: Tensor, target: Tensor, margin: float = 0.0, reduction: int = _NONE
) -> Tensor:
    """nn.functional.cosine_embedding_loss, with a number for the reduction: 0 none, 1 the mean, 2 the sum.

    Shape and dtype: One number, or with reduction 0 one for each pair; the dtype of the inputs.
    Derivative: that of 1 - cosine, or of cosine - margin where the target is -1

    >>> torch.cosine_embedding_loss(torch.ones(1, 2), torch.ones(1, 2), torch.ones(1))
    tensor([0.])
    """
    return functional.cosine_embedding_loss(input1, input2, target, margin, reduction=_name(reduction))


def ctc_loss(
    log_probs: Tensor,
    targets: Tensor,
    input_lengths: Tensor | tuple[int, ...],
    target_lengths: Tensor | tuple[int, ...],
    blank: int = 0,
    reduction: int = _NONE,
    zero_infinity: bool = False,
) -> Tensor:
    """nn.functional.ctc_loss, with a number for the reduction: 0 none, 1 the mean, 2 the sum.

    Shape and dtype: One number, or with reduction 0 one for each sequence; the dtype of log_probs.
    Derivative: exp(log_probs) minus the share of the paths through each label

    >>> torch.ctc_loss(torch.zeros(2, 1, 2), torch.tensor([[1]]), (2,), (1,))
    tensor([-1.0986])
    """
    return functional.ctc_loss(
        log_probs, targets, input_lengths, target_lengths, blank, _name(reduction), zero_infinity
    )


def hinge_embedding_loss(input: Tensor, target: Tensor, margin: float = 1.0, reduction: int = _NONE) -> Tensor:
    """nn.functional.hinge_embedding_loss, with a number for the reduction: 0 none, 1 the mean, 2 the sum.

    Shape and dtype: One number, or with reduction 0 the shape of the input; its dtype.
    Derivative: g where the target is 1, -g where it is -1 and the input is below the margin

    >>> torch.hinge_embedding_loss(torch.tensor([0.5, 0.5]), torch.tensor([1, -1]))
    tensor([0.5000, 0.5000])
    """
    return functional.hinge_embedding_loss(input, target, margin, reduction=_name(reduction))


def kl_div(input: Tensor, target: Tensor, reduction: int = _NONE, *, log_target: bool = False) -> Tensor:
    """nn.functional.kl_div, with a number for the reduction: 0 none, 1 the mean, 2 the sum.

    Shape and dtype: One number, or with reduction 0 the shape of the input; its dtype.
    Derivative: input: -target * g, reduced alike

    >>> torch.kl_div(torch.zeros(2), torch.ones(2))
    tensor([0., 0.])
    """
    value = functional.kl_div(input, target, reduction="none", log_target=log_target)
    return (value, value.mean(), value.sum())[_REDUCTIONS.index(_name(reduction))]


def margin_ranking_loss(
    input1: Tensor, input2: Tensor, target: Tensor, margin: float = 0.0, reduction: int = _NONE
) -> Tensor:
    """nn.functional.margin_ranking_loss, with a number for the reduction: 0 none, 1 the mean, 2 the sum.

    Shape and dtype: One number, or with reduction 0 the shape of the inputs; their dtype.
    Derivative: -target * g and target * g where the loss is positive

    >>> torch.margin_ranking_loss(torch.tensor([1.0]), torch.tensor([3.0]), torch.tensor([1.0]))
    tensor([2.])
    """
    return functional.margin_ranking_loss(input1, input2, target, margin, reduction=_name(reduction))


def poisson_nll_loss(input: Tensor, target: Tensor, log_input: bool, full: bool, eps: float, reduction: int) -> Tensor:
    """nn.functional.poisson_nll_loss, with a number for the reduction: 0 none, 1 the mean, 2 the sum.

    Shape and dtype: One number, or with reduction 0 the shape of the input; its dtype.
    Derivative: input: (exp(input) - target) * g with log_input, else (1 - target / (input + eps)) * g

    >>> torch.poisson_nll_loss(torch.zeros(2), torch.ones(2), True, False, 1e-8, 1)
    tensor(1.)
    """
    return functional.poisson_nll_loss(input, target, log_input, full, eps=eps, reduction=_name(reduction))


def triplet_margin_loss(
    anchor: Tensor,
    positive: Tensor,
    negative: Tensor,
    margin: float = 1.0,
    p: float = 2.0,
    eps: float = 1e-6,
    swap: bool = False,
    reduction: int = _NONE,
) -> Tensor:
    """nn.functional.triplet_margin_loss, with a number for the reduction: 0 none, 1 the mean, 2 the sum.

    Shape and dtype: One number, or with reduction 0 one for each row; the dtype of the inputs.
    Derivative: that of the difference of the two distances, where the loss is positive

    >>> torch.triplet_margin_loss(torch.zeros(1, 2), torch.zeros(1, 2), torch.ones(1, 2))
    tensor([0.])
    """
    return functional.triplet_margin_loss(anchor, positive, negative, margin, p, eps, swap, reduction=_name(reduction))
