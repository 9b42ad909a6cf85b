"""Communication hooks: the average as it is, and with gradients rounded to 16 bits on the way."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .... import _core
from ...._core import Tensor
from ....futures import Future
from ...collectives import all_reduce
from ...grad_bucket import GradBucket
from ...process_group import ProcessGroup, default_group

__all__ = [
    "allreduce_hook",
    "bf16_compress_hook",
    "bf16_compress_wrapper",
    "fp16_compress_hook",
    "fp16_compress_wrapper",
]

Hook = Callable[[Any, GradBucket], "Future[Tensor]"]


def _average(tensor: Tensor, group: ProcessGroup | None) -> Future[Tensor]:
    """Divides, and begins to add up over the processes."""
    known = group or default_group()
    work = all_reduce(tensor.div_(known.size()), group=known, async_op=True)
    assert work is not None
    return work.get_future().then(lambda future: future.value()[0])


def allreduce_hook(process_group: ProcessGroup | None, bucket: GradBucket) -> Future[Tensor]:
    """The average: what DistributedDataParallel does without a hook.

    Args:
        process_group: the processes; all without it.
        bucket: the gradients.
    """
    return _average(bucket.buffer(), process_group)


def _compressed(dtype: Any, process_group: ProcessGroup | None, bucket: GradBucket) -> Future[Tensor]:
    whole = bucket.buffer()
    return _average(whole.to(dtype), process_group).then(lambda future: whole.copy_(future.value()))


def fp16_compress_hook(process_group: ProcessGroup | None, bucket: GradBucket) -> Future[Tensor]:
    """The average of gradients rounded to float16: half the bytes of float32, a quarter of float64."""
    return _compressed(_core.float16, process_group, bucket)


def bf16_compress_hook(process_group: ProcessGroup | None, bucket: GradBucket) -> Future[Tensor]:
    """The average of gradients rounded to bfloat16: half the bytes of float32, fewer digits, float32's range."""
    return _compressed(_core.bfloat16, process_group, bucket)


def _wrapped(hook: Hook, dtype: Any) -> Hook:
    def compressing(state: Any, bucket: GradBucket) -> Future[Tensor]:
        whole = bucket.buffer()
        bucket._memory = whole.to(dtype)
        return hook(state, bucket).then(lambda future: whole.copy_(future.value()))

    return compressing


def fp16_compress_wrapper(hook: Hook) -> Hook:
    """A hook that calls another one with the gradients rounded to float16."""
    return _wrapped(hook, _core.float16)


def bf16_compress_wrapper(hook: Hook) -> Hook:
    """A hook that calls another one with the gradients rounded to bfloat16."""
    return _wrapped(hook, _core.bfloat16)
