"""Reductions and normalizations that leave elements out, as torch.masked: those where `mask` is false.

A mask broadcasts to the input's shape. What is left out is replaced by the operation's identity (zero for a sum, minus
infinity for a maximum), so a slice without elements gives the identity; a mean, variance or median has none and is NaN.
"""

from ..compat.refusal import refused, refused_class
from .masks import _input_mask, _output_mask
from .reductions import amax, amin, argmax, argmin, logsumexp, mean, median, norm, prod, std, sum, var
from .same_shape import cumprod, cumsum, log_softmax, logaddexp, normalize, softmax, softmin

__all__ = [
    *("amax", "amin", "argmax", "argmin", "cumprod", "cumsum", "log_softmax", "logaddexp", "logsumexp", "mean"),
    *("median", "norm", "normalize", "prod", "softmax", "softmin", "std", "sum", "var"),
]

_MASKS = "chainrule has no tensors with a mask of their own; the functions of torch.masked take one"
MaskedTensor = refused_class("masked.MaskedTensor", _MASKS)
masked_tensor, as_masked_tensor = refused("masked.masked_tensor", _MASKS), refused("masked.as_masked_tensor", _MASKS)
