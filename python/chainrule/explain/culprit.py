"""Errors that name the culprit: the variable, the line that did it, and the smallest change; see error_words.py."""

from __future__ import annotations

import ast
from types import TracebackType
from typing import Any

from .._core import Tensor
from .frames import seen_from
from .names import Names
from .running import Place, place_of

__all__ = ["misfit", "tell"]


def tell(teller: str, text: str, about: Any, trace: TracebackType | None) -> str:
    """The text, retold by the function that knows this kind of error."""
    place = place_of(trace)
    if place is None:
        return text
    with seen_from(trace):
        return _TELLERS[teller](text, place, about)


def _without_graph(text: str, place: Place, _: Any) -> str:
    """Where the graph was cut."""
    receiver, loss = place.receiver, place.value(place.receiver)
    if receiver is None or (isinstance(loss, Tensor) and loss.requires_grad):
        return text
    from .inquiry import Inquiry  # the search for a cause needs much that other errors do not

    names = Names()
    if not isinstance(loss, Tensor):
        cause = Inquiry(names).of_an_expression(receiver, place.value)
    else:
        if names.of(loss) is None:
            names.of_tensors[id(loss)] = ast.unparse(receiver)
        cause = Inquiry(names).of_a_constant(loss)
    if cause is None:
        return text
    kept = [
        line for line in text.split("\n") if not line.startswith(("  It was not calculated", "  It left the graph"))
    ]
    kept[1:1] = [f"  {line}" if i == 0 else line for i, line in enumerate(str(cause).split("\n"))]
    return "\n".join(kept)


def _not_scalar(text: str, place: Place, _: Any) -> str:
    """The loss by its name in the advice."""
    receiver = place.receiver
    if receiver is None or not isinstance(receiver, ast.Name | ast.Attribute | ast.Subscript):
        return text
    name = ast.unparse(receiver)
    for method in ("sum", "mean", "backward"):
        before = f"    y.{method}("
        after = f"    {name}.{method}("
        text = "\n".join(_renamed(line, before, after) for line in text.split("\n"))
    return text.replace("with v of y's shape", f"with v of {name}'s shape").replace(
        "for each element of y", f"for each element of {name}"
    )


def _renamed(line: str, before: str, after: str) -> str:
    """With another name at its beginning, and the words after it at the place where they were."""
    if not line.startswith(before):
        return line
    call, _, words = line.replace(before, after, 1).strip().partition("  ")
    return f"    {call:31} {words.strip()}"


def misfit(text: str, place: Place, _: Any = None) -> str:
    """The tensors that took part, by their names."""
    found = list(place.operands())
    if not found or "\n  Here " in text:
        return text
    lines = text.split("\n")
    shown = " and ".join(f"{name} is {list(t.shape)} {str(t.dtype).rpartition('.')[2]}" for name, t in found[:6])
    at = len(lines) - 1 if lines[-1].startswith("  at ") else len(lines)
    return "\n".join([*lines[:at], f"  Here {shown}.", *lines[at:]])


def _overwritten(text: str, place: Place, node: Any) -> str:
    from .overwritten import retell_overwritten

    return retell_overwritten(text, place, node)


def _leaf_written(text: str, place: Place, _: Any) -> str:
    from .overwritten import retell_leaf

    return retell_leaf(text, place)


def _second_pass(text: str, place: Place, node: Any) -> str:
    from .second_pass import retell_second_pass

    return retell_second_pass(text, place, node)


def _invalid_gradient(text: str, place: Place, _: Any) -> str:
    from .custom_function import retell_invalid_gradient

    return retell_invalid_gradient(text, place)


def _hook(text: str, place: Place, _: Any) -> str:
    from .custom_function import retell_hook

    return retell_hook(text, place)


_TELLERS = {
    "invalid_gradient": _invalid_gradient,
    "hook": _hook,
    "overwritten": _overwritten,
    "second_pass": _second_pass,
    "without_graph": _without_graph,
    "not_scalar": _not_scalar,
    "leaf_written": _leaf_written,
    "misfit": misfit,
}
