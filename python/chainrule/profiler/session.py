"""profile(): a block whose operations are timed, or some of its steps."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from ..user_warning import warn_user
from .events import EventList, FunctionEventAvg, write_trace
from .schedule import ProfilerAction, ProfilerActivity
from .tracer import Tracer, record_function

__all__ = ["profile"]

_RECORDING = (ProfilerAction.RECORD, ProfilerAction.RECORD_AND_SAVE)


def _available(activities: Iterable[ProfilerActivity] | None) -> set[ProfilerActivity]:
    wanted = set(activities) if activities else {ProfilerActivity.CPU}
    if ProfilerActivity.CUDA in wanted:
        warn_user("CUDA is not available, disabling CUDA profiling")
        wanted.remove(ProfilerActivity.CUDA)
    assert wanted, "No activities specified for the profiler"
    return wanted


class profile:  # noqa: N801
    """Within it operations are timed, those of the forward pass and the nodes of the backward pass.

    >>> with torch.profiler.profile(record_shapes=True) as prof:
    ...     with torch.profiler.record_function("step"):
    ...         y = torch.ones(3) + 1
    >>> [event.key for event in prof.key_averages()]
    ['aten::ones', 'aten::add', 'step']

    Args:
        activities: of ProfilerActivity; there is the CPU.
        schedule: says for each step whether it is recorded; step() ends a step.
        on_trace_ready: called with the profile when a cycle of the schedule, or the block, has ended.
        record_shapes, with_stack: keep the shapes of the arguments, and the lines that run.
        profile_memory: counts the bytes of results that are not their arguments' memory.
        with_modules: concerns TorchScript, which there is not.
        acc_events: keep the events of former cycles as well.
    """

    def __init__(
        self,
        *,
        activities: Iterable[ProfilerActivity] | None = None,
        schedule: Callable[[int], ProfilerAction] | None = None,
        on_trace_ready: Callable[[profile], Any] | None = None,
        record_shapes: bool = False,
        profile_memory: bool = False,
        with_stack: bool = False,
        with_flops: bool = False,
        with_modules: bool = False,
        experimental_config: Any = None,
        execution_trace_observer: Any = None,
        acc_events: bool = False,
    ) -> None:
        for name, value in (
            ("with_flops", with_flops),
            ("experimental_config", experimental_config),
            ("execution_trace_observer", execution_trace_observer),
        ):
            if value:
                raise NotImplementedError(f"torch.profiler.profile: chainrule has no {name}")
        self.activities = _available(activities)
        self.record_shapes, self.profile_memory, self.with_stack = record_shapes, profile_memory, with_stack
        self.schedule = schedule or (lambda step: ProfilerAction.RECORD)
        self._has_steps = schedule is not None
        self.on_trace_ready = on_trace_ready
        self._keep_all = acc_events
        self.step_num = 0
        self.current_action = ProfilerAction.NONE
        self._events = EventList()
        self._tracer: Tracer | None = None
        self._step: record_function | None = None
        self._metadata: dict[str, Any] = {}

    def __enter__(self) -> profile:
        self.start()
        return self

    def __exit__(self, *exception: Any) -> None:
        self.stop()

    def start(self) -> None:
        """Begins the first step."""
        self._go_on(self.schedule(self.step_num))

    def stop(self) -> None:
        """Ends the last step."""
        recorded = self._tracer is not None
        self._finish()
        self.current_action = ProfilerAction.NONE
        if recorded and self.on_trace_ready is not None:
            self.on_trace_ready(self)

    def step(self) -> None:
        """Ends a step and begins the next one."""
        self._close_step()
        self.step_num += 1
        if self.current_action is ProfilerAction.RECORD_AND_SAVE:
            self._finish()
            if self.on_trace_ready is not None:
                self.on_trace_ready(self)
        self._go_on(self.schedule(self.step_num))

    def _go_on(self, action: ProfilerAction) -> None:
        self.current_action = action
        if action not in _RECORDING:
            self._finish()
            return
        if self._tracer is None:
            self._tracer = Tracer(self.record_shapes, self.profile_memory, self.with_stack)
            self._tracer.start()
        if self._has_steps:
            self._step = record_function(f"ProfilerStep#{self.step_num}").__enter__()

    def _close_step(self) -> None:
        if self._step is not None:
            self._step.__exit__()
            self._step = None

    def _finish(self) -> None:
        self._close_step()
        if self._tracer is not None:
            self._tracer.stop()
            kept = self._events if self._keep_all else []
            self._events = EventList([*kept, *self._tracer.events])
            self._tracer = None

    def set_custom_trace_id_callback(self, callback: Callable[[], str]) -> None:
        """The trace gets the identity that the function gives."""
        self._metadata["trace_id"] = callback()

    def add_metadata(self, key: str, value: str) -> None:
        """A text for the trace."""
        self._metadata[key] = value

    def add_metadata_json(self, key: str, value: str) -> None:
        """A value for the trace, as JSON."""
        import json

        self._metadata[key] = json.loads(value)

    # ---- results

    def events(self) -> EventList:
        """Every event, in the order in which they ended."""
        return self._events

    def key_averages(self, group_by_input_shape: bool = False, group_by_stack_n: int = 0) -> EventList:
        """One entry per name; `table()` shows them."""
        return self._events.key_averages(group_by_input_shape, group_by_stack_n)

    def total_average(self) -> FunctionEventAvg:
        """All in one entry."""
        return self._events.total_average()

    def export_chrome_trace(self, path: str) -> None:
        """Writes a trace that chrome://tracing and Perfetto show."""
        write_trace(path, self._events, self._metadata)

    def export_stacks(self, path: str, metric: str = "self_cpu_time_total") -> None:
        """Writes the lines of each event with its time, as tools for flame graphs read them; needs with_stack=True."""
        with open(path, "w") as file:
            for event in self._events:
                value = int(getattr(event, metric.replace("cuda", "cpu")))
                if event.stack and value > 0:
                    file.write(";".join(reversed(event.stack)).replace(" ", "_") + f" {value}\n")
