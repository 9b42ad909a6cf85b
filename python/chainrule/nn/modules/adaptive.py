"""Softmax over very many classes: the frequent ones at once, the rare ones in clusters."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any, NamedTuple

from ... import _core
from ..._core import Tensor
from ...error_words import at_call
from .. import functional as F  # noqa: N812
from .container import ModuleList, Sequential
from .linear import Linear
from .module import Module

__all__ = ["AdaptiveLogSoftmaxWithLoss"]

_functions = _core.functions


class _ASMoutput(NamedTuple):
    output: Tensor
    loss: Tensor


class AdaptiveLogSoftmaxWithLoss(Module):
    """The log probability of each target's class, and minus their mean.

    Args:
        in_features: features of the input.
        n_classes: how many classes, the most frequent first.
        cutoffs: the classes at which the clusters begin.
        div_value: each cluster has so many times fewer features than the one before.
        head_bias: whether the frequent classes have a bias.

    >>> loss = torch.nn.AdaptiveLogSoftmaxWithLoss(4, 10, cutoffs=[2, 5])
    >>> loss(torch.ones(3, 4), torch.tensor([0, 4, 9])).output.shape
    torch.Size([3])
    """

    def __init__(
        self,
        in_features: int,
        n_classes: int,
        cutoffs: Sequence[int],
        div_value: float = 4.0,
        head_bias: bool = False,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__()
        cutoffs = list(cutoffs)
        if not cutoffs:
            raise at_call(ValueError, "cutoffs should be a sequence of length larger than 0")
        if (
            any(a >= b for a, b in pairwise([0, *cutoffs]))
            or cutoffs[-1] > n_classes - 1
            or any(int(c) != c for c in cutoffs)
        ):
            raise at_call(
                ValueError,
                "cutoffs should be a sequence of unique, positive integers sorted in an increasing order, where each "
                "value is between 1 and n_classes-1",
            )
        self.in_features, self.n_classes, self.cutoffs = in_features, n_classes, [*cutoffs, n_classes]
        self.div_value, self.head_bias = div_value, head_bias
        self.shortlist_size, self.n_clusters = cutoffs[0], len(cutoffs)
        self.head_size = self.shortlist_size + self.n_clusters
        options: dict[str, Any] = {"device": device, "dtype": dtype}
        self.head = Linear(in_features, self.head_size, bias=head_bias, **options)
        self.tail = ModuleList()
        for i, (low, high) in enumerate(pairwise(self.cutoffs)):
            hidden = int(in_features // div_value ** (i + 1))
            self.tail.append(
                Sequential(
                    Linear(in_features, hidden, bias=False, **options),
                    Linear(hidden, high - low, bias=False, **options),
                )
            )

    def reset_parameters(self) -> None:
        """Draws the parameters anew."""
        for layer in (self.head, *(layer for pair in self.tail for layer in pair)):  # type: ignore[union-attr]
            layer.reset_parameters()

    def forward(self, input_: Tensor, target_: Tensor) -> _ASMoutput:
        """The log probability of each target's class, and the loss."""
        _check(input_, target_)
        batched = target_.dim() > 0
        input, target = (input_, target_) if batched else (input_.unsqueeze(0), target_.unsqueeze(0))
        if len(target) and not ((target >= 0) & (target < self.n_classes)).all():
            raise at_call(
                RuntimeError,
                f"Target values should be in [0, {self.n_classes - 1}], but values in range "
                f"[{target.min().item()}, {target.max().item()}] were found. ",
            )
        in_head, in_cluster = target, input.new_zeros(len(target))
        for i, (low, high) in enumerate(pairwise(self.cutoffs)):
            rows = ((target >= low) & (target < high)).nonzero().squeeze(1)
            if len(rows) == 0:
                continue
            log_probs = F.log_softmax(self.tail[i](input[rows]), dim=1)
            found = log_probs[_functions["arange"](len(rows)), target[rows] - low]
            in_cluster = in_cluster.clone()
            in_cluster[rows] = found
            in_head = _functions["where"]((target >= low) & (target < high), self.shortlist_size + i, in_head)
        head = F.log_softmax(self.head(input), dim=1)
        output = in_cluster + head[_functions["arange"](len(target)), in_head]
        return _ASMoutput(output if batched else output.squeeze(0), (-output).mean())

    def _get_full_log_prob(self, input: Tensor, head_output: Tensor) -> Tensor:
        head = F.log_softmax(head_output, dim=1)
        parts = [head[:, : self.shortlist_size]]
        for i, cluster in enumerate(self.tail):
            parts.append(F.log_softmax(cluster(input), dim=1) + head[:, self.shortlist_size + i].unsqueeze(1))
        return _functions["cat"](parts, 1)

    def log_prob(self, input: Tensor) -> Tensor:
        """The log probabilities of all classes."""
        return self._get_full_log_prob(input, self.head(input))

    def predict(self, input: Tensor) -> Tensor:
        """The likeliest class; clusters are looked into only where the head prefers one."""
        head = self.head(input)
        output = head.argmax(1)
        rare = (output >= self.shortlist_size).nonzero().squeeze(1)
        if len(rare):
            output[rare] = self._get_full_log_prob(input[rare], head[rare]).argmax(1)
        return output


def _check(input: Tensor, target: Tensor) -> None:
    if target.dim() > 1:
        raise at_call(RuntimeError, "0D or 1D target tensor expected, multi-target not supported")
    if target.dim() == 1 and input.shape[0] != target.shape[0]:
        raise at_call(RuntimeError, "Input and target should have the same size in the batch dimension.")
    if input.dim() != target.dim() + 1:
        raise at_call(
            RuntimeError,
            f"{target.dim()}D target tensor expects {target.dim() + 1}D input tensors, but found inputs with size "
            f"{input.size()}",
        )
