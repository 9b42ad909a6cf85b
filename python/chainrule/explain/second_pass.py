"""A second backward pass through a part that the first one freed: what is shared, and in which loop."""

from __future__ import annotations

import ast
import linecache
import re
from typing import Any

from .._core import Tensor
from .graph import living_nodes
from .names import Names
from .running import Loop, Place
from .source import line_at
from .story import reaches

__all__ = ["retell_second_pass"]


def retell_second_pass(text: str, place: Place) -> str:
    """The core's text with the name of what was shared, the loop, and the change for this very case."""
    lines = text.split("\n")
    advice = next(
        (i for i, line in enumerate(lines) if line.startswith("  If that line runs once before a loop")), None
    )
    node = _freed(text)
    if advice is None or node is None:
        return text
    name = _name(node, place)
    told = _in_loop(place, place.loop, node, name) if place.loop else None
    lines[advice : advice + 1] = told or _without_loop(place, name)
    return "\n".join(lines)


def _freed(text: str) -> Any:
    """The node that the text is about."""
    for node in sorted(living_nodes(), key=lambda n: -n._sequence_nr()):
        if node._released and f"[{type(node).__name__}]" in text and str(line_at(node._code)) in text:
            return node
    return None


def _name(node: Any, place: Place) -> str | None:
    """The variable that holds the freed part: of those calculated from it, the first."""
    line = line_at(node._code)
    if line is not None and line.target and isinstance(place.scope.get(line.target), Tensor):
        return line.target
    found = []
    for name, tensor in Names().tensors:
        if re.split(r"[.\[]", name)[0] in place.scope and tensor.grad_fn is not None and _holds(tensor, node):
            found.append((tensor.grad_fn._sequence_nr(), name))
    return min(found)[1] if found else line.target if line else None


def _holds(tensor: Tensor, node: Any) -> bool:
    return tensor.grad_fn is node or reaches(tensor, node)


def _assigned(body: list[ast.stmt], name: str) -> list[int]:
    """The lines that give a variable its value."""
    found = []
    for statement in body:
        for n in ast.walk(statement):
            stored = isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store) and n.id == name
            if stored and isinstance(n, ast.Name):
                found.append(n.lineno)
    return sorted(found)


def _is_carried(body: list[ast.stmt], name: str) -> bool:
    """Whether a turn reads the variable before it has given it a value: h = cell(x, h)."""
    for statement in body:
        found = [n for n in ast.walk(statement) if isinstance(n, ast.Name) and n.id == name]
        if isinstance(statement, ast.AugAssign) and any(n in found for n in ast.walk(statement.target)):
            return True
        if found:
            return any(isinstance(n.ctx, ast.Load) for n in found)
    return False


def _in_loop(place: Place, loop: Loop, node: Any, name: str | None) -> list[str] | None:
    header = linecache.getline(place.frame.f_code.co_filename, loop.lineno).strip()
    around = f"the loop of line {loop.lineno} ({header})"
    if name is None:
        return None
    if not _assigned(loop.body, name):
        made = [n for n in _assigned(place.body, name) if n < loop.lineno]
        cure = f"move line {made[-1]} into the loop" if made else f"calculate {name} anew in each turn"
        return [
            f"  {name} is made before {around} and used in each turn; the backward() of an earlier turn freed it.",
            f"  What to do: {cure}, or use {name}.detach() in it if nothing before it is trained.",
        ]
    if not _is_carried(loop.body, name):
        return [
            f"  {name} is calculated from it in each turn of {around}; the backward() of an earlier turn freed it.",
            "  What to do: calculate that part anew in each turn, or detach() it if nothing before it is trained.",
        ]
    return [
        f"  {name} comes from an earlier turn of {around}, whose backward() freed it: it carries the history on.",
        f"  What to do: {name} = {name}.detach() before it is used in the next turn, or one backward() after the loop.",
    ]


def _without_loop(place: Place, name: str | None) -> list[str]:
    loss = ast.unparse(place.receiver) if place.receiver is not None else "the loss"
    earlier = _earlier_pass(place)
    if earlier is None:
        shown = f"{name} is" if name else "It is"
        return [f"  {shown} shared with what backward() ran on before. Add the losses and call backward() once."]
    number, before = earlier
    line = linecache.getline(place.frame.f_code.co_filename, number).strip()
    first = f"  The first pass, which freed it, was here: line {number}: {line}"
    if before == loss:
        return [first, f"  What to do: call backward() once, or {before}.backward(retain_graph=True) the first time."]
    shared = f"  {name or 'It'} is used by {before} and by {loss}."
    cure = f"({before} + {loss}).backward() once, or {before}.backward(retain_graph=True) the first time"
    return [first, shared, f"  What to do: {cure}."]


def _earlier_pass(place: Place) -> tuple[int, str] | None:
    """The last backward() above this one in the same function: its line and what it ran on."""
    found = None
    for statement in place.body:
        for n in ast.walk(statement):
            if not isinstance(n, ast.Call) or not isinstance(n.func, ast.Attribute) or n.func.attr != "backward":
                continue
            if n.lineno < place.number and (found is None or n.lineno > found[0]):
                found = (n.lineno, ast.unparse(n.func.value))
    return found
