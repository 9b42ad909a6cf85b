"""Instance normalisation."""

from __future__ import annotations

from typing import Any

from ..._core import Tensor
from ...error_words import at_call
from ...user_warning import warn_user
from .. import functional as F  # noqa: N812
from .batchnorm import _LazyNormBase, _NormBase, check_dims

__all__ = [
    "InstanceNorm1d",
    "InstanceNorm2d",
    "InstanceNorm3d",
    "LazyInstanceNorm1d",
    "LazyInstanceNorm2d",
    "LazyInstanceNorm3d",
]


class _InstanceNorm(_NormBase):
    """Each channel of each example normalised by itself. See _NormBase for the arguments."""

    _dims: int  # of an example

    def __init__(
        self,
        num_features: int,
        eps: float = 1e-5,
        momentum: float = 0.1,
        affine: bool = False,
        track_running_stats: bool = False,
        device: Any = None,
        dtype: Any = None,
        *,
        bias: bool = True,
    ) -> None:
        super().__init__(num_features, eps, momentum, affine, track_running_stats, device, dtype, bias=bias)

    def _check_input_dim(self, input: Tensor) -> None:
        check_dims(input, self._dims, self._dims + 1)

    def _get_no_batch_dim(self) -> int:
        return self._dims

    def _apply_instance_norm(self, input: Tensor) -> Tensor:
        return F.instance_norm(
            input,
            self.running_mean,
            self.running_var,
            self.weight,
            self.bias,
            self.training or not self.track_running_stats,
            0.0 if self.momentum is None else self.momentum,
            self.eps,
        )

    def forward(self, input: Tensor) -> Tensor:
        self._check_input_dim(input)
        dim = input.dim() - self._dims
        if input.shape[dim] != self.num_features:
            if self.affine:
                raise at_call(
                    ValueError,
                    f"expected input's size at dim={dim} to match num_features ({self.num_features}), "
                    f"but got: {input.shape[dim]}.",
                )
            warn_user(
                f"input's size at dim={dim} does not match num_features. You can silence this warning by not "
                "passing in num_features, which is not used because affine=False"
            )
        if input.dim() == self._dims:
            return self._apply_instance_norm(input.unsqueeze(0)).squeeze(0)
        return self._apply_instance_norm(input)

    def _load_from_state_dict(self, state_dict: Any, prefix: str, local_metadata: dict, *others: Any) -> None:
        if local_metadata.get("version") is None and not self.track_running_stats:
            old = [key for key in (prefix + "running_mean", prefix + "running_var") if key in state_dict]
            if old:
                name = type(self).__name__
                others[-1].append(
                    f"Unexpected running stats buffer(s) {' and '.join(f'{chr(34)}{k}{chr(34)}' for k in old)} for "
                    f"{name} with track_running_stats=False. If state_dict is a checkpoint saved before 0.4.0, this "
                    f"may be expected because {name} does not track running stats by default since 0.4.0. Please "
                    "remove these keys from state_dict. If the running stats are actually needed, instead set "
                    f"track_running_stats=True in {name} to enable them. See the documentation of {name} for details."
                )
                for key in old:
                    state_dict.pop(key)
        super()._load_from_state_dict(state_dict, prefix, local_metadata, *others)


class InstanceNorm1d(_InstanceNorm):
    """Instance normalisation of (N, C, L) or (C, L).

    The arguments are those of BatchNorm2d.

    >>> torch.nn.InstanceNorm1d(1)(torch.tensor([[[1., 3.]]]))
    tensor([[[-1.0000,  1.0000]]])
    """

    _dims = 2


class InstanceNorm2d(_InstanceNorm):
    """Instance normalisation of (N, C, H, W) or (C, H, W).

    The arguments are those of BatchNorm2d.

    >>> torch.nn.InstanceNorm2d(3)(torch.ones(2, 3, 4, 4)).shape
    torch.Size([2, 3, 4, 4])
    """

    _dims = 3


class InstanceNorm3d(_InstanceNorm):
    """Instance normalisation of (N, C, D, H, W) or (C, D, H, W).

    The arguments are those of BatchNorm2d.

    >>> torch.nn.InstanceNorm3d(3)(torch.ones(2, 3, 4, 4, 4)).shape
    torch.Size([2, 3, 4, 4, 4])
    """

    _dims = 4


class LazyInstanceNorm1d(_LazyNormBase, _InstanceNorm):
    """InstanceNorm1d that takes num_features from its first input.

    >>> torch.nn.LazyInstanceNorm1d()(torch.ones(2, 3, 4)).shape
    torch.Size([2, 3, 4])
    """

    cls_to_become, _dims = InstanceNorm1d, 2


class LazyInstanceNorm2d(_LazyNormBase, _InstanceNorm):
    """InstanceNorm2d that takes num_features from its first input.

    >>> torch.nn.LazyInstanceNorm2d()(torch.ones(2, 3, 4, 4)).shape
    torch.Size([2, 3, 4, 4])
    """

    cls_to_become, _dims = InstanceNorm2d, 3


class LazyInstanceNorm3d(_LazyNormBase, _InstanceNorm):
    """InstanceNorm3d that takes num_features from its first input.

    >>> torch.nn.LazyInstanceNorm3d()(torch.ones(2, 3, 4, 4, 4)).shape
    torch.Size([2, 3, 4, 4, 4])
    """

    cls_to_become, _dims = InstanceNorm3d, 4
