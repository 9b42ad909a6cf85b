"""torch.utils.flop_counter: how many floating-point operations a block takes, by module and operation."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable
from typing import Any, Self

from .._core import Tensor
from ..compat.refusal import refuses_all
from ..ops.overloads import aten as _aten
from ..user_warning import warn_user
from ..watchers import unwatch, watch
from .flop_formulas import FORMULAS, Count
from .module_tracker import ModuleTracker

__all__ = ["FlopCounterMode"]

__getattr__ = refuses_all("utils.flop_counter", "chainrule counts by formulas of its own; FlopCounterMode shows them")

_SUFFIXES = ("", "K", "M", "B", "T")


class FlopCounterMode:
    """A block in which products, convolutions and attention are counted, forward and backward.

    Args:
        mods: not needed any more.
        depth: how deep the table goes into modules.
        display: whether the table is printed when the block ends.
        custom_mapping: formulas for other operations; not supported.

    >>> from torch.utils.flop_counter import FlopCounterMode
    >>> with FlopCounterMode(display=False) as counter:
    ...     y = torch.nn.Linear(3, 4)(torch.ones(2, 3))
    >>> counter.get_total_flops()
    48
    """

    def __init__(
        self, mods: Any = None, depth: int = 2, display: bool = True, custom_mapping: dict[Any, Any] | None = None
    ) -> None:
        if mods is not None:
            warn_user("mods argument is not needed anymore, you can stop passing it")
        if custom_mapping:
            raise RuntimeError("FlopCounterMode: custom_mapping is not supported; chainrule counts by its own formulas")
        self.depth, self.display = depth, display
        self.flop_counts: dict[str, dict[Any, int]] = defaultdict(lambda: defaultdict(int))
        self.mod_tracker = ModuleTracker()
        self._hooks: list[Any] = []

    def __enter__(self) -> Self:
        self.flop_counts.clear()
        self.mod_tracker.__enter__()
        watch(self._call)
        return self

    def __exit__(self, *exception: object) -> None:
        unwatch(self._call)
        self.mod_tracker.__exit__()
        for hook in self._hooks:
            hook.remove()
        self._hooks.clear()
        if self.display:
            print(self.get_table(self.depth))

    def _call(self, function: Callable, args: tuple, kwargs: dict) -> Any:
        result = function(*args, **kwargs)
        formula = FORMULAS.get(getattr(function, "__name__", ""))
        if formula is not None:
            out = result if isinstance(result, Tensor) else result[0]
            options = {name: value for name, value in kwargs.items() if isinstance(value, Tensor) and name != "out"}
            count = formula(*args, **options, out=out)
            if count is not None:
                self._add(count.forward, count.flops)
                self._count_backward(count, out)
        return result

    def _add(self, name: str, flops: int) -> None:
        for module in self.mod_tracker.parents:
            self.flop_counts[module][getattr(_aten, name)] += flops

    def _count_backward(self, count: Count, out: Tensor) -> None:
        times = sum(factor.requires_grad for factor in count.factors)
        if out.grad_fn is not None and times:
            self._hooks.append(out.grad_fn.register_prehook(lambda *_: self._add(count.backward, times * count.flops)))

    def get_total_flops(self) -> int:
        """All that were counted."""
        return sum(self.flop_counts["Global"].values())

    def get_flop_counts(self) -> dict[str, dict[Any, int]]:
        """The numbers by module, and by operation within it."""
        return {module: dict(counts) for module, counts in self.flop_counts.items()}

    def get_table(self, depth: int | None = None) -> str:
        """The numbers as a table, down to a depth of modules."""
        depth = (999999 if self.depth is None else self.depth) if depth is None else depth
        total = self.get_total_flops()
        shown = [name for name in sorted(self.flop_counts) if name != "Global" and name.count(".") < depth]
        rows = [row for name in shown for row in self._rows(name, name.count("."), total)]
        if total and not any(sum(self.flop_counts[name].values()) >= total for name in shown):
            rows = [*self._rows("Global", 0, total), *((" " + name, *numbers) for name, *numbers in rows)]
        return _table([("Module", "FLOP", "% Total"), *(rows or [("Global", "0", "0%")])])

    def _rows(self, module: str, indent: int, total: int) -> Iterable[tuple[str, str, str]]:
        counts = self.flop_counts[module]
        named = [(module, sum(counts.values())), *((f" - {name}", flops) for name, flops in counts.items())]
        for name, flops in named:
            yield " " * indent + name, _short(flops, total), f"{flops / total:.2%}" if total else "0%"


def _short(flops: int, total: int) -> str:
    """A number in the unit that fits the total."""
    unit = max(0, min(len(_SUFFIXES) - 1, (len(str(total)) - 2) // 3))
    return f"{flops / 1000**unit:.3f}{_SUFFIXES[unit]}" if unit else str(flops)


def _table(rows: list[tuple]) -> str:
    widths = [max(len(row[i]) for row in rows) for i in range(3)]
    lines = [f"{a:<{widths[0]}}  {b:>{widths[1]}}  {c:>{widths[2]}}" for a, b, c in rows]
    return "\n".join([lines[0], "  ".join("-" * width for width in widths), *lines[1:]])
