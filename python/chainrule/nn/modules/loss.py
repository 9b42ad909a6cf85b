"""Losses as modules."""

from __future__ import annotations

import math
from typing import Any

from ..._core import Tensor
from ...error_words import at_call
from ...lazy import elsewhere
from ...user_warning import warn_user
from .. import functional as F  # noqa: N812
from .._reduction import legacy_get_string
from .linear import Linear
from .module import Module

__all__ = [
    "BCELoss",
    "BCEWithLogitsLoss",
    "CTCLoss",
    "CrossEntropyLoss",
    "GaussianNLLLoss",
    "HuberLoss",
    "KLDivLoss",
    "L1Loss",
    "LinearCrossEntropyLoss",
    "MSELoss",
    "NLLLoss",
    "NLLLoss2d",
    "PoissonNLLLoss",
    "SmoothL1Loss",
]

__getattr__ = elsewhere(__name__, "margin_loss")


class _Loss(Module):
    """What all losses share: the reduction. (size_average and reduce are PyTorch's older words for it.)"""

    def __init__(self, size_average: bool | None = None, reduce: bool | None = None, reduction: str = "mean") -> None:
        super().__init__()
        if size_average is not None or reduce is not None:
            reduction = legacy_get_string(size_average, reduce)
        self.reduction = reduction


class _WeightedLoss(_Loss):
    """A loss with a weight for each class or element, kept as a buffer."""

    weight: Tensor | None

    def __init__(
        self,
        weight: Tensor | None = None,
        size_average: bool | None = None,
        reduce: bool | None = None,
        reduction: str = "mean",
    ) -> None:
        super().__init__(size_average, reduce, reduction)
        self.register_buffer("weight", weight)


# ---- distances between input and target


class L1Loss(_Loss):
    """The absolute difference.

    Args:
        size_average, reduce: old names of what `reduction` says.
        reduction: "mean" of all, "sum", or "none".

    >>> torch.nn.L1Loss()(torch.tensor([1., 2.]), torch.tensor([0., 0.]))
    tensor(1.5000)
    """

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        return F.l1_loss(input, target, reduction=self.reduction)


class MSELoss(_Loss):
    """The square of the difference.

    Args:
        size_average, reduce: old names of what `reduction` says.
        reduction: "mean" of all, "sum", or "none".

    >>> torch.nn.MSELoss()(torch.tensor([1., 2.]), torch.tensor([0., 0.]))
    tensor(2.5000)
    """

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        return F.mse_loss(input, target, reduction=self.reduction)


class SmoothL1Loss(_Loss):
    """The absolute difference, rounded off where it is below beta.

    Args:
        size_average, reduce: old names of what `reduction` says.
        reduction: "mean" of all, "sum", or "none".
        beta: below it the loss is a parabola.

    >>> torch.nn.SmoothL1Loss()(torch.tensor([0., 3.]), torch.tensor([0.5, 0.]))
    tensor(1.3125)
    """

    def __init__(
        self,
        size_average: bool | None = None,
        reduce: bool | None = None,
        reduction: str = "mean",
        beta: float = 1.0,
    ) -> None:
        super().__init__(size_average, reduce, reduction)
        self.beta = beta

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        return F.smooth_l1_loss(input, target, reduction=self.reduction, beta=self.beta)


class HuberLoss(_Loss):
    """Half the square of the difference, and a straight line from delta on.

    Args:
        reduction: "mean" of all, "sum", or "none".
        delta: below it the loss is a parabola.

    >>> torch.nn.HuberLoss()(torch.tensor([0., 3.]), torch.tensor([0.5, 0.]))
    tensor(1.3125)
    """

    def __init__(self, reduction: str = "mean", delta: float = 1.0) -> None:
        super().__init__(reduction=reduction)
        if not isinstance(delta, (int, float)):
            raise at_call(TypeError, f"delta must be a float or int, got: {type(delta)}")
        self.delta = delta

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        return F.huber_loss(input, target, reduction=self.reduction, delta=self.delta)


# ---- classes and probabilities


class NLLLoss(_WeightedLoss):
    """Minus the input at the target's class.

    Args:
        weight: of each class.
        size_average, reduce: old names of what `reduction` says.
        ignore_index: a class that does not count.
        reduction: "mean" of all, "sum", or "none".

    >>> torch.nn.NLLLoss()(torch.tensor([[0.9, 0.1]]).log(), torch.tensor([0]))
    tensor(0.1054)
    """

    def __init__(
        self,
        weight: Tensor | None = None,
        size_average: bool | None = None,
        ignore_index: int = -100,
        reduce: bool | None = None,
        reduction: str = "mean",
    ) -> None:
        super().__init__(weight, size_average, reduce, reduction)
        self.ignore_index = ignore_index

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        return F.nll_loss(input, target, self.weight, ignore_index=self.ignore_index, reduction=self.reduction)


