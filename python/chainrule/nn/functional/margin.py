"""Losses that ask for a margin."""

from __future__ import annotations

from collections.abc import Callable

from ... import _core
from ..._core import Tensor
from ...amp.precision import in_float32
from ...autograd.differentiable import differentiable
from ...error_words import at_call
from .._reduction import chosen, reduced
from .distance import pairwise_distance

_functions = _core.functions
_where, _logsigmoid = _functions["where"], _functions["logsigmoid"]


@in_float32
def soft_margin_loss(
    input: Tensor,
    target: Tensor,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
) -> Tensor:
    """log(1 + exp(-target * input)), with targets 1 and -1.

    Shape and dtype: Input and target are broadcast to one shape; (), or that shape for reduction "none".
    Derivative: input: -g * target * sigmoid(-target * input), divided by the number of elements for "mean"

    >>> torch.nn.functional.soft_margin_loss(torch.tensor([0., 1.]), torch.tensor([1., -1.]))
    tensor(1.0032)
    """
    return _soft_margin_loss(input, target, chosen(size_average, reduce, reduction))


@differentiable(name="SoftMarginLossBackward0", shown={"input": "self"})
def _soft_margin_loss(input: Tensor, target: Tensor, reduction: str) -> Tensor:
    return reduced(-_logsigmoid(input * target), reduction)


@_soft_margin_loss.gradient
def _(g, input, target, reduction, needs):
    product = input * target
    slope = -g * (-product).sigmoid()
    slope = slope / product.numel() if reduction == "mean" else slope
    return slope * target if needs.input else None, slope * input if needs.target else None


@in_float32
def hinge_embedding_loss(
    input: Tensor,
    target: Tensor,
    margin: float = 1.0,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
) -> Tensor:
    """The input where the target is 1, and what it lacks to the margin where it is -1.

    Shape and dtype: Input and target of one shape; (), or that shape for reduction "none"; the dtype of the input.
    Derivative: input: g where the target is 1, -g where it is -1 and the input is below the margin

    >>> torch.nn.functional.hinge_embedding_loss(torch.tensor([0.5, 0.25]), torch.tensor([1, -1]))
    tensor(0.6250)
    """
    near = _where(target != -1, input, 0)
    # A margin as a tensor is rounded to the input's dtype first, as PyTorch does it.
    far = _where(target != 1, (_functions["full_like"](input, margin) - input).clamp_min(0), 0)
    return reduced(near + far, chosen(size_average, reduce, reduction))


@in_float32
def margin_ranking_loss(
    input1: Tensor,
    input2: Tensor,
    target: Tensor,
    margin: float = 0,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
) -> Tensor:
    """What input1 lacks to be larger than input2 by the margin (target 1), or smaller (-1).

    Shape and dtype: Inputs and target are broadcast to one shape; (), or that shape for reduction "none".
    Derivative: input1: -g * target where the margin is not kept, input2: minus that

    >>> torch.nn.functional.margin_ranking_loss(torch.tensor([1.]), torch.tensor([3.]), torch.tensor([1.]))
    tensor(2.)
    """
    reduction = chosen(size_average, reduce, reduction)
    if input1.dim() != input2.dim() or input1.dim() != target.dim():
        raise at_call(
            RuntimeError,
            "margin_ranking_loss : All input tensors should have same dimension but got sizes: "
            f"input1: {input1.size()}, input2: {input2.size()}, target: {target.size()} ",
        )
    return reduced((-target * (input1 - input2) + margin).clamp_min(0), reduction)


@in_float32
def cosine_embedding_loss(
    input1: Tensor,
    input2: Tensor,
    target: Tensor,
    margin: float = 0,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
) -> Tensor:
    """1 - cos of the angle between the inputs where the target is 1; where it is -1, cos beyond the margin.

    Shape and dtype: Inputs (N, D) or (D,), target (N,) or (); (), or the shape of the target for reduction "none".
    Derivative: that of the cosine, times minus g where the target is 1, times g where it is -1 beyond the margin

    >>> a, b = torch.tensor([[1., 0.]]), torch.tensor([[0., 1.]])
    >>> torch.nn.functional.cosine_embedding_loss(a, b, torch.tensor([1]))
    tensor(1.)
    """
    reduction = chosen(size_average, reduce, reduction)
    if target.dim() not in (0, 1):
        raise at_call(RuntimeError, "0D or 1D target tensor expected, multi-target not supported")
    if input1.dim() != target.dim() + 1 or input2.dim() != target.dim() + 1:
        kind = (
            "1D target tensor expects 2D input tensors" if target.dim() else "0D target tensor expects 1D input tensors"
        )
        raise at_call(
            RuntimeError, f"{kind}, but found inputs with sizes {list(input1.shape)} and {list(input2.shape)}."
        )
    tiny = 1e-12
    lengths = ((input1 * input1).sum(-1) + tiny) * ((input2 * input2).sum(-1) + tiny)
    cosine = (input1 * input2).sum(-1) / lengths.sqrt()
    loss = _where(target == 1, 1 - cosine, 0) + _where(target == -1, (cosine - margin).clamp_min(0), 0)
    return reduced(loss, reduction)


