"""Which results of a checkpointed calculation PyTorch would keep; chainrule calculates all of them again.

The values and gradients are the same; a policy trades memory for time, and here it trades nothing.
"""

from __future__ import annotations

import contextlib
import enum
from collections.abc import Callable
from typing import Any

from ..ops.dispatcher_names import OpOverload, OpOverloadPacket

__all__ = ["CheckpointPolicy", "SelectiveCheckpointContext", "create_selective_checkpoint_contexts"]


class CheckpointPolicy(enum.Enum):
    """Whether a result should be kept for the backward pass or calculated again."""

    MUST_SAVE = 0
    PREFER_SAVE = 1
    MUST_RECOMPUTE = 2
    PREFER_RECOMPUTE = 3
    MUST_CPU_OFFLOAD = 4


class SelectiveCheckpointContext:
    """What a policy is told: whether this is the second calculation."""

    def __init__(self, *, is_recompute: bool, op_output: Any = None) -> None:
        self.is_recompute, self.op_output = is_recompute, op_output


def create_selective_checkpoint_contexts(
    policy_fn_or_list: Callable | list, allow_cache_entry_mutation: bool = False, *, cache_mutation_check: Any = None
) -> tuple[Any, Any]:
    """The contexts of the first and of the second calculation, for checkpoint(context_fn=...).

    Args:
        policy_fn_or_list: says which results to keep: a list of operations, or a function
            (context, operation, *args, **kwargs) that gives a CheckpointPolicy.
    """
    if isinstance(policy_fn_or_list, list):
        for op in policy_fn_or_list:
            if isinstance(op, OpOverloadPacket):
                raise ValueError(
                    f"Unexpected op in `op_list`: {op} (type: {type(op)}). Please update the OpOverloadPacket to a "
                    "specific OpOverload. For example, if you have `torch.ops.aten.mm`, change it to "
                    "`torch.ops.aten.mm.default`."
                )
            if not isinstance(op, OpOverload) and not hasattr(op, "_qualname"):
                raise ValueError(f"Unexpected op in `op_list`: {op} (type: {type(op)})")
    elif not callable(policy_fn_or_list):
        raise TypeError("policy_fn_or_list must be either a function or a list of ops.")
    return contextlib.nullcontext(), contextlib.nullcontext()
