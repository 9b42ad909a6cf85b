"""Ways to reduce the gradients of DistributedDataParallel, by name."""

from __future__ import annotations

import enum
import functools
from typing import Any

from ....compat.refusal import refused
from . import default_hooks, powerSGD_hook

__all__ = ["DDPCommHookType", "register_ddp_comm_hook"]


def _missing(name: str) -> Any:
    return refused(f"distributed.algorithms.ddp_comm_hooks.{name}", "this communication hook is not there")


def _hook(function: Any) -> Any:
    """As PyTorch has it; marked as a value, since from Python 3.13 on an enumeration takes it for a method."""
    return enum.member(functools.partial(function))


class DDPCommHookType(enum.Enum):
    """The hooks that PyTorch has. Those of allreduce and of half the bytes are there; the others raise."""

    ALLREDUCE = _hook(default_hooks.allreduce_hook)
    FP16_COMPRESS = _hook(default_hooks.fp16_compress_hook)
    BF16_COMPRESS = _hook(default_hooks.bf16_compress_hook)
    QUANTIZE_PER_TENSOR = _hook(_missing("quantization_hooks.quantization_pertensor_hook"))
    QUANTIZE_PER_CHANNEL = _hook(_missing("quantization_hooks.quantization_perchannel_hook"))
    POWER_SGD = _hook(powerSGD_hook.powerSGD_hook)
    BATCHED_POWER_SGD = _hook(powerSGD_hook.batched_powerSGD_hook)
    NOOP = _hook(_missing("debugging_hooks.noop_hook"))


def register_ddp_comm_hook(comm_hook_type: DDPCommHookType, model: Any, state: Any = None) -> None:
    """Registers one of them with a DistributedDataParallel model.

    Args:
        state: the hook's; for those that are there, a process group or None.
    """
    hook: Any = comm_hook_type.value.func
    if hasattr(hook, "refusal"):
        hook()
    model.register_comm_hook(state, hook)
