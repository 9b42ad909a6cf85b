"""How many floating-point operations a product, a convolution or attention is: two for each multiplication with its
addition."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from .._core import Tensor


class Count(NamedTuple):
    """What a call counts: under which names of PyTorch's, and how often the backward pass counts it again."""

    forward: str
    flops: int
    backward: str
    factors: tuple[Tensor, ...]  # each that requires a gradient costs as much again


def _product(a: Tensor, b: Tensor, out: Tensor, name: str | None = None) -> Count | None:
    if a.ndim < 2 or b.ndim < 2:
        return None  # PyTorch counts no products with vectors
    plain = "bmm" if a.ndim > 2 and b.ndim > 2 else "mm"
    return Count(name or plain, 2 * out.numel() * a.shape[-1], plain, (a, b))


def _added_product(input: Tensor, a: Tensor, b: Tensor, *rest: Any, out: Tensor, **options: Any) -> Count | None:
    return _product(a, b, out, "addmm" if out.ndim == 2 else "baddbmm")


def _linear(input: Tensor, weight: Tensor, bias: Tensor | None = None, *, out: Tensor) -> Count:
    flops = 2 * out.numel() * weight.shape[-1]
    return Count("mm" if bias is None else "addmm", flops, "mm", (input, weight))


def _tensordot(a: Tensor, b: Tensor, dims: Any = 2, *rest: Any, out: Tensor, **options: Any) -> Count:
    contracted = math.isqrt(a.numel() * b.numel() // max(out.numel(), 1))
    return Count("mm", 2 * out.numel() * contracted, "mm", (a, b))


def _convolution(input: Tensor, weight: Tensor, *rest: Any, out: Tensor, **options: Any) -> Count:
    places = out.numel() // out.shape[1 - weight.ndim]  # of every sample: all but the channels
    return Count("convolution", 2 * places * weight.numel(), "convolution_backward", (input, weight))


def _transposed_convolution(input: Tensor, weight: Tensor, *rest: Any, out: Tensor, **options: Any) -> Count:
    return _convolution(input, weight, out=input)


def _attention(query: Tensor, key: Tensor, value: Tensor, *rest: Any, out: Tensor, **options: Any) -> Count:
    scores = query.numel() // query.shape[-1] * key.shape[-2]
    name = "_scaled_dot_product_flash_attention"
    return Count(name, 2 * scores * (query.shape[-1] + value.shape[-1]), f"{name}_backward", (query, key))


def _recurrent(input: Tensor, *rest: Any, out: Tensor, **options: Any) -> Count:
    lists = [part for part in rest if isinstance(part, Sequence)]
    return _steps(input, [w for part in lists for w in part if isinstance(w, Tensor) and w.ndim == 2])


def _cell(input: Tensor, hx: Any, w_ih: Tensor, w_hh: Tensor, *rest: Any, out: Tensor, **options: Any) -> Count:
    return _steps(input, [w_ih, w_hh])


def _steps(input: Tensor, weights: list[Tensor]) -> Count:
    """Every row meets every weight; backward, the weights' gradients and those of the rows."""
    rows = input.numel() // input.shape[-1]
    return Count("addmm", 2 * rows * sum(w.numel() for w in weights), "mm", tuple(weights[:2]))


_FORMULAS: dict[Callable, str] = {
    lambda a, b, *rest, out, **options: _product(a, b, out): "mm bmm matmul __matmul__",
    _added_product: "addmm baddbmm",
    _linear: "linear",
    _tensordot: "tensordot",
    _convolution: "conv1d conv2d conv3d convolution",
    _transposed_convolution: "conv_transpose1d conv_transpose2d conv_transpose3d",
    _attention: "scaled_dot_product_attention",
    _recurrent: "lstm gru rnn_tanh rnn_relu",
    _cell: "lstm_cell gru_cell rnn_tanh_cell rnn_relu_cell",
}
FORMULAS = {name: formula for formula, names in _FORMULAS.items() for name in names.split()}
