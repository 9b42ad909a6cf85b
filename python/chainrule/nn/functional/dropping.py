"""Dropout: setting random elements, or whole channels, to zero."""

from __future__ import annotations

from ..._core import Tensor
from ...error_words import at_call
from ...user_warning import warn_user
from .core import core


def _drop(name: str, input: Tensor, p: float, training: bool, inplace: bool) -> Tensor:
    _check_probability(p)
    return core(name + "_" if inplace else name)(input, p, training)


def dropout(input: Tensor, p: float = 0.5, training: bool = True, inplace: bool = False) -> Tensor:
    """Each element zero with probability p, the others divided by 1 - p.

    Shape and dtype: Those of the input.
    Derivative: g / (1 - p) where the element was kept, 0 elsewhere

    >>> _ = torch.manual_seed(0)
    >>> torch.nn.functional.dropout(torch.ones(4))
    tensor([0., 0., 2., 0.])
    """
    return _drop("dropout", input, p, training, inplace)


def alpha_dropout(input: Tensor, p: float = 0.5, training: bool = False, inplace: bool = False) -> Tensor:
    """Dropout that keeps mean and variance of what selu gives.

    Shape and dtype: Those of the input.
    Derivative: g times a factor where the element was kept, 0 elsewhere

    >>> torch.nn.functional.alpha_dropout(torch.ones(2), 0.5, training=False)
    tensor([1., 1.])
    """
    return _drop("alpha_dropout", input, p, training, inplace)


def feature_alpha_dropout(input: Tensor, p: float = 0.5, training: bool = False, inplace: bool = False) -> Tensor:
    """alpha_dropout of whole channels.

    Shape and dtype: Those of the input.
    Derivative: g times a factor where the channel was kept, 0 elsewhere

    >>> torch.nn.functional.feature_alpha_dropout(torch.ones(1, 2), 0.5, training=False)
    tensor([[1., 1.]])
    """
    return _drop("feature_alpha_dropout", input, p, training, inplace)


def dropout1d(input: Tensor, p: float = 0.5, training: bool = True, inplace: bool = False) -> Tensor:
    """Dropout of whole channels of (N, C, L) or (C, L).

    Shape and dtype: Those of the input.
    Derivative: g / (1 - p) where the channel was kept, 0 elsewhere

    >>> _ = torch.manual_seed(0)
    >>> torch.nn.functional.dropout1d(torch.ones(1, 3, 2))
    tensor([[[0., 0.],
             [0., 0.],
             [2., 2.]]])
    """
    _check_probability(p)
    if input.dim() not in (2, 3):
        raise at_call(
            RuntimeError,
            f"dropout1d: Expected 2D or 3D input, but received a {input.dim()}D input. "
            "Note that dropout1d exists to provide channel-wise dropout on inputs with 1 "
            "spatial dimension, a channel dimension, and an optional batch dimension (i.e. 2D or 3D inputs).",
        )
    return _drop_channels(input, p, training, inplace, batched=input.dim() == 3)


def dropout2d(input: Tensor, p: float = 0.5, training: bool = True, inplace: bool = False) -> Tensor:
    """Dropout of whole channels of (N, C, H, W).

    Shape and dtype: Those of the input.
    Derivative: g / (1 - p) where the channel was kept, 0 elsewhere

    >>> _ = torch.manual_seed(0)
    >>> torch.nn.functional.dropout2d(torch.ones(1, 3, 1, 2))
    tensor([[[[0., 0.]],
    <BLANKLINE>
             [[0., 0.]],
    <BLANKLINE>
             [[2., 2.]]]])
    """
    _check_probability(p)
    if input.dim() not in (3, 4):
        _warn_dimensions("dropout2d", input.dim(), "2 spatial dimensions", "3D or 4D")
    if input.dim() == 3:
        warn_user(
            "dropout2d: Received a 3D input to dropout2d and assuming that channel-wise "
            "1D dropout behavior is desired - input is interpreted as shape (N, C, L), where C "
            "is the channel dim. This behavior will change in a future release to interpret the "
            "input as one without a batch dimension, i.e. shape (C, H, W). To maintain the 1D "
            "channel-wise dropout behavior, please switch to using dropout1d instead."
        )
    return _drop("feature_dropout", input, p, training, inplace)


def dropout3d(input: Tensor, p: float = 0.5, training: bool = True, inplace: bool = False) -> Tensor:
    """Dropout of whole channels of (N, C, D, H, W) or (C, D, H, W).

    Shape and dtype: Those of the input.
    Derivative: g / (1 - p) where the channel was kept, 0 elsewhere

    >>> _ = torch.manual_seed(0)
    >>> torch.nn.functional.dropout3d(torch.ones(1, 3, 1, 1, 2))
    tensor([[[[[0., 0.]]],
    <BLANKLINE>
    <BLANKLINE>
             [[[0., 0.]]],
    <BLANKLINE>
    <BLANKLINE>
             [[[2., 2.]]]]])
    """
    _check_probability(p)
    if input.dim() not in (4, 5):
        _warn_dimensions("dropout3d", input.dim(), "3 spatial dimensions", "4D or 5D")
    return _drop_channels(input, p, training, inplace, batched=input.dim() == 5)


def _check_probability(p: float) -> None:
    if p < 0.0 or p > 1.0:
        raise at_call(ValueError, f"dropout probability has to be between 0 and 1, but got {p}")


def _warn_dimensions(name: str, dims: int, spatial: str, fitting: str) -> None:
    warn_user(
        f"{name}: Received a {dims}-D input to {name}, which is deprecated and will result in an error in a future "
        "release. To retain the behavior and silence this warning, please use dropout instead. Note that "
        f"{name} exists to provide channel-wise dropout on inputs with {spatial}, a channel dimension, and an "
        f"optional batch dimension (i.e. {fitting} inputs)."
    )


def _drop_channels(input: Tensor, p: float, training: bool, inplace: bool, *, batched: bool) -> Tensor:
    if batched:
        return _drop("feature_dropout", input, p, training, inplace)
    dropped = _drop("feature_dropout", input.unsqueeze(0), p, training, inplace)
    return input if inplace else dropped.squeeze(0)
