"""An explanation as text for a terminal."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from .display import bracketed, value_text
from .fold import MOST_LINES, deepest, fitting, folded
from .graph import Node
from .steps import Arrival, Sending, Value

if TYPE_CHECKING:
    from .story import Explanation

_COLOURS = {"title": "1", "name": "36", "number": "33", "line": "2", "formula": "32", "note": "35"}
_WIDEST_LABEL = 40
_WIDEST_LINE = 72
_SHOWN_ROUTES = 8
_MOST_RESULTS = 8  # above so many, gradients are told without their routes


class Writer:
    """Puts an explanation into lines."""

    def __init__(self, colour: bool = False, limit: int | None = None):
        self._colour, self._limit = colour, limit

    def paint(self, kind: str, text: str) -> str:
        """In the colour of its kind, if there are colours."""
        return f"\033[{_COLOURS[kind]}m{text}\033[0m" if self._colour and text else text

    def explanation(self, e: Explanation) -> str:
        title = f"How {e.root.label} = {value_text(e.values.of(e.root))} was calculated, and its gradients"
        lines = [self.paint("title", title), *(self.paint("note", f"  {note}") for note in e.notes), ""]
        unfolded = self._unfolded(e) if e.depth is None or self._limit is None else []
        most = deepest(e)
        if self._limit is None or (e.depth is None and (len(unfolded) < MOST_LINES or not _has_modules(e))):
            return "\n".join(lines + unfolded)
        if e.depth is not None:
            return "\n".join(lines + folded(e, e.depth, self))
        return "\n".join(lines + fitting(lambda depth: folded(e, depth, self), most))

    def _unfolded(self, e: Explanation) -> list[str]:
        lines = []
        lines += [self.paint("title", "Forward"), *self._cut(e.forward, self._forward), ""]
        other = " (not the variable g)" if any(n.label == "g" for n in e.graph.nodes) else ""
        of = e.root.label
        lines += [self.paint("title", f"Backward: g{other} is the gradient of {of} that arrives at a step")]
        lines += self._cut(e.backward, self._backward)
        lines += ["", self.paint("title", "Gradients")]
        for node in e.results:
            lines += self._result(e, node)
        return lines

    def _cut(self, steps: list[Any], write: Callable[[Any], list[str]]) -> list[str]:
        """The lines of all steps, or of the first and the last ones."""
        if self._limit is None or len(steps) <= self._limit:
            return [line for step in steps for line in write(step)]
        half = self._limit // 2
        left_out = f"  ... {len(steps) - 2 * half} steps left out: explain(...).text(limit=None) has them"
        first, last = ([line for step in part for line in write(step)] for part in (steps[:half], steps[-half:]))
        return [*first, self.paint("note", left_out), *last]

    def _forward(self, step: Value) -> list[str]:
        node = step.node
        name = self.paint("name", f"{_label(node):{_WIDEST_LABEL}}")
        shown = f"[{', '.join(map(str, step.index))}] = {step.text}" if step.index is not None else f"= {step.text}"
        return [f"  {node.index + 1:3}  {name} {self.paint('number', shown)}  {self._made(node)}"]

    def _made(self, node: Node) -> str:
        place = node.line.place if node.line else ""
        text = f"  {_cut_short(node.line.text, _WIDEST_LINE)}" if node.line and node.line.text else ""
        of = "derivative of " if node.order else ""
        return self.paint("line", f"{node.operation}  {of}{place}{text}".rstrip())

    def _backward(self, step: Arrival) -> list[str]:
        node = step.node
        head = f"  {node.index + 1:3}  {self.paint('name', f'{_label(node):{_WIDEST_LABEL}}')} "
        head += self.paint("number", f"g = {step.sum_text}")
        return [head, *(self._sending(s) for s in step.sendings)]

    def _sending(self, s: Sending) -> str:
        to = self.paint("name", f"to {_label(s.edge.producer)}")
        put_in = f" = {s.put_in}" if s.put_in and s.put_in != s.formula else ""
        words = self.paint("formula", f"{s.formula}{put_in}")
        return f"         {to}: {self.paint('number', s.text)}   [{words}]"

    def _result(self, e: Explanation, node: Node) -> list[str]:
        at = e.index if e.index is not None and node is (e.wanted or [None])[0] else None
        gradient = e.flow.gradient(node)
        place = f"[{', '.join(map(str, at))}]" if at is not None else ""
        head = f"  {self.paint('name', f'd {bracketed(e.root.label)} / d {bracketed(node.label)}{place}')} = "
        lines = [head + self.paint("number", value_text(gradient, at) if gradient is not None else _unknown(node))]
        if len(e.results) > _MOST_RESULTS:
            return lines
        found = e.routes_to(node, at)
        if len(found) > 1:
            lines += [f"      {route.text(at)}" for route in found[:_SHOWN_ROUTES]]
            if len(found) > _SHOWN_ROUTES:
                lines.append(f"      ... and {len(found) - _SHOWN_ROUTES} more routes")
        return lines


def _has_modules(e: Explanation) -> bool:
    return any(n.module for n in e.graph.nodes)


def _unknown(node: Node) -> str:
    kept = node.raw.grad if node.is_leaf else None
    return "not known" if kept is None else f"not known any more; its .grad is {value_text(kept)}"


def _label(node: Node) -> str:
    text = node.label
    if node.order == 0 and node.variable and node.line and node.line.expression and node.line.target == node.variable:
        text = f"{node.variable} = {node.line.expression}"
        if node.line.expression.startswith(f"{node.variable} ") and "=" in node.line.expression:
            text = node.line.expression  # x += 1 has its name already
    return _cut_short(text, _WIDEST_LABEL)


def _cut_short(text: str, width: int) -> str:
    return text if len(text) <= width else text[: width - 3] + "..."