class NLLLoss2d(NLLLoss):
    """NLLLoss by its old name for images.

    >>> torch.nn.NLLLoss2d()(torch.ones(1, 2, 1, 1), torch.tensor([[[1]]]))
    tensor(-1.)
    """

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        warn_user(
            "NLLLoss2d has been deprecated. Please use NLLLoss instead as a drop-in replacement and see "
            "https://pytorch.org/docs/main/nn.html#torch.nn.NLLLoss for more details.",
            FutureWarning,
        )
        super().__init__(*args, **kwargs)


class CrossEntropyLoss(_WeightedLoss):
    """The cross entropy of softmax(input) and the target's classes or probabilities.

    Args:
        weight: of each class.
        size_average, reduce: old names of what `reduction` says.
        ignore_index: a class that does not count.
        reduction: "mean" of all, "sum", or "none".
        label_smoothing: the part of the target that is spread over all classes.

    >>> torch.nn.CrossEntropyLoss()(torch.tensor([[2., 0.], [0., 1.]]), torch.tensor([0, 1]))
    tensor(0.2201)
    """

    def __init__(
        self,
        weight: Tensor | None = None,
        size_average: bool | None = None,
        ignore_index: int = -100,
        reduce: bool | None = None,
        reduction: str = "mean",
        label_smoothing: float = 0.0,
    ) -> None:
        super().__init__(weight, size_average, reduce, reduction)
        self.ignore_index, self.label_smoothing = ignore_index, label_smoothing

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        return F.cross_entropy(
            input,
            target,
            self.weight,
            ignore_index=self.ignore_index,
            reduction=self.reduction,
            label_smoothing=self.label_smoothing,
        )


class LinearCrossEntropyLoss(_WeightedLoss):
    """A linear layer and the cross entropy of what it gives.

    >>> loss = torch.nn.LinearCrossEntropyLoss(3, 5)
    >>> loss(torch.ones(2, 3), torch.tensor([0, 4])).shape
    torch.Size([])
    """

    def __init__(
        self,
        in_features: int,
        num_classes: int,
        *,
        out_features: tuple[int, ...] = (),
        bias: bool = False,
        device: Any = None,
        dtype: Any = None,
        reduction: str = "mean",
        weight: Tensor | None = None,
        ignore_index: int | None = None,
        label_smoothing: float = 0.0,
        options: Any = None,
    ) -> None:
        if weight is not None and weight.shape != (num_classes,):
            raise at_call(RuntimeError, f"expected weight shape to be {(num_classes,)}, got {tuple(weight.shape)}")
        if not 0 <= label_smoothing <= 1.0:
            raise at_call(RuntimeError, f"expected label_smoothing to be in range [0, 1], got {label_smoothing}")
        super().__init__(weight, reduction=reduction)
        self.num_classes, self.out_features = num_classes, out_features
        self.ignore_index, self.label_smoothing, self.options = ignore_index, label_smoothing, options
        self.linear = Linear(in_features, num_classes * math.prod(out_features), bias, device, dtype)

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        shape, bias = (self.num_classes, *self.out_features), self.linear.bias
        return F.linear_cross_entropy(
            input,
            self.linear.weight.reshape(*shape, self.linear.in_features),
            target,
            linear_bias=None if bias is None else bias.reshape(shape),
            weight=self.weight,
            reduction=self.reduction,
            ignore_index=self.ignore_index,
            label_smoothing=self.label_smoothing,
            options=self.options,
        )

    def extra_repr(self) -> str:
        return (
            f"in_features={self.linear.in_features}, num_classes={self.num_classes}, "
            f"out_features={self.out_features}, bias={self.linear.bias is not None}, reduction={self.reduction}, "
            f"ignore_index={self.ignore_index}, label_smoothing={self.label_smoothing}, options={self.options}"
        )


class BCELoss(_WeightedLoss):
    """The cross entropy of a probability and a target between 0 and 1.

    Args:
        weight: of each element.
        size_average, reduce: old names of what `reduction` says.
        reduction: "mean" of all, "sum", or "none".

    >>> torch.nn.BCELoss()(torch.tensor([0.9, 0.2]), torch.tensor([1., 0.]))
    tensor(0.1643)
    """

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        return F.binary_cross_entropy(input, target, self.weight, reduction=self.reduction)


