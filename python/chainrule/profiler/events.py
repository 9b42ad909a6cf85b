"""What was timed, one by one or summed up by name; times are in microseconds."""

from __future__ import annotations

import gzip
import json
import os
from collections.abc import Iterable
from typing import Any

__all__ = ["EventList", "FunctionEvent", "FunctionEventAvg", "write_trace"]


class FunctionEvent:
    """One call of an operation, one node of a backward pass, or one named block.

    >>> with torch.autograd.profiler.profile() as profiled:
    ...     y = torch.ones(2) + 1
    >>> type(profiled.function_events[0]).__name__
    'FunctionEvent'
    """

    def __init__(self, name: str, start: float, thread: int, parent: FunctionEvent | None = None) -> None:
        self.name = self.key = name
        self.start = self.end = start
        self.within = 0.0  # spent in events within this one
        self.thread, self.parent = thread, parent
        self.input_shapes: list = []
        self.stack: list[str] = []
        self.cpu_memory_usage = 0
        self.count = 1

    @property
    def cpu_time_total(self) -> float:
        """From beginning to end."""
        return self.end - self.start

    cpu_time = cpu_time_total

    @property
    def self_cpu_time_total(self) -> float:
        """Without the events within it."""
        return self.cpu_time_total - self.within

    @property
    def cpu_children(self) -> float:
        """The time of the events within it."""
        return self.within

    def __repr__(self) -> str:
        return f"<FunctionEvent name={self.name} cpu_time={_time(self.cpu_time_total)} thread={self.thread}>"


class FunctionEventAvg:
    """All events of one name."""

    def __init__(self, key: str) -> None:
        self.key = key
        self.count = 0
        self.cpu_time_total = self.self_cpu_time_total = 0.0
        self.cpu_memory_usage = 0
        self.input_shapes: list = []
        self.stack: list[str] = []

    def add(self, event: Any) -> None:
        """Counts an event in."""
        self.count += event.count
        self.cpu_time_total += event.cpu_time_total
        self.self_cpu_time_total += event.self_cpu_time_total
        self.cpu_memory_usage += event.cpu_memory_usage

    @property
    def cpu_time(self) -> float:
        """Of one call, on average."""
        return self.cpu_time_total / self.count if self.count else 0.0

    def __repr__(self) -> str:
        return (
            f"<FunctionEventAvg key={self.key} self_cpu_time={_time(self.self_cpu_time_total)} "
            f"cpu_time={_time(self.cpu_time)} count={self.count}>"
        )


