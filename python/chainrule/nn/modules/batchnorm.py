"""Batch normalisation."""

from __future__ import annotations

from typing import Any

from ... import _core
from ..._core import Tensor
from ...error_words import at_call
from .. import functional as F  # noqa: N812
from .. import init
from ..parameter import Parameter, UninitializedBuffer, UninitializedParameter, fresh
from .lazy import LazyModuleMixin
from .module import Module

__all__ = [
    "BatchNorm1d",
    "BatchNorm2d",
    "BatchNorm3d",
    "LazyBatchNorm1d",
    "LazyBatchNorm2d",
    "LazyBatchNorm3d",
    "SyncBatchNorm",
]

_functions = _core.functions


class _NormBase(Module):
    """What batch and instance normalisation share: weight and bias, running mean and variance.

    Args:
        num_features: the number of channels.
        eps: added to the variance.
        momentum: the weight of the newest batch in the running numbers; None: all batches count the same.
        affine: whether there is a weight (and, bias: a bias) for each channel.
        track_running_stats: whether there are running numbers, used in evaluation.
    """

    _version = 2
    weight: Parameter | None
    bias: Parameter | None
    running_mean: Tensor | None
    running_var: Tensor | None
    num_batches_tracked: Tensor | None

    def __init__(
        self,
        num_features: int,
        eps: float = 1e-5,
        momentum: float | None = 0.1,
        affine: bool = True,
        track_running_stats: bool = True,
        device: Any = None,
        dtype: Any = None,
        *,
        bias: bool = True,
    ) -> None:
        super().__init__()
        self.num_features, self.eps, self.momentum = num_features, eps, momentum
        self.affine, self.track_running_stats = affine, track_running_stats
        options: dict[str, Any] = {"device": device, "dtype": dtype}
        self.register_parameter("weight", fresh(num_features, **options) if affine else None)
        self.register_parameter("bias", fresh(num_features, **options) if affine and bias else None)
        tracked = track_running_stats
        self.register_buffer("running_mean", _functions["zeros"](num_features, **options) if tracked else None)
        self.register_buffer("running_var", _functions["ones"](num_features, **options) if tracked else None)
        self.register_buffer("num_batches_tracked", _no_batches(device) if tracked else None)
        self.reset_parameters()

    def reset_running_stats(self) -> None:
        """Forgets what was tracked."""
        if self.track_running_stats:
            self.running_mean.zero_()  # type: ignore[union-attr]
            self.running_var.fill_(1)  # type: ignore[union-attr]
            self.num_batches_tracked.zero_()  # type: ignore[union-attr]

    def reset_parameters(self) -> None:
        """Sets weights to 1 and biases to 0."""
        self.reset_running_stats()
        if self.weight is not None:
            init.ones_(self.weight)
        if self.bias is not None:
            init.zeros_(self.bias)

    def _check_input_dim(self, input: Tensor) -> None:
        raise NotImplementedError

    def extra_repr(self) -> str:
        return (
            f"{self.num_features}, eps={self.eps}, momentum={self.momentum}, affine={self.affine}, "
            f"bias={self.bias is not None}, track_running_stats={self.track_running_stats}"
        )

    def _load_from_state_dict(self, state_dict: Any, prefix: str, local_metadata: dict, *others: Any) -> None:  # type: ignore[override]
        # The first version of this state did not count the batches.
        version = local_metadata.get("version")
        key = prefix + "num_batches_tracked"
        if (version is None or version < 2) and self.track_running_stats and key not in state_dict:
            own = self.num_batches_tracked
            state_dict[key] = _no_batches() if own is None or own.is_meta else own
        super()._load_from_state_dict(state_dict, prefix, local_metadata, *others)


def _no_batches(device: Any = None) -> Tensor:
    return _functions["tensor"](0, dtype=_core.int64, device=device)