class BCEWithLogitsLoss(_Loss):
    """The cross entropy of sigmoid(input) and a target between 0 and 1.

    Args:
        weight: of each element.
        size_average, reduce: old names of what `reduction` says.
        reduction: "mean" of all, "sum", or "none".
        pos_weight: how much more a positive target counts, for each class.

    >>> torch.nn.BCEWithLogitsLoss()(torch.tensor([2., -1.]), torch.tensor([1., 0.]))
    tensor(0.2201)
    """

    weight: Tensor | None
    pos_weight: Tensor | None

    def __init__(
        self,
        weight: Tensor | None = None,
        size_average: bool | None = None,
        reduce: bool | None = None,
        reduction: str = "mean",
        pos_weight: Tensor | None = None,
    ) -> None:
        super().__init__(size_average, reduce, reduction)
        self.register_buffer("weight", weight)
        self.register_buffer("pos_weight", pos_weight)

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        return F.binary_cross_entropy_with_logits(
            input, target, self.weight, reduction=self.reduction, pos_weight=self.pos_weight
        )


class KLDivLoss(_Loss):
    """target * (log(target) - input), with the input in logarithms.

    Args:
        size_average, reduce: old names of what `reduction` says.
        reduction: "batchmean", "mean" of all, "sum", or "none".
        log_target: whether the target is given as logarithms.

    >>> torch.nn.KLDivLoss(reduction="batchmean")(torch.tensor([[0.5, 0.5]]).log(), torch.tensor([[0.9, 0.1]]))
    tensor(0.3681)
    """

    def __init__(
        self,
        size_average: bool | None = None,
        reduce: bool | None = None,
        reduction: str = "mean",
        log_target: bool = False,
    ) -> None:
        super().__init__(size_average, reduce, reduction)
        self.log_target = log_target

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        return F.kl_div(input, target, reduction=self.reduction, log_target=self.log_target)


class PoissonNLLLoss(_Loss):
    """The negative log likelihood of counts.

    >>> torch.nn.PoissonNLLLoss()(torch.tensor([1.]), torch.tensor([2.]))
    tensor(0.7183)
    """

    def __init__(
        self,
        log_input: bool = True,
        full: bool = False,
        size_average: bool | None = None,
        eps: float = 1e-8,
        reduce: bool | None = None,
        reduction: str = "mean",
    ) -> None:
        super().__init__(size_average, reduce, reduction)
        self.log_input, self.full, self.eps = log_input, full, eps

    def forward(self, log_input: Tensor, target: Tensor) -> Tensor:
        return F.poisson_nll_loss(
            log_input, target, log_input=self.log_input, full=self.full, eps=self.eps, reduction=self.reduction
        )


class GaussianNLLLoss(_Loss):
    """The negative log likelihood of normally distributed targets, with the variance given.

    >>> torch.nn.GaussianNLLLoss()(torch.tensor([1.]), torch.tensor([2.]), torch.tensor([1.]))
    tensor(0.5000)
    """

    def __init__(self, *, full: bool = False, eps: float = 1e-6, reduction: str = "mean") -> None:
        super().__init__(None, None, reduction)
        self.full, self.eps = full, eps

    def forward(self, input: Tensor, target: Tensor, var: Tensor | float) -> Tensor:
        return F.gaussian_nll_loss(input, target, var, full=self.full, eps=self.eps, reduction=self.reduction)


class CTCLoss(_Loss):
    """How unlikely a sequence of labels is, however it is spread over the steps of the input.

    >>> loss = torch.nn.CTCLoss()
    >>> scores = torch.zeros(4, 1, 3).log_softmax(2)  # 4 steps, 1 sequence, 3 symbols
    >>> loss(scores, torch.tensor([[1, 2]]), torch.tensor([4]), torch.tensor([2]))
    tensor(0.8432)
    """

    def __init__(self, blank: int = 0, reduction: str = "mean", zero_infinity: bool = False) -> None:
        super().__init__(reduction=reduction)
        self.blank, self.zero_infinity = blank, zero_infinity

    def forward(self, log_probs: Tensor, targets: Tensor, input_lengths: Any, target_lengths: Any) -> Tensor:
        return F.ctc_loss(
            log_probs, targets, input_lengths, target_lengths, self.blank, self.reduction, self.zero_infinity
        )
