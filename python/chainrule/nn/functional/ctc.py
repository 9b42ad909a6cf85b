"""Connectionist temporal classification: the likelihood of labels, however they are spread over the steps."""

from __future__ import annotations

import math
from typing import Any

from ... import _core
from ..._core import Tensor
from ...amp.precision import in_float32
from ...autograd import Function
from ...autograd.function import once_differentiable
from ...error_words import at_call
from .._reduction import chosen, reduced

_functions = _core.functions
_logaddexp, _where = _functions["logaddexp"], _functions["where"]


@in_float32
def ctc_loss(
    log_probs: Tensor,
    targets: Tensor,
    input_lengths: Any,
    target_lengths: Any,
    blank: int = 0,
    reduction: str = "mean",
    zero_infinity: bool = False,
) -> Tensor:
    """How unlikely the targets are; the sum over all ways to stretch them, with blanks between, over the input.

    Args:
        log_probs: (steps, batch, classes) or (steps, classes), logarithms of probabilities.
        targets: (batch, labels) padded, or all labels one after the other.
        input_lengths, target_lengths: how many steps and labels of each example count.
        blank: the class that stands for no label.
        zero_infinity: 0 instead of inf where the input is too short.

    Shape and dtype: log_probs (T, N, C) or (T, C), targets (N, S) or one after the other; (), or (N,) for reduction
    "none"; the dtype of log_probs.
    Derivative: log_probs: exp(log_probs) less the share of all alignments that pass through each class, times g

    >>> log_probs = torch.tensor([[0.5, 0.5], [0.5, 0.5]]).log()
    >>> torch.nn.functional.ctc_loss(log_probs, torch.tensor([1]), torch.tensor(2), torch.tensor(1))
    tensor(0.2877)
    """
    reduction = chosen(None, None, reduction)
    steps = _numbers(input_lengths, "input_lengths")
    sizes = _numbers(target_lengths, "target_lengths")
    batched = log_probs.dim() == 3
    if not batched:
        log_probs = log_probs.unsqueeze(1)
        targets = targets.unsqueeze(0) if targets.dim() == 1 else targets
    _check(log_probs, targets, steps, sizes, blank)
    labels = _padded_labels(targets, sizes, blank)
    loss = _CtcLoss.apply(log_probs, labels, steps, sizes, blank)
    if zero_infinity:
        loss = _where(loss == math.inf, 0, loss)
    if reduction == "mean":
        return (loss / loss.new_tensor([max(n, 1) for n in sizes])).mean()
    return reduced(loss if batched else loss.squeeze(0), reduction)


class _CtcLoss(Function):
    """The loss of each example. The gradient is PyTorch's: that of log_probs that come from log_softmax."""

    _node_name = "CtcLossBackward0"

    @staticmethod
    def forward(ctx: Any, log_probs: Tensor, labels: Tensor, steps: list, sizes: list, blank: int) -> Tensor:
        spread = _Spread(log_probs, labels, steps, sizes, blank)
        alpha = spread.forward()
        loss = -spread.total(alpha)
        ctx.spread = spread
        ctx.save_for_backward(log_probs, alpha, loss)
        return loss

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, g: Tensor) -> tuple:  # pyright: ignore[reportIncompatibleMethodOverride]
        log_probs, alpha, loss = ctx.saved_tensors
        return ctx.spread.gradient(log_probs, alpha, loss, g), None, None, None, None


