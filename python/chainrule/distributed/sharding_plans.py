"""How a model would be divided among processes: the plans that packages write while they are imported.

chainrule divides no models, so a plan can be made, compared and printed, and what would carry it out raises.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum, auto
from types import MappingProxyType
from typing import Any

from ..nn.modules.batchnorm import _BatchNorm


class Placement:
    """Which part of a tensor each process would have."""

    def is_shard(self, dim: int | None = None) -> bool:
        """Whether each process has a part along a dimension, or along this one."""
        return isinstance(self, Shard) and dim in (None, self.dim)

    def is_replicate(self) -> bool:
        """Whether each process has the whole."""
        return isinstance(self, Replicate)

    def is_partial(self, reduce_op: str | None = None) -> bool:
        """Whether the whole is the sum, or another reduction, of what the processes have."""
        return isinstance(self, Partial) and reduce_op in (None, self.reduce_op)

    def __eq__(self, other: object) -> bool:
        return type(other) is type(self) and vars(other) == vars(self)

    def __hash__(self) -> int:
        return hash((type(self), *vars(self).items()))


class Shard(Placement):
    """Each process has a part along a dimension.

    >>> from torch.distributed.tensor import Shard
    >>> Shard(0)
    Shard(dim=0)
    """

    def __init__(self, dim: int) -> None:
        self.dim = dim

    def __repr__(self) -> str:
        return f"Shard(dim={self.dim})"

    def __str__(self) -> str:
        return f"S({self.dim})"


class Replicate(Placement):
    """Each process has the whole."""

    def __repr__(self) -> str:
        return "Replicate()"

    def __str__(self) -> str:
        return "R"


class Partial(Placement):
    """The whole is a reduction of what the processes have."""

    def __init__(self, reduce_op: str = "sum") -> None:
        self.reduce_op = reduce_op

    def __repr__(self) -> str:
        return f"Partial({self.reduce_op})"

    def __str__(self) -> str:
        return f"P({self.reduce_op})"


class _Options:
    """Named values; a subclass says which there are, with their defaults: class A(_Options, size=1)."""

    _defaults: Mapping[str, Any] = MappingProxyType({})

    def __init_subclass__(cls, **defaults: Any) -> None:
        cls._defaults = MappingProxyType(defaults)

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        values = dict(self._defaults)
        if len(args) > len(values):
            raise TypeError(f"{type(self).__name__}() takes at most {len(values)} arguments, {len(args)} were given")
        for name in kwargs:
            if name not in values:
                raise TypeError(f"{type(self).__name__}.__init__() got an unexpected keyword argument {name!r}")
        values.update(zip(values, args, strict=False))
        self.__dict__.update(values | kwargs)

    def __eq__(self, other: object) -> bool:
        return type(other) is type(self) and vars(other) == vars(self)

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"{type(self).__name__}({', '.join(f'{name}={value!r}' for name, value in vars(self).items())})"


class MixedPrecision(
    _Options,
    param_dtype=None,
    reduce_dtype=None,
    buffer_dtype=None,
    keep_low_precision_grads=False,
    cast_forward_inputs=False,
    cast_root_forward_inputs=True,
    _module_classes_to_ignore=(_BatchNorm,),
):
    """The dtypes of parameters, gradients and buffers of a divided model."""


class MixedPrecisionPolicy(_Options, param_dtype=None, reduce_dtype=None, output_dtype=None, cast_forward_inputs=True):
    """The dtypes of a divided model, as fully_shard takes them."""


class OffloadPolicy(_Options):
    """Where a divided model is kept: where it is."""


class CPUOffloadPolicy(OffloadPolicy, pin_memory=True):
    """Where a divided model is kept: in the processor's memory."""


class CPUOffload(_Options, offload_params=False):
    """Whether parameters of a divided model are kept in the processor's memory."""


class StateDictConfig(_Options, offload_to_cpu=False):
    """How the state of a divided model is put together."""


class FullStateDictConfig(StateDictConfig, offload_to_cpu=False, rank0_only=False):
    """As a whole."""


class ShardedStateDictConfig(StateDictConfig, offload_to_cpu=False, _use_dtensor=False):
    """In parts."""


class LocalStateDictConfig(StateDictConfig, offload_to_cpu=False):
    """Each process its own."""


class OptimStateDictConfig(_Options, offload_to_cpu=True):
    """How the state of a divided model's optimiser is put together."""


class FullOptimStateDictConfig(OptimStateDictConfig, offload_to_cpu=True, rank0_only=False):
    """As a whole."""


class ShardedOptimStateDictConfig(OptimStateDictConfig, offload_to_cpu=True, _use_dtensor=False):
    """In parts."""


class ShardingStrategy(Enum):
    """What is divided."""

    FULL_SHARD = auto()
    SHARD_GRAD_OP = auto()
    NO_SHARD = auto()
    HYBRID_SHARD = auto()
    _HYBRID_SHARD_ZERO2 = auto()


class BackwardPrefetch(Enum):
    """When the parameters of the next layer are asked for in the backward pass."""

    BACKWARD_PRE = auto()
    BACKWARD_POST = auto()


class StateDictType(Enum):
    """Which of the three kinds of state dicts."""

    FULL_STATE_DICT = auto()
    LOCAL_STATE_DICT = auto()
    SHARDED_STATE_DICT = auto()
