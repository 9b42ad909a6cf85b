"""Timer: how long a statement takes, as torch.utils.benchmark."""

from __future__ import annotations

import statistics
import timeit
from collections.abc import Callable
from typing import Any

from .. import _core
from ..compat.refusal import refused, refused_class

__all__ = ["Measurement", "Timer", "timer"]

timer = timeit.default_timer
_UNITS = (("ns", 1e-9), ("us", 1e-6), ("ms", 1e-3), ("s", 1.0))


class Measurement:
    """Times of one statement: `times`, in seconds for one run each, and what is calculated from them.

    >>> from torch.utils.benchmark import Timer
    >>> Timer("1 + 1").timeit(5).median >= 0
    True
    """

    def __init__(self, number_per_run: int, raw_times: list[float], title: str, num_threads: int) -> None:
        self.number_per_run, self.raw_times = number_per_run, raw_times
        self.title, self.num_threads = title, num_threads

    @property
    def times(self) -> list[float]:
        """Seconds of one run, for each measurement."""
        return [t / self.number_per_run for t in self.raw_times]

    @property
    def median(self) -> float:
        """Their median."""
        return statistics.median(self.times)

    @property
    def mean(self) -> float:
        """Their mean."""
        return statistics.fmean(self.times)

    @property
    def iqr(self) -> float:
        """The distance between their quartiles."""
        if len(self.times) < 2:
            return 0.0
        first, _, third = statistics.quantiles(self.times, n=4, method="inclusive")
        return third - first

    def __repr__(self) -> str:
        unit, size = next(((u, s) for u, s in reversed(_UNITS) if self.median >= s), _UNITS[0])
        count = len(self.raw_times)
        lines = [
            self.title,
            f"  {self.median / size:.2f} {unit}",
            f"  {count} measurement{'s' if count > 1 else ''}, {self.number_per_run} runs per measurement, "
            f"{self.num_threads} thread{'s' if self.num_threads > 1 else ''}",
        ]
        if count > 1:
            lines.insert(1, f"  Median; IQR: {self.iqr / size:.2f} {unit}")
        return "\n".join(lines)


class Timer:
    """Times a statement.

    Args:
        stmt: the statement, as text.
        setup: what runs before it, once for each measurement.
        global_setup: code in C++; not possible here.
        timer: the clock.
        globals: the names that the statement uses.
        label, sub_label, description, env: how it is called in the result.
        num_threads: how many threads chainrule uses meanwhile.
        language: "python".

    >>> from torch.utils.benchmark import Timer
    >>> Timer("x + 1", globals={"x": torch.ones(2)}).timeit(10).number_per_run
    10
    """

    def __init__(
        self,
        stmt: str = "pass",
        setup: str = "pass",
        global_setup: str = "",
        timer: Callable[[], float] = timer,
        globals: dict[str, Any] | None = None,
        label: str | None = None,
        sub_label: str | None = None,
        description: str | None = None,
        env: str | None = None,
        num_threads: int = 1,
        language: str = "python",
    ) -> None:
        if not isinstance(stmt, str):
            raise ValueError("Currently only a `str` stmt is supported.")
        if language not in ("python", "py") or global_setup:
            raise ValueError("torch.utils.benchmark.Timer: chainrule times Python only, not C++")
        import chainrule

        names = {"torch": chainrule, **(globals or {})}
        self._timer = timeit.Timer(stmt, setup, timer, names)
        title = ": ".join(filter(None, (label, sub_label))) or stmt
        self._title = "\n".join(filter(None, (title, description, env)))
        self._num_threads = num_threads

    def _measured(self, number: int, repeat: int) -> Measurement:
        before = _core.get_num_threads()
        _core.set_num_threads(self._num_threads)
        try:
            times = [self._timer.timeit(number) for _ in range(repeat)]
        finally:
            _core.set_num_threads(before)
        return Measurement(number, times, self._title, self._num_threads)

    def timeit(self, number: int = 1_000_000) -> Measurement:
        """One measurement of `number` runs, after a short warm-up."""
        self._measured(max(number // 100, 2), 1)
        return self._measured(number, 1)

    def _block(self, seconds: float) -> int:
        """How many runs take about this long."""
        number = 1
        while True:
            taken = self._measured(number, 1).raw_times[0]
            if taken >= seconds:
                return number
            number *= 10

    def blocked_autorange(
        self, callback: Callable[[int, float], Any] | None = None, min_run_time: float = 0.2
    ) -> Measurement:
        """Measurements of equal numbers of runs, together at least `min_run_time` seconds."""
        number = self._block(min_run_time / 100)
        times: list[float] = []
        while sum(times) < min_run_time:
            times += self._measured(number, 1).raw_times
            if callback is not None:
                callback(number, times[-1])
        return Measurement(number, times, self._title, self._num_threads)

    def adaptive_autorange(
        self,
        threshold: float = 0.1,
        *,
        min_run_time: float = 0.01,
        max_run_time: float = 10.0,
        callback: Callable[[int, float], Any] | None = None,
    ) -> Measurement:
        """Measurements until their quartiles are near enough to each other, or `max_run_time` is over."""
        number = self._block(min_run_time / 10)
        times: list[float] = []
        while True:
            times += self._measured(number, 1).raw_times
            if callback is not None:
                callback(number, times[-1])
            found = Measurement(number, times, self._title, self._num_threads)
            enough = sum(times) >= min_run_time and len(times) > 3 and found.iqr / found.median < threshold
            if enough or sum(times) >= max_run_time:
                return found

    collect_callgrind = refused("utils.benchmark.Timer.collect_callgrind", "chainrule does not run Valgrind")


Compare = refused_class("utils.benchmark.Compare", "chainrule draws no tables of measurements; print them")
