"""Dropout in all its forms, and the randomised leaky relu: the random functions of nn.functional."""

import warnings

from .. import _core
from .._core import Tensor

_core_functions = _core.functions


def _drop(name: str, input: Tensor, p: float, training: bool, inplace: bool) -> Tensor:
    if p < 0.0 or p > 1.0:
        raise ValueError(f"dropout probability has to be between 0 and 1, but got {p}")
    return _core_functions[name + "_" if inplace else name](input, p, training)


def dropout(input: Tensor, p: float = 0.5, training: bool = True, inplace: bool = False) -> Tensor:
    """Each element is zero with probability p, else divided by 1 - p."""
    return _drop("dropout", input, p, training, inplace)


def alpha_dropout(input: Tensor, p: float = 0.5, training: bool = False, inplace: bool = False) -> Tensor:
    """Dropout that keeps the mean and the variance of a selu's output."""
    return _drop("alpha_dropout", input, p, training, inplace)


def feature_alpha_dropout(input: Tensor, p: float = 0.5, training: bool = False, inplace: bool = False) -> Tensor:
    """alpha_dropout of whole channels."""
    return _drop("feature_alpha_dropout", input, p, training, inplace)


def dropout1d(input: Tensor, p: float = 0.5, training: bool = True, inplace: bool = False) -> Tensor:
    """Dropout of whole channels of an input (N, C, L) or (C, L)."""
    dims = input.dim()
    if p < 0.0 or p > 1.0:
        raise ValueError(f"dropout probability has to be between 0 and 1, but got {p}")
    if dims not in (2, 3):
        raise RuntimeError(
            f"dropout1d: Expected 2D or 3D input, but received a {dims}D input. Note that dropout1d exists to provide "
            "channel-wise dropout on inputs with 1 spatial dimension, a channel dimension, and an optional batch "
            "dimension (i.e. 2D or 3D inputs)."
        )
    return _drop_channels(input, p, training, inplace, batched=dims == 3)


def dropout2d(input: Tensor, p: float = 0.5, training: bool = True, inplace: bool = False) -> Tensor:
    """Dropout of whole channels of an input (N, C, H, W)."""
    dims = input.dim()
    if dims not in (3, 4):
        _warn_dims(2, dims)
    if dims == 3:
        warnings.warn(
            "dropout2d: Received a 3D input to dropout2d and assuming that channel-wise 1D dropout behavior is desired "
            "- input is interpreted as shape (N, C, L), where C is the channel dim. This behavior will change in a "
            "future release to interpret the input as one without a batch dimension, i.e. shape (C, H, W). To maintain "
            "the 1D channel-wise dropout behavior, please switch to using dropout1d instead.",
            stacklevel=2,
        )
    return _drop("feature_dropout", input, p, training, inplace)


def dropout3d(input: Tensor, p: float = 0.5, training: bool = True, inplace: bool = False) -> Tensor:
    """Dropout of whole channels of an input (N, C, D, H, W) or (C, D, H, W)."""
    dims = input.dim()
    if p < 0.0 or p > 1.0:
        raise ValueError(f"dropout probability has to be between 0 and 1, but got {p}")
    if dims not in (4, 5):
        _warn_dims(3, dims)
    return _drop_channels(input, p, training, inplace, batched=dims == 5)


def _drop_channels(input: Tensor, p: float, training: bool, inplace: bool, batched: bool) -> Tensor:
    """An input without a batch dimension is seen with one."""
    if batched:
        return _drop("feature_dropout", input, p, training, inplace)
    result = _drop("feature_dropout", input.unsqueeze(0), p, training, inplace)
    return input if inplace else result.squeeze(0)  # a write through the view is a write into the input


def _warn_dims(spatial: int, dims: int) -> None:
    warnings.warn(
        f"dropout{spatial}d: Received a {dims}-D input to dropout{spatial}d, which is deprecated and will result in an "
        "error in a future release. To retain the behavior and silence this warning, please use dropout instead. Note "
        f"that dropout{spatial}d exists to provide channel-wise dropout on inputs with {spatial} spatial dimensions, a "
        f"channel dimension, and an optional batch dimension (i.e. {spatial + 1}D or {spatial + 2}D inputs).",
        stacklevel=3,
    )


def rrelu(
    input: Tensor, lower: float = 1.0 / 8, upper: float = 1.0 / 3, training: bool = False, inplace: bool = False
) -> Tensor:
    """x where it is positive, elsewhere x times a slope drawn from [lower, upper), or their mean when not training."""
    return _core_functions["rrelu_" if inplace else "rrelu"](input, lower, upper, training)