class _BatchNorm(_NormBase):
    """Each channel normalised over the batch in training, by the running numbers in evaluation."""

    def forward(self, input: Tensor) -> Tensor:
        self._check_input_dim(input)
        factor = 0.0 if self.momentum is None else self.momentum
        if self.training and self.track_running_stats and self.num_batches_tracked is not None:
            self.num_batches_tracked.add_(1)
            if self.momentum is None:
                factor = 1.0 / float(self.num_batches_tracked)
        mean, variance = self.running_mean, self.running_var
        by_batch = self.training or (mean is None and variance is None)
        if self.training and not self.track_running_stats:
            mean = variance = None
        return self._normalize(input, mean, variance, by_batch, factor)

    def _normalize(self, input: Tensor, mean: Any, variance: Any, by_batch: bool, factor: float) -> Tensor:
        return F.batch_norm(input, mean, variance, self.weight, self.bias, by_batch, factor, self.eps)


class _LazyNormBase(LazyModuleMixin, _NormBase):
    """A normalisation that takes num_features from its first input."""

    def __init__(
        self,
        eps: float = 1e-5,
        momentum: float | None = 0.1,
        affine: bool = True,
        track_running_stats: bool = True,
        device: Any = None,
        dtype: Any = None,
        *,
        bias: bool = True,
    ) -> None:
        super().__init__(0, eps, momentum, False, False, device, dtype, bias=False)
        self.affine, self.track_running_stats = affine, track_running_stats
        if affine:
            self.weight = UninitializedParameter(device=device, dtype=dtype)
            if bias:
                self.bias = UninitializedParameter(device=device, dtype=dtype)
        if track_running_stats:
            self.running_mean = UninitializedBuffer(device=device, dtype=dtype)
            self.running_var = UninitializedBuffer(device=device, dtype=dtype)
            self.num_batches_tracked = _no_batches(device)

    def reset_parameters(self) -> None:
        """Sets weights to 1 and biases to 0, once their shapes are known."""
        if not self.has_uninitialized_params() and self.num_features != 0:
            super().reset_parameters()

    def initialize_parameters(self, input: Tensor) -> None:
        """Takes num_features from the input."""
        if self.has_uninitialized_params():
            self.num_features = input.shape[1]
            tensors: list[Any] = [self.weight, self.bias, self.running_mean, self.running_var]
            for tensor in tensors:
                if tensor is not None:
                    tensor.materialize((self.num_features,))
            self.reset_parameters()


def check_dims(input: Tensor, *allowed: int) -> None:
    """Raises unless the input has one of these numbers of dimensions."""
    if input.dim() not in allowed:
        expected = " or ".join(f"{n}D" for n in allowed)
        raise at_call(ValueError, f"expected {expected} input (got {input.dim()}D input)")


class BatchNorm1d(_BatchNorm):
    """Batch normalisation of (N, C) or (N, C, L).

    The arguments are those of BatchNorm2d.

    >>> torch.nn.BatchNorm1d(2)(torch.tensor([[1., 2.], [3., 6.]])).detach()
    tensor([[-1.0000, -1.0000],
            [ 1.0000,  1.0000]])
    """

    def _check_input_dim(self, input: Tensor) -> None:
        check_dims(input, 2, 3)


class BatchNorm2d(_BatchNorm):
    """Batch normalisation of (N, C, H, W).

    Args:
        num_features: the number of channels.
        eps: is added to the variance.
        momentum: how much of a batch goes into the running statistics; None averages all batches alike.
        affine: whether a weight and a bias for each channel are learned.
        track_running_stats: whether statistics are kept for evaluation.
        device, dtype: of the parameters.
        bias: whether there is one.

    >>> torch.nn.BatchNorm2d(3)(torch.ones(2, 3, 4, 4)).shape
    torch.Size([2, 3, 4, 4])
    """

    def _check_input_dim(self, input: Tensor) -> None:
        check_dims(input, 4)


