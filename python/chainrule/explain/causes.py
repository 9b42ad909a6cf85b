"""Causes of a missing gradient: a closed list, in words, with what to do about each."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from .departures import COPIES, Departure
from .source import Line

__all__ = ["Cause", "cut_cause", "departure_cause"]

Kind = Literal[
    "there",  # it is not missing
    "never used",
    "detached",
    "read out",  # item(), tolist(), numpy(), float()
    "integer cast",
    "no gradient",  # an operation that has none: argmax, a comparison
    "no_grad",
    "non-leaf",
    "backward not called",
    "cleared",
    "output not used",
    "not registered",
    "saturated",
    "cancelled",  # the loss does not change with it: a bias in differences of predictions
    "not asked for",  # requires_grad is False
]

# What to do about each cause.
_CURES: dict[str, str] = {
    "never used": "use it in what the loss is calculated from",
    "detached": "leave the detachment out, or differentiate with respect to the detached tensor",
    "read out": "calculate with the tensor itself; a Python number or an array has no history",
    "integer cast": "keep a floating dtype up to the loss; integers have no gradient",
    "no gradient": "use an operation with a gradient (softmax in place of argmax, a weight in place of a comparison, "
    "rsample() in place of sample())",
    "no_grad": "calculate it outside of the block",
    "non-leaf": "look at the leaf's .grad, or call retain_grad() on this tensor before backward()",
    "backward not called": "call loss.backward()",
    "cleared": "read .grad before it is cleared",
    "output not used": "use the result in the loss",
    "not registered": "keep modules in nn.ModuleList or nn.ModuleDict, tensors in nn.Parameter",
    "saturated": "keep the inputs away from where the function is flat, or use one that is not (leaky_relu)",
    "cancelled": "leave it out; for this loss it is not needed",
    "not asked for": "set requires_grad=True on what is to be trained, before it is used",
    "there": "",
}


@dataclass(frozen=True, repr=False)
class Cause:
    """Why a gradient is missing or zero."""

    kind: Kind
    name: str  # what the user calls the tensor
    text: str
    line: Line | None = None
    advice: str | None = None  # for this very case

    @property
    def cure(self) -> str:
        return self.advice or _CURES[self.kind]

    def __str__(self) -> str:
        where = f"\n  here: {self.line}" if self.line and self.line.can_be_found else ""
        cure = f"\n  What to do: {self.cure}." if self.cure else ""
        return f"{self.name}: {self.text}.{where}{cure}"

    __repr__ = __str__

    def _repr_html_(self) -> str:
        from .rich import box

        return box(str(self), self.kind == "there")

    def to_dict(self) -> dict[str, Any]:
        line = self.line.to_dict() if self.line else None
        return {"kind": self.kind, "name": self.name, "text": self.text, "line": line, "cure": self.cure}


_READS = {"item()": "item()", "tolist()": "tolist()", "numpy()": "numpy()"}


def cut_cause(name: str, by: str, line: Line | None) -> Cause:
    if by in _READS:
        return Cause("read out", name, f"its value was read out of the graph by {by}", line)
    if by.startswith("no_grad"):
        return Cause("no_grad", name, "it was calculated while recording was off (no_grad or its kin)", line)
    return Cause("detached", name, f"it left the graph through {by}", line)


def departure_cause(name: str, d: Departure, what: str = "what was calculated from it") -> Cause:
    words = {
        "detached": f"left the graph through {d.by}",
        "read out": f"was read out of the graph by {d.by}",
        "integer cast": f"was converted to integers by {d.by}",
        "no gradient": f"went through {d.by}, which has no gradient",
        "no_grad": f"was calculated under {d.by}",
    }
    advice = _NEW_TENSORS if d.by.removesuffix("()") in COPIES else _UNSEEN if "source is not known" in d.by else None
    return Cause(d.how, name, f"{what} {words[d.how]}", d.line, advice)  # type: ignore[arg-type]


def chosen_cause(name: str, lost: tuple[Departure, ...], what: str = "what was calculated from it") -> Cause | None:
    """Of several departures the first that is certain; if none is, all of them are told."""
    first = next((d for d in lost if d.surely), lost[0] if len(lost) == 1 else None)
    if first is not None:
        return departure_cause(name, first, what)
    if not lost:
        return None
    places = ", or ".join(f"through {d.by} ({d.line.place})" for d in lost)
    return Cause("detached", name, f"{what} left the graph, depending on which branch ran, {places}")


_UNSEEN = "look into it: what it gave back has no history of what it was given"
_NEW_TENSORS = "a new tensor has the numbers and not their history; torch.stack() or torch.cat() put tensors together"
