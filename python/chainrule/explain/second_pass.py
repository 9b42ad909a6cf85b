"""A second backward pass through a part that the first one freed: what is shared, and in which loop."""

from __future__ import annotations

import ast
import linecache
import re
from functools import lru_cache
from typing import Any

from .._core import Tensor
from .edges import reaches
from .history import targets
from .names import Names
from .running import Loop, Place
from .source import line_at, walked

__all__ = ["retell_second_pass"]


def retell_second_pass(text: str, place: Place, node: Any) -> str:
    """The core's text with the name of what was shared, the loop, and the change for this very case."""
    lines = text.split("\n")
    advice = next(
        (i for i, line in enumerate(lines) if line.startswith("  If that line runs once before a loop")), None
    )
    if advice is None or node is None:
        return text
    name = _name(node, place)
    told = next((words for loop in place.loops if (words := _in_loop(place, loop, name))), None)
    lines[advice : advice + 1] = told or _without_loop(place, name)
    return "\n".join(lines)


def _name(node: Any, place: Place) -> str | None:
    """The variable that holds the freed part: of those calculated from it, the first."""
    line = line_at(node._code)
    if line is not None and line.target and isinstance(place.scope.get(line.target), Tensor):
        return line.target
    found = []
    for name, tensor in Names([place.frame]).tensors:
        if tensor.grad_fn is not None and _holds(tensor, node):
            found.append((tensor.grad_fn._sequence_nr(), name))
    return min(found)[1] if found else line.target if line else None


def _holds(tensor: Tensor, node: Any) -> bool:
    return tensor.grad_fn is node or reaches(tensor, node)


def _assigned(body: list[ast.stmt], name: str) -> list[int]:
    """The lines that give a variable its value."""
    return sorted(n for statement in body for n in _stored(statement).get(name, ()))


@lru_cache(maxsize=256)
def _stored(statement: ast.stmt) -> dict[str, list[int]]:
    """By variable, the lines of a statement that give it a value."""
    found: dict[str, list[int]] = {}
    for n in walked(statement):
        if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store):
            found.setdefault(n.id, []).append(n.lineno)
    return found


def _is_carried(body: list[ast.stmt], name: str) -> bool:
    """Whether a turn reads the variable before it has given it a value: h = cell(x, h)."""
    for statement in body:
        found = [n for n in ast.walk(statement) if isinstance(n, ast.Name) and n.id == name]
        if isinstance(statement, ast.AugAssign) and any(n in found for n in ast.walk(statement.target)):
            return True
        if found:
            return any(isinstance(n.ctx, ast.Load) for n in found)
    return False


def _in_loop(place: Place, loop: Loop, name: str | None) -> list[str] | None:
    header = linecache.getline(place.frame.f_code.co_filename, loop.lineno).strip()
    around = f"the loop of line {loop.lineno} ({header})"
    if name is None or _gives(loop, name):
        return None
    if not _assigned(loop.body, name):
        made = [n for n in _assigned(place.mentioning(name), name) if n < loop.lineno]
        cure = f"move line {made[-1]} into the loop" if made else f"calculate {name} anew in each turn"
        is_loss = place.receiver is not None and ast.unparse(place.receiver) == name
        detached = "" if is_loss else f", or use {name}.detach() in it if nothing before it is trained"
        return [
            f"  {name} is made before {around} and used in each turn; the backward() of an earlier turn freed it.",
            f"  What to do: {cure}{detached}.",
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


def _gives(loop: Loop, name: str) -> bool:
    """Whether each turn takes another one: `for feature in features` gives feature, and features[0] once."""
    if not isinstance(loop, ast.For):
        return False
    whole = re.split(r"[.\[]", name)[0]
    return name in targets(loop.target) or (whole != name and whole in {ast.unparse(n) for n in ast.walk(loop.iter)})


def _without_loop(place: Place, name: str | None) -> list[str]:
    loss = ast.unparse(place.receiver) if place.receiver is not None else "the loss"
    earlier = _earlier_pass(place)
    if earlier is None:
        shown = f"{name} is" if name else "It is"
        return [f"  {shown} shared with what backward() ran on before. Add the losses and call backward() once."]
    number, before, again = earlier
    line = linecache.getline(place.frame.f_code.co_filename, number).strip()
    first = f"  The first pass, which freed it, was here: line {number}: {line}"
    if before == loss:
        once = "call backward() once, or " if again.endswith(".backward(retain_graph=True)") else ""
        return [first, f"  What to do: {once}{again} the first time."]
    shared = f"  {name or 'It'} is used by {before} and by {loss}."
    cure = f"({before} + {loss}).backward() once, or {again} the first time"
    lines = [first, shared, f"  What to do: {cure}."]
    if name:
        lines.append(f"    If {before} is not to train what made {name}, calculate it from {name}.detach().")
    return lines


def _earlier_pass(place: Place) -> tuple[int, str, str] | None:
    """The last pass above this one in the same function: its line, what it ran on, and how it keeps the graph."""
    passes = place.mentioning("backward", "grad")
    calls = [n for s in passes for n in walked(s) if isinstance(n, ast.Call) and n.lineno < place.number]
    for n in sorted(calls, key=lambda call: -call.lineno):
        called = ast.unparse(n.func)
        result = ast.unparse(n.args[0]) if n.args else ""
        if called.endswith(("autograd.grad", "autograd.backward")):
            return n.lineno, result, f"{ast.unparse(n)[:-1]}, retain_graph=True)"
        if isinstance(n.func, ast.Attribute) and n.func.attr == "backward":
            before = ast.unparse(n.func.value)
            return n.lineno, before, f"{before}.backward(retain_graph=True)"
    return None