class _Spread:
    """The labels with blanks between, and the probabilities of their places at each step: (steps, batch, places).

    Everything is in logarithms, and what may not be has probability zero, so that the steps need no masks: places
    behind the end of the labels, and, in `skip`, steps over a blank between two labels that are the same.
    """

    def __init__(self, log_probs: Tensor, labels: Tensor, steps: list, sizes: list, blank: int):
        batch, count = labels.shape
        self.labels = _functions["full"]((batch, 2 * count + 1), blank, dtype=_core.int64)
        self.labels[:, 1::2] = labels
        self.steps, self.sizes = steps, sizes
        rows = _functions["arange"](batch).unsqueeze(1)
        places = _functions["arange"](self.labels.shape[1])
        last = _functions["tensor"]([2 * n for n in sizes], dtype=_core.int64).unsqueeze(1)
        self.is_end = (places == last) | ((places == last - 1) & (last > 0))
        self.log_probs = _where(places <= last, log_probs.detach()[:, rows, self.labels], -math.inf)
        can_skip = (self.labels != blank) & (places >= 2)
        can_skip[:, 2:] &= self.labels[:, 2:] != self.labels[:, :-2]
        self.skip = _where(can_skip, 0.0, _functions["full"]((), -math.inf, dtype=log_probs.dtype))

    def forward(self) -> Tensor:
        """alpha: the probability of all ways that lead to a place at a step."""
        start = _functions["full_like"](self.log_probs[0], -math.inf)
        start[:, :2] = self.log_probs[0, :, :2]
        return self._walk(self.log_probs, start, self.skip)[:, :, 2:]

    def backward(self) -> Tensor:
        """beta: the probability of all ways from a place at a step to the end, this step included."""
        # Seen from the end it is the same walk; it begins, for each example, at its last step.
        turned = self.log_probs.flip(0).flip(2)
        skip = _functions["cat"]([self.skip[:, :2], self.skip[:, 2:].flip(1)], 1)
        last = _functions["tensor"]([len(turned) - n for n in self.steps], dtype=_core.int64).unsqueeze(1)
        ends = _where(self.is_end.flip(1), turned, -math.inf)
        walk = self._walk(turned, _where(last == 0, ends[0], -math.inf), skip, ends, last)
        return walk[:, :, 2:].flip(2).flip(0)

    @staticmethod
    def _walk(
        log_probs: Tensor, start: Tensor, skip: Tensor, ends: Tensor | None = None, last: Tensor | None = None
    ) -> Tensor:
        """From step to step: from the same place, from the one before it, or over a blank from two before it.

        Two impossible places stand in front, so that the places before are views of the same memory.
        """
        length, batch, places = log_probs.shape
        walk = _functions["full"]((length, batch, places + 2), -math.inf, dtype=log_probs.dtype)
        walk[0, :, 2:] = start
        for t in range(1, length):
            before = walk[t - 1]
            reached = _logaddexp(_logaddexp(before[:, 2:], before[:, 1:-1]), before[:, :-2] + skip) + log_probs[t]
            walk[t, :, 2:] = reached if ends is None else _where(last == t, ends[t], reached)
        return walk

    def total(self, alpha: Tensor) -> Tensor:
        """The probability of each example's labels."""
        ends = _functions["stack"]([alpha[max(n - 1, 0), i] for i, n in enumerate(self.steps)])
        total = _where(self.is_end, ends, -math.inf).logsumexp(1)
        empty = _functions["tensor"]([n == 0 for n in self.steps])
        nothing = total.new_tensor([0.0 if n == 0 else -math.inf for n in self.sizes])
        return _where(empty, nothing, total)

    def gradient(self, log_probs: Tensor, alpha: Tensor, loss: Tensor, g: Tensor) -> Tensor:
        possible = self.log_probs > -math.inf
        share = _where(possible, (alpha + self.backward() - self.log_probs + loss.unsqueeze(1)).exp(), 0)
        classes = _functions["arange"](log_probs.shape[2])
        is_class = (self.labels.unsqueeze(2) == classes).to(log_probs.dtype)
        of_class = share.transpose(0, 1).bmm(is_class).transpose(0, 1)
        gradient = (log_probs.exp() - of_class) * g.unsqueeze(1)
        t = _functions["arange"](len(log_probs)).reshape(-1, 1, 1)
        counts = t < _functions["tensor"](self.steps, dtype=_core.int64).reshape(1, -1, 1)
        # An infinite loss whose gradient is not wanted (zero_infinity) has none, instead of inf * 0.
        silent = ((loss == math.inf) & (g == 0)).reshape(1, -1, 1)
        return _where(counts & ~silent, gradient, 0)


def _numbers(lengths: Any, name: str) -> list[int]:
    if isinstance(lengths, Tensor):
        if lengths.is_floating_point():
            raise at_call(RuntimeError, f"{name} must be integral")
        return [int(n) for n in lengths.reshape(-1).tolist()]
    return [lengths] if isinstance(lengths, int) else [int(n) for n in lengths]


def _padded_labels(targets: Tensor, sizes: list[int], blank: int) -> Tensor:
    """The labels as (batch, longest), whatever stands behind the end of each."""
    targets = targets.detach().long()
    if targets.dim() == 2:
        return targets[:, : max(sizes, default=0)]
    padded = _functions["full"]((len(sizes), max(sizes, default=0)), blank, dtype=_core.int64)
    for i, part in enumerate(targets.split(sizes)):
        padded[i, : len(part)] = part
    return padded


def _check(log_probs: Tensor, targets: Tensor, steps: list[int], sizes: list[int], blank: int) -> None:
    if log_probs.numel() == 0:
        raise at_call(RuntimeError, "log_probs tensor must not be empty")
    length, batch, classes = log_probs.shape
    if not 0 <= blank < classes:
        raise at_call(RuntimeError, "blank must be in label range")
    for name, values in (("input_lengths", steps), ("target_lengths", sizes)):
        if len(values) != batch:
            raise at_call(RuntimeError, f"{name} must be of size batch_size")
    for i, n in enumerate(steps):
        if n < 0:
            raise at_call(RuntimeError, f"Expected input_lengths to have value at least 0, but got value {n}")
        if n > length:
            raise at_call(
                RuntimeError,
                f"Expected input_lengths to have value at most {length}, but got value {n} (while checking arguments "
                "for ctc_loss_cpu)",
            )
        if sizes[i] < 0:
            raise at_call(RuntimeError, f"Expected target_lengths to have value at least 0, but got value {sizes[i]}")
    if targets.dim() == 1 and targets.shape[0] != sum(sizes):
        raise at_call(
            RuntimeError,
            f"Expected tensor to have size {sum(sizes)} at dimension 0, but got size {targets.shape[0]} for argument "
            "#2 'targets' (while checking arguments for ctc_loss_cpu)",
        )
    if targets.dim() == 2 and (targets.shape[0] != batch or targets.shape[1] < max(sizes)):
        raise at_call(
            RuntimeError,
            f"Expected tensor to have size at least {max(sizes)} at dimension 1, but got size {targets.shape[1]} for "
            "argument #2 'targets' (while checking arguments for ctc_loss_cpu)",
        )
