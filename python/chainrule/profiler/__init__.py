"""torch.profiler: how long operations take, forward and backward, by name, as a table or as a trace.

Every call of an operation is timed by a watcher, every node of the backward pass by hooks. Threads of the core that
work on one operation are not told apart: an operation takes the time from its call to its result.
"""

from . import profiler as profiler
from .schedule import ProfilerAction, ProfilerActivity, schedule, supported_activities, tensorboard_trace_handler
from .session import profile
from .tracer import record_function

__all__ = [
    "ProfilerAction",
    "ProfilerActivity",
    "kineto_available",
    "profile",
    "record_function",
    "schedule",
    "supported_activities",
    "tensorboard_trace_handler",
]


def kineto_available() -> bool:
    """False: PyTorch's library for traces of devices."""
    return False