@in_float32
def multi_margin_loss(
    input: Tensor,
    target: Tensor,
    p: int = 1,
    margin: float = 1.0,
    weight: Tensor | None = None,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
) -> Tensor:
    """How far each wrong class comes within the margin of the right one, to the power p, averaged over classes.

    Shape and dtype: Input (N, C) or (C,), target (N,) or (); (), or the shape of the target for reduction "none".
    Derivative: input: g * p * distance ** (p - 1) / C at each wrong class within the margin, minus their sum at the
    right one

    >>> torch.nn.functional.multi_margin_loss(torch.tensor([[0.5, 0.25]]), torch.tensor([0]))
    tensor(0.3750)
    """
    reduction = chosen(size_average, reduce, reduction)
    if p not in (1, 2):
        raise at_call(ValueError, "only p == 1 and p == 2 supported")
    if weight is not None and weight.dim() != 1:
        raise at_call(ValueError, "weight must be one-dimensional")
    rows, labels = _rows_and_labels("multi_margin_loss", input, target)
    classes = rows.shape[1]
    if weight is not None and weight.numel() != classes:
        raise at_call(RuntimeError, f"inconsistent weight size, expected {classes} but got {list(weight.shape)}")
    _check_labels(target)
    if labels.numel() and (int(labels.min()) < 0 or int(labels.max()) >= classes):
        raise at_call(RuntimeError, "target out of range")
    right = rows[_functions["arange"](len(rows)), labels].unsqueeze(1)
    short = (margin - right + rows).clamp_min(0)
    short = short.square() if p == 2 else short
    if weight is not None:
        short = short * weight[labels].unsqueeze(1)
    wrong = _functions["arange"](classes) != labels.unsqueeze(1)
    loss = _where(wrong, short, 0).sum(1) / classes
    return reduced(loss if input.dim() > 1 or reduction != "none" else loss.squeeze(0), reduction)


@in_float32
def multilabel_margin_loss(
    input: Tensor,
    target: Tensor,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
) -> Tensor:
    """How far each wrong class comes within 1 of each right one; the row of right classes ends at the first -1.

    Shape and dtype: Input and target (N, C) or (C,); (), or (N,) for reduction "none"; the dtype of the input.
    Derivative: input: g / C at each wrong class within 1 of a right one, minus that at the right one

    >>> torch.nn.functional.multilabel_margin_loss(torch.tensor([[0.5, 0.25]]), torch.tensor([[0, -1]]))
    tensor(0.3750)
    """
    reduction = chosen(size_average, reduce, reduction)
    _check_scores(input)
    if target.shape != input.shape:
        raise at_call(
            RuntimeError, f"inconsistent target size: {list(target.shape)} for input of size: {list(input.shape)}"
        )
    _check_labels(target)
    rows, labels = (x.reshape(-1, input.shape[-1] if input.dim() else 1) for x in (input, target))
    if target.numel() and (int(target.min()) < -1 or int(target.max()) >= rows.shape[1]):
        raise at_call(RuntimeError, "argument #2 'target' is out of range")
    given = (labels >= 0).long().cumprod(1).bool()
    most = int(given.sum(1).max()) if len(rows) else 0  # rows are mostly padding, and each label meets every class
    given = given[:, :most]
    labels = _where(given, labels[:, :most], 0)
    classes = _functions["arange"](rows.shape[1])
    is_right = ((labels.unsqueeze(2) == classes) & given.unsqueeze(2)).any(1)
    right = rows[_functions["arange"](len(rows)).unsqueeze(1), labels]
    short = (1 - right.unsqueeze(2) + rows.unsqueeze(1)).clamp_min(0)
    counted = given.unsqueeze(2) & ~is_right.unsqueeze(1)
    loss = _where(counted, short, 0).sum((1, 2)) / rows.shape[1]
    return reduced(loss if input.dim() > 1 or reduction != "none" else loss.squeeze(0), reduction)