class EventList(list):
    """Events, with ways to look at them.

    >>> with torch.autograd.profiler.profile() as profiled:
    ...     y = torch.ones(2) + 1
    >>> type(profiled.function_events).__name__
    'EventList'
    """

    def key_averages(self, group_by_input_shape: bool = False, group_by_stack_n: int = 0) -> EventList:
        """One entry per name; also per shapes of the arguments, and per the innermost lines of the call."""
        groups: dict[tuple, FunctionEventAvg] = {}
        for event in self:
            shapes = str(event.input_shapes) if group_by_input_shape else ""
            lines = tuple(event.stack[:group_by_stack_n])
            group = groups.setdefault((event.key, shapes, lines), FunctionEventAvg(event.key))
            group.input_shapes = event.input_shapes if group_by_input_shape else []
            group.stack = list(lines)
            group.add(event)
        return EventList(groups.values())

    def total_average(self) -> FunctionEventAvg:
        """All in one entry."""
        total = FunctionEventAvg("Total")
        for event in self:
            total.add(event)
        return total

    @property
    def self_cpu_time_total(self) -> float:
        """The sum of what each took by itself."""
        return sum(event.self_cpu_time_total for event in self)

    def table(
        self,
        sort_by: str | None = None,
        row_limit: int = 100,
        max_src_column_width: int = 75,
        max_name_column_width: int = 55,
        max_shapes_column_width: int = 80,
        header: str | None = None,
        top_level_events_only: bool = False,
    ) -> str:
        """A table in text, the largest `sort_by` first: "cpu_time_total", "self_cpu_time_total", "count" ..."""
        rows = [e for e in self if not (top_level_events_only and getattr(e, "parent", None) is not None)]
        if sort_by is not None:
            key = sort_by.replace("cuda", "cpu").replace("device", "cpu")
            rows.sort(key=lambda event: getattr(event, key), reverse=True)
        total = self.self_cpu_time_total
        titles = ["Name", "Self CPU %", "Self CPU", "CPU total %", "CPU total", "CPU time avg", "# of Calls"]
        columns = [[_cut(e.key, max_name_column_width) for e in rows[:row_limit]]]
        for self_or_whole in ("self_cpu_time_total", "cpu_time_total"):
            values = [getattr(e, self_or_whole) for e in rows[:row_limit]]
            columns += [[f"{100 * v / total if total else 0:.2f}%" for v in values], [_time(v) for v in values]]
        columns += [[_time(e.cpu_time) for e in rows[:row_limit]], [str(e.count) for e in rows[:row_limit]]]
        extra = {
            "CPU Mem": [_bytes(e.cpu_memory_usage) if e.cpu_memory_usage else "" for e in rows[:row_limit]],
            "Input Shapes": [_cut(str(e.input_shapes), max_shapes_column_width) for e in rows[:row_limit]],
            "Source Location": [_cut(e.stack[0], max_src_column_width) if e.stack else "" for e in rows[:row_limit]],
        }
        for title, column in extra.items():
            if any(text not in ("", "[]") for text in column):
                titles.append(title)
                columns.append(column)
        text = _table(titles, columns)
        return (f"{header}\n" if header else "") + text + f"\nSelf CPU time total: {_time(total)}\n"

    def __str__(self) -> str:
        return self.table()

    def export_chrome_trace(self, path: str) -> None:
        """Writes a trace that chrome://tracing and Perfetto show."""
        write_trace(path, self)


def write_trace(path: str, events: Iterable[FunctionEvent], metadata: dict | None = None) -> None:
    """Writes events in the format of Chrome's traces; compressed if the name ends in .gz."""
    process = os.getpid()
    trace = [
        {
            "ph": "X",
            "cat": "cpu_op" if event.name.startswith("aten::") else "user_annotation",
            "name": event.name,
            "pid": process,
            "tid": event.thread,
            "ts": event.start,
            "dur": event.cpu_time_total,
            "args": {"Input Dims": event.input_shapes, "Call stack": ";".join(event.stack)},
        }
        for event in sorted(events, key=lambda event: event.start)
    ]
    opener: Any = gzip.open if path.endswith(".gz") else open
    with opener(path, "wt") as file:
        json.dump({"schemaVersion": 1, **(metadata or {}), "traceEvents": trace}, file)


def _table(titles: list[str], columns: list[list[str]]) -> str:
    widths = [max(map(len, [title, *column])) + 2 for title, column in zip(titles, columns, strict=True)]
    line = "  ".join("-" * width for width in widths)
    rows = [titles, *(list(row) for row in zip(*columns, strict=True))]
    shown = ["  ".join(text.rjust(width) for text, width in zip(row, widths, strict=True)) for row in rows]
    return "\n".join([line, shown[0], line, *shown[1:], line])


def _cut(text: str, width: int) -> str:
    return text if len(text) <= width else text[: width - 3] + "..."


def _time(us: float) -> str:
    for limit, unit in ((1e6, "s"), (1e3, "ms")):
        if us >= limit:
            return f"{us / limit:.3f}{unit}"
    return f"{us:.3f}us"


def _bytes(count: int) -> str:
    for power, unit in ((30, "GB"), (20, "MB"), (10, "KB")):
        if abs(count) >= 1 << power:
            return f"{count / (1 << power):.2f} {unit}"
    return f"{count} B"
