"""What the doctor finds: one mistake each, with its line and what to do."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from .rich import Shown
from .source import Line

__all__ = ["Doctor", "Finding"]

Mistake = Literal[
    "not registered",
    "broadcast in the loss",
    "not in the optimiser",
    "not zeroed",
    "softmax twice",
    "no log-softmax",
    "accumulation not scaled",
    "no path to the loss",
    "loss is no scalar",
    "nothing trains",
    "zero gradient",
    "evaluation mode",
    "written twice",
    "sigmoid twice",
    "labels out of range",
    "target not detached",
    "inputs not normalised",
    "learning rate",
    "frozen in the optimiser",
    "batch of one",
    "vanishing gradients",
    "exploding gradients",
    "dead units",
]


@dataclass(frozen=True, repr=False)
class Finding:
    """One mistake, with its line and what to do."""

    mistake: Mistake
    text: str
    cure: str
    line: Line | None = None

    def __str__(self) -> str:
        where = f"\n  here: {self.line}" if self.line and self.line.can_be_found else ""
        return f"{self.mistake}: {self.text}.{where}\n  What to do: {self.cure}."

    __repr__ = __str__


class Doctor(Shown, list[Finding]):
    """What was found; empty: nothing."""

    def __str__(self) -> str:
        return "\n".join(map(str, self)) or "Nothing found."

    __repr__ = __str__
