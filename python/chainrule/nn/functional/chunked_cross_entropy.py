"""linear_cross_entropy by chunks of examples: no more logits at once than one chunk has, and none are kept.

With reduction "mean" or "sum" the gradients are calculated together with the loss, and the backward pass multiplies
them by its own gradient. So they are constants to a second derivative, as they are in PyTorch.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

from ..._core import Tensor, bfloat16, float16, float32, functions
from ...amp.precision import as_given
from ...autograd.differentiate import grad
from ...autograd.function import Function, once_differentiable
from ...autograd.grad_mode import enable_grad
from ...error_words import at_call
from .linear_maps import linear

if TYPE_CHECKING:
    from ..modules.linear_cross_entropy_options import LinearCrossEntropyOptions

_HALVES = (float16, bfloat16)


class _Problem(NamedTuple):
    """What the loss depends on besides input, weight and bias of the linear map."""

    target: Tensor
    class_weight: Tensor | None
    ignore_index: int
    chunk: int
    dtype: Any

    def losses(self, leaves: list[Tensor | None]) -> Iterator[tuple[Tensor, list[Tensor | None]]]:
        """Chunk by chunk the losses of its examples, and what their gradients are taken by."""
        from .classification import cross_entropy

        input, *rest = leaves
        assert input is not None
        weight, bias = (self._leaf(each) for each in rest)
        class_weight = None if self.class_weight is None else self.class_weight.to(self.dtype)
        for part, target in zip(input.split(self.chunk), self.target.split(self.chunk), strict=True):
            part = self._leaf(part)
            logits = linear(part, weight, bias)  # pyright: ignore[reportArgumentType]
            loss = cross_entropy(logits, target, class_weight, reduction="none", ignore_index=self.ignore_index)
            yield loss, [part, weight, bias]

    def _leaf(self, tensor: Tensor | None) -> Tensor | None:
        return None if tensor is None else tensor.detach().to(self.dtype)._as_leaf()

    def gradients(self, leaves: list[Tensor | None], wanted: list[bool], by: Tensor | None) -> tuple[Tensor, list]:
        """The sum of the losses, each times its element of `by`, and the wanted gradients of that sum."""
        total = functions["zeros"]((), dtype=self.dtype, device=self.target.device)
        parts: list[Tensor] = []
        sums: list[Tensor | None] = [None, None, None]
        scales = [None] * len(self.target) if by is None else by.to(self.dtype).split(self.chunk)
        for (loss, places), scale in zip(self.losses(leaves), scales, strict=False):
            value = loss.sum() if scale is None else loss.dot(scale)
            total += value.detach()
            asked = [i for i in range(3) if wanted[i]]
            for i, g in zip(asked, grad(value, [places[i] for i in asked]) if asked else (), strict=True):
                if i == 0:
                    parts.append(g)
                else:
                    sums[i] = g if sums[i] is None else sums[i] + g
        if wanted[0]:
            sums[0] = functions["cat"](parts)
        return total, [
            g if g is None or leaf is None else g.to(leaf.dtype) for g, leaf in zip(sums, leaves, strict=True)
        ]

    def divisor(self) -> Tensor:
        """What a mean divides by: the examples that are not ignored, by their classes' weights."""
        counted = self.target != self.ignore_index
        if self.class_weight is None:
            return counted.sum().to(self.dtype)
        weights = self.class_weight.to(self.dtype)[functions["where"](counted, self.target, 0)]
        return functions["where"](counted, weights, 0).sum()