class BatchNorm3d(_BatchNorm):
    """Batch normalisation of (N, C, D, H, W).

    The arguments are those of BatchNorm2d.

    >>> torch.nn.BatchNorm3d(3)(torch.ones(2, 3, 4, 4, 4)).shape
    torch.Size([2, 3, 4, 4, 4])
    """

    def _check_input_dim(self, input: Tensor) -> None:
        check_dims(input, 5)


class LazyBatchNorm1d(_LazyNormBase, _BatchNorm):
    """BatchNorm1d that takes num_features from its first input.

    >>> torch.nn.LazyBatchNorm1d()(torch.ones(2, 3)).shape
    torch.Size([2, 3])
    """

    cls_to_become = BatchNorm1d
    _check_input_dim = BatchNorm1d._check_input_dim


class LazyBatchNorm2d(_LazyNormBase, _BatchNorm):
    """BatchNorm2d that takes num_features from its first input.

    >>> torch.nn.LazyBatchNorm2d()(torch.ones(2, 3, 4, 4)).shape
    torch.Size([2, 3, 4, 4])
    """

    cls_to_become = BatchNorm2d
    _check_input_dim = BatchNorm2d._check_input_dim


class LazyBatchNorm3d(_LazyNormBase, _BatchNorm):
    """BatchNorm3d that takes num_features from its first input.

    >>> torch.nn.LazyBatchNorm3d()(torch.ones(2, 3, 4, 4, 4)).shape
    torch.Size([2, 3, 4, 4, 4])
    """

    cls_to_become = BatchNorm3d
    _check_input_dim = BatchNorm3d._check_input_dim


class SyncBatchNorm(_BatchNorm):
    """Batch normalisation over the batches of all processes together.

    In evaluation, and where there is one process, it is batch normalisation.

    Args:
        process_group: the processes; all without it.

    >>> torch.nn.SyncBatchNorm(3).eval().num_features
    3
    """

    def __init__(
        self,
        num_features: int,
        eps: float = 1e-5,
        momentum: float | None = 0.1,
        affine: bool = True,
        track_running_stats: bool = True,
        process_group: Any = None,
        device: Any = None,
        dtype: Any = None,
        *,
        bias: bool = True,
    ) -> None:
        super().__init__(num_features, eps, momentum, affine, track_running_stats, device, dtype, bias=bias)
        self.process_group = process_group

    def _check_input_dim(self, input: Tensor) -> None:
        if input.dim() < 2:
            raise at_call(ValueError, f"expected at least 2D input (got {input.dim()}D input)")
        if input.shape[1] == 0:
            raise at_call(ValueError, "SyncBatchNorm number of input channels should be non-zero")

    def _normalize(self, input: Tensor, mean: Any, variance: Any, by_batch: bool, factor: float) -> Tensor:
        from ... import distributed

        if self.training and by_batch and distributed.is_initialized():
            group: Any = self.process_group or distributed.group.WORLD
            if group.size() > 1:
                from .sync_batchnorm import normalize_together

                return normalize_together(input, mean, variance, self.weight, self.bias, factor, self.eps, group)
        return super()._normalize(input, mean, variance, by_batch, factor)

    @classmethod
    def convert_sync_batchnorm(cls, module: Module, process_group: Any = None) -> Module:
        """The module with every batch normalisation in it replaced by a SyncBatchNorm."""
        result = module
        if isinstance(module, _BatchNorm) and not isinstance(module, SyncBatchNorm):
            options = {"bias": module.bias is not None}
            sync = cls(
                module.num_features,
                module.eps,
                module.momentum,
                module.affine,
                module.track_running_stats,
                process_group,
                **options,
            )
            sync.weight, sync.bias = module.weight, module.bias
            sync.running_mean, sync.running_var = module.running_mean, module.running_var
            sync.num_batches_tracked, sync.training = module.num_batches_tracked, module.training
            result = sync
        for name, child in module.named_children():
            result.add_module(name, cls.convert_sync_batchnorm(child, process_group))
        return result
