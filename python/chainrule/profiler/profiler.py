"""torch.profiler.profiler: the profiler's names, from where some programs import them."""

from .schedule import ProfilerAction, ProfilerActivity, schedule, supported_activities, tensorboard_trace_handler
from .session import profile
from .tracer import record_function

__all__ = [
    "ProfilerAction",
    "ProfilerActivity",
    "profile",
    "record_function",
    "schedule",
    "supported_activities",
    "tensorboard_trace_handler",
]


def _default_schedule_fn(_: int) -> ProfilerAction:
    """What a profiler without a schedule does at every step: record."""
    return ProfilerAction.RECORD
