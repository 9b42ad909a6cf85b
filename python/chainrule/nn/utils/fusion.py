"""Batch normalisation folded into the layer before it, for evaluation."""

from __future__ import annotations

import copy
from typing import TypeVar

from ... import _core
from ..._core import Tensor
from ...error_words import at_call
from ..modules.batchnorm import _BatchNorm
from ..modules.conv import _ConvNd
from ..modules.linear import Linear
from ..parameter import Parameter

__all__ = ["fuse_conv_bn_eval", "fuse_conv_bn_weights", "fuse_linear_bn_eval", "fuse_linear_bn_weights"]

_functions = _core.functions
C = TypeVar("C", bound=_ConvNd)
L = TypeVar("L", bound=Linear)


def _factors(
    bias: Tensor | None, mean: Tensor, var: Tensor, eps: float, bn_w: Tensor | None, bn_b: Tensor | None
) -> tuple[Tensor, Tensor]:
    """What the weight is multiplied by, per channel, and the new bias."""
    start: Tensor = _functions["zeros_like"](mean) if bias is None else bias
    scale = (_functions["ones_like"](mean) if bn_w is None else bn_w) * (var + eps).rsqrt()
    shift = _functions["zeros_like"](mean) if bn_b is None else bn_b
    return scale, ((start - mean) * scale + shift).to(start.dtype)


def fuse_conv_bn_weights(
    conv_w: Tensor,
    conv_b: Tensor | None,
    bn_rm: Tensor,
    bn_rv: Tensor,
    bn_eps: float,
    bn_w: Tensor | None,
    bn_b: Tensor | None,
    transpose: bool = False,
) -> tuple[Parameter, Parameter]:
    """Weight and bias of a convolution that also normalises.

    >>> w, b = torch.ones(1, 1, 1), torch.zeros(1)
    >>> weight, bias = torch.nn.utils.fuse_conv_bn_weights(w, b, b, b + 4, 0., b + 1, b)
    >>> weight.item()
    0.5
    """
    scale, bias = _factors(conv_b, bn_rm, bn_rv, bn_eps, bn_w, bn_b)
    shape = [1, -1] if transpose else [-1, 1]
    weight = (conv_w * scale.reshape(shape + [1] * (conv_w.dim() - 2))).to(conv_w.dtype)
    return Parameter(weight, conv_w.requires_grad), Parameter(
        bias, conv_b.requires_grad if conv_b is not None else conv_w.requires_grad
    )


def fuse_conv_bn_eval(conv: C, bn: _BatchNorm, transpose: bool = False) -> C:
    """A copy of the convolution that does what both did in evaluation.

    >>> conv, bn = torch.nn.Conv1d(1, 2, 1).eval(), torch.nn.BatchNorm1d(2).eval()
    >>> fused, x = torch.nn.utils.fuse_conv_bn_eval(conv, bn), torch.ones(1, 1, 3)
    >>> torch.allclose(fused(x), bn(conv(x)))
    True
    """
    _require_eval(conv.training, bn.training)
    fused = copy.deepcopy(conv)
    mean, var = _running(bn)
    fused.weight, fused.bias = fuse_conv_bn_weights(
        fused.weight, fused.bias, mean, var, bn.eps, bn.weight, bn.bias, transpose
    )
    return fused


def fuse_linear_bn_weights(
    linear_w: Tensor,
    linear_b: Tensor | None,
    bn_rm: Tensor,
    bn_rv: Tensor,
    bn_eps: float,
    bn_w: Tensor | None,
    bn_b: Tensor | None,
) -> tuple[Parameter, Parameter]:
    """Weight and bias of a linear layer that also normalises.

    >>> w, b = torch.ones(1, 1), torch.zeros(1)
    >>> weight, bias = torch.nn.utils.fuse_linear_bn_weights(w, b, b, b + 4, 0., b + 1, b)
    >>> weight.item()
    0.5
    """
    scale, bias = _factors(linear_b, bn_rm, bn_rv, bn_eps, bn_w, bn_b)
    weight = (linear_w * scale.unsqueeze(-1)).to(linear_w.dtype)
    return Parameter(weight, linear_w.requires_grad), Parameter(
        bias, linear_b.requires_grad if linear_b is not None else linear_w.requires_grad
    )


def fuse_linear_bn_eval(linear: L, bn: _BatchNorm) -> L:
    """A copy of the linear layer that does what both did in evaluation.

    >>> linear, bn = torch.nn.Linear(2, 3).eval(), torch.nn.BatchNorm1d(3).eval()
    >>> fused, x = torch.nn.utils.fuse_linear_bn_eval(linear, bn), torch.ones(1, 2)
    >>> torch.allclose(fused(x), bn(linear(x)), atol=1e-6)
    True
    """
    _require_eval(linear.training, bn.training)
    if linear.out_features != bn.num_features and bn.num_features != 1:
        raise at_call(AssertionError, "To fuse, linear.out_features == bn.num_features or bn.num_features == 1")
    fused = copy.deepcopy(linear)
    mean, var = _running(bn)
    fused.weight, fused.bias = fuse_linear_bn_weights(
        fused.weight,
        fused.bias,
        mean,
        var,
        bn.eps,
        bn.weight,
        bn.bias,  # type: ignore[arg-type]
    )
    return fused


def _require_eval(*training: bool) -> None:
    if any(training):
        raise at_call(AssertionError, "Fusion only for eval!")


def _running(bn: _BatchNorm) -> tuple[Tensor, Tensor]:
    if bn.running_mean is None or bn.running_var is None:
        raise at_call(AssertionError, "bn.running_mean and bn.running_var must not be None")
    return bn.running_mean, bn.running_var