class _Reduced(Function):
    """The mean or the sum; the gradients are there before anybody asks for them."""

    _node_name = "GeneratedBackwardFor_torch_nn__linear_cross_entropy_batch_chunked_defaultBackward"

    @staticmethod
    def forward(  # pyright: ignore[reportIncompatibleMethodOverride]
        ctx: Any, input: Tensor, weight: Tensor, bias: Tensor | None, problem: _Problem, mean: bool, retain: bool
    ) -> Tensor:
        with enable_grad():
            total, gradients = problem.gradients([input, weight, bias], list(ctx.needs_input_grad[:3]), None)
        if mean:
            count = problem.divisor()
            total /= count
            for g in gradients:
                if g is not None:
                    g.div_(count)
        ctx.gradients, ctx.retain = gradients, retain
        return total.to(input.dtype)

    @staticmethod
    def backward(ctx: Any, g: Tensor) -> tuple:  # pyright: ignore[reportIncompatibleMethodOverride]
        gradients = ctx.gradients
        if gradients is None:
            raise at_call(
                RuntimeError,
                "linear_cross_entropy chunked backward called twice; retain_graph=True / double backward are not "
                "supported. LinearCrossEntropyOptions(allow_retain_graph=True) keeps the gradients for that.",
            )
        if not ctx.retain:
            ctx.gradients = None
        return (*(each if each is None else each * g for each in gradients), None, None, None)


class _Unreduced(Function):
    """The loss of each example; the backward pass goes through the chunks once more."""

    _node_name = "GeneratedBackwardFor_torch_nn__linear_cross_entropy_batch_chunked_no_reduction_defaultBackward"

    @staticmethod
    def forward(  # pyright: ignore[reportIncompatibleMethodOverride]
        ctx: Any, input: Tensor, weight: Tensor, bias: Tensor | None, problem: _Problem
    ) -> Tensor:
        ctx.problem = problem
        ctx.save_for_backward(input, weight, bias)
        return functions["cat"]([loss for loss, _ in problem.losses([input, weight, bias])]).to(input.dtype)

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, g: Tensor) -> tuple:  # pyright: ignore[reportIncompatibleMethodOverride]
        with enable_grad():
            _, gradients = ctx.problem.gradients(list(ctx.saved_tensors), list(ctx.needs_input_grad[:3]), g)
        return (*gradients, None)


def _precision(options: LinearCrossEntropyOptions, dtype: Any) -> Any:
    """The dtype of the calculation, for an input of this dtype."""
    if options.acc_dtype is not None:
        return options.acc_dtype
    return float32 if dtype in _HALVES and options.acc_policy == "auto" else dtype


def _chunk_size(options: LinearCrossEntropyOptions, examples: int, features: int, classes: int, dtype: Any) -> int:
    """How many examples a chunk has."""
    method, given = options.chunking_method, options.batch_chunk_size
    if method == "auto":
        method = None if given is not None else "aspect_ratio" if dtype in _HALVES else "aspect_ratio:2"
    size = examples if given is None else min(given, examples)
    if method is not None:
        parts = -(-classes // features)
        power = 1 << (-(-examples // parts) - 1).bit_length()
        size = min(power // int(method.partition(":")[2] or 1), examples)
        if given not in (None, size):
            raise at_call(
                ValueError,
                f"batch_chunk_size (={given}) and chunking_method ('{method}') give different chunk sizes "
                f"({given} vs {size}); pass only one.",
            )
    return max(1, size)


@as_given
def chunked_cross_entropy(
    input: Tensor,
    weight: Tensor,
    bias: Tensor | None,
    target: Tensor,
    class_weight: Tensor | None,
    ignore_index: int,
    reduction: str,
    options: LinearCrossEntropyOptions,
) -> Tensor:
    """cross_entropy(linear(input, weight, bias), target), cut as the options say. Autocast does not reach it."""
    if input.dim() == 1:
        whole = chunked_cross_entropy(
            input.unsqueeze(0), weight, bias, target.unsqueeze(0), class_weight, ignore_index, reduction, options
        )
        return whole.squeeze(0)
    dtype = _precision(options, input.dtype)
    if dtype is not input.dtype and not (input.dtype in _HALVES and dtype is float32):
        raise at_call(
            RuntimeError,
            "linear_cross_entropy supports float32 acc_dtype with float16/bfloat16 inputs, but got "
            f"{dtype} acc_dtype and {input.dtype} inputs.",
        )
    chunk = _chunk_size(options, len(input), input.shape[1], len(weight), input.dtype)
    problem = _Problem(target, class_weight, ignore_index, chunk, dtype)
    if reduction == "none":
        return _Unreduced.apply(input, weight, bias, problem)
    return _Reduced.apply(input, weight, bias, problem, reduction == "mean", options.allow_retain_graph)
