"""Ways to reduce the gradients of DistributedDataParallel, by name."""

from __future__ import annotations

import enum
import functools
from typing import Any

from ....refusal import refused
from . import default_hooks, powerSGD_hook

__all__ = ["DDPCommHookType", "register_ddp_comm_hook"]


def _missing(name: str) -> Any:
    return refused(f"distributed.algorithms.ddp_comm_hooks.{name}", "this communication hook is not there")


class DDPCommHookType(enum.Enum):
    """The hooks that PyTorch has. Those of allreduce and of half the bytes are there; the others raise."""

    ALLREDUCE = functools.partial(default_hooks.allreduce_hook)
    FP16_COMPRESS = functools.partial(default_hooks.fp16_compress_hook)
    BF16_COMPRESS = functools.partial(default_hooks.bf16_compress_hook)
    QUANTIZE_PER_TENSOR = functools.partial(_missing("quantization_hooks.quantization_pertensor_hook"))
    QUANTIZE_PER_CHANNEL = functools.partial(_missing("quantization_hooks.quantization_perchannel_hook"))
    POWER_SGD = functools.partial(powerSGD_hook.powerSGD_hook)
    BATCHED_POWER_SGD = functools.partial(powerSGD_hook.batched_powerSGD_hook)
    NOOP = functools.partial(_missing("debugging_hooks.noop_hook"))


def register_ddp_comm_hook(comm_hook_type: DDPCommHookType, model: Any, state: Any = None) -> None:
    """Registers one of them with a DistributedDataParallel model.

    Args:
        state: the hook's; for those that are there, a process group or None.
    """
    hook: Any = comm_hook_type.value.func
    if hasattr(hook, "refusal"):
        hook()
    model.register_comm_hook(state, hook)