def _check_scores(input: Tensor) -> None:
    if input.dim() > 2 or 0 in input.shape[-1:]:
        raise at_call(
            RuntimeError,
            f"Expected non-empty vector or matrix with optional 0-dim batch size, but got: {list(input.shape)}",
        )


def _check_labels(target: Tensor) -> None:
    if target.dtype is not _core.int64:
        found = target.type().removeprefix("torch.").removesuffix("Tensor")
        raise at_call(RuntimeError, f"expected scalar type Long but found {found}")


def _rows_and_labels(name: str, input: Tensor, target: Tensor) -> tuple[Tensor, Tensor]:
    _check_scores(input)
    rows = input.reshape(1, -1) if input.dim() < 2 else input
    labels = target.reshape(-1)
    if len(labels) != len(rows) or target.dim() > 1:
        raise at_call(
            RuntimeError,
            f"{name}: target tensor should be 1-D with size equal to the number of input samples (batch size). "
            f"Expected target size [{len(rows)}], but got {list(target.shape)}. Input has shape {list(input.shape)}.",
        )
    return rows, labels


@in_float32
def triplet_margin_loss(
    anchor: Tensor,
    positive: Tensor,
    negative: Tensor,
    margin: float = 1.0,
    p: float = 2,
    eps: float = 1e-6,
    swap: bool = False,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
) -> Tensor:
    """What the negative example lacks to be farther from the anchor than the positive one by the margin.

    Shape and dtype: (N, D) or (D,) each; (), or (N,) for reduction "none"; their dtype.
    Derivative: that of the distance to the positive example less that to the negative one, where the margin is not
    kept

    >>> a, p, n = torch.tensor([[0., 0.]]), torch.tensor([[3., 4.]]), torch.tensor([[0., 1.]])
    >>> torch.nn.functional.triplet_margin_loss(a, p, n)
    tensor(5.0000)
    """
    reduction = chosen(size_average, reduce, reduction)

    def distance(a: Tensor, b: Tensor) -> Tensor:
        return pairwise_distance(a, b, p, eps)

    return reduced(_triplet(anchor, positive, negative, distance, margin, swap), reduction)


def triplet_margin_with_distance_loss(
    anchor: Tensor,
    positive: Tensor,
    negative: Tensor,
    *,
    distance_function: Callable[[Tensor, Tensor], Tensor] | None = None,
    margin: float = 1.0,
    swap: bool = False,
    reduction: str = "mean",
) -> Tensor:
    """triplet_margin_loss with any distance.

    Shape and dtype: (N, *) each; (), or the shape of the distances for reduction "none"; their dtype.
    Derivative: that of the distance to the positive example less that to the negative one, where the margin is not
    kept

    >>> a, p, n = torch.tensor([[0., 0.]]), torch.tensor([[3., 4.]]), torch.tensor([[0., 1.]])
    >>> torch.nn.functional.triplet_margin_with_distance_loss(a, p, n)
    tensor(5.0000)
    """
    if reduction not in ("mean", "sum", "none"):
        raise at_call(ValueError, f"{reduction} is not a valid value for reduction")
    distance = pairwise_distance if distance_function is None else distance_function
    return reduced(_triplet(anchor, positive, negative, distance, margin, swap), reduction)


def _triplet(
    anchor: Tensor, positive: Tensor, negative: Tensor, distance: Callable, margin: float, swap: bool
) -> Tensor:
    if margin <= 0:
        raise at_call(ValueError, f"margin must be greater than 0, got {margin}")
    if not anchor.dim() == positive.dim() == negative.dim():
        raise at_call(
            RuntimeError,
            "The anchor, positive, and negative tensors are expected to have the same number of dimensions, but got: "
            f"anchor {anchor.dim()}D, positive {positive.dim()}D, and negative {negative.dim()}D inputs",
        )
    near, far = distance(anchor, positive), distance(anchor, negative)
    if swap:
        far = far.minimum(distance(positive, negative))
    return (margin + near - far).clamp_min(0)
