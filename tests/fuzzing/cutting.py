"""Cuts a finding down: to one call if one is enough, and that one to what it needs."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from .arguments import Argument, Call
from .calls import call_of
from .watching import End, watch_calls

BEFORE = 100  # calls before it that may have laid the ground


def cut(seed: int, end: End) -> tuple[list[Call], End]:
    """The fewest calls found that end the same way, in their order, and how they ended."""
    alone = [call_of(seed, end.number)]
    ended = _tried(alone, end.kind)
    if ended is not None:
        return _simplified(alone[0], ended)
    needed = [call_of(seed, n) for n in range(max(end.number - BEFORE, 0), end.number + 1)]
    ended = _tried(needed, end.kind)
    return _thinned(needed, ended) if ended is not None else ([], end)


def _thinned(needed: list[Call], ended: End) -> tuple[list[Call], End]:
    step = len(needed) // 2
    while step:
        at = 0
        while at < len(needed) - 1:
            fewer = needed[:at] + needed[min(at + step, len(needed) - 1) :]
            again = _tried(fewer, ended.kind)
            if again is None:
                at += step
            else:
                needed, ended = fewer, again
        step //= 2
    return needed, ended


def _tried(calls: list[Call], kind: str) -> End | None:
    ended = watch_calls(calls)
    return ended if ended.kind == kind else None


def _simplified(call: Call, ended: End) -> tuple[list[Call], End]:
    """The call with simpler arguments, as long as it ends the same way. A hang takes too long to try often."""
    tries = 4 if ended.kind == "hang" else 40
    goes_on = True
    while goes_on and tries:
        goes_on = False
        for simpler in _simpler(call):
            tries -= 1
            again = _tried([simpler], ended.kind) if tries else None
            if again is not None:
                call, ended, goes_on = simpler, again, True
                break
            if not tries:
                break
    return [call], ended


def _simpler(call: Call) -> Iterator[Call]:
    if call.use != "read":
        yield replace(call, use="read")
    for name in call.kwargs:
        yield replace(call, kwargs={k: a for k, a in call.kwargs.items() if k != name})
    if len(call.args) > 1:
        yield replace(call, args=call.args[:-1])
    for i, argument in enumerate(call.args):
        for simpler in _simpler_argument(argument):
            yield replace(call, args=[*call.args[:i], simpler, *call.args[i + 1 :]])
    for name, text in call.variables.items():
        if text != "torch.ones(3)":
            yield replace(call, variables={**call.variables, name: "torch.ones(3)"})


def _simpler_argument(argument: Argument) -> Iterator[Argument]:
    if not isinstance(argument, str) or not argument.startswith("torch."):
        return
    for text in ("torch.ones(3)", "torch.ones(2, 3)"):
        if len(argument) > len(text) + 20:
            yield text
    shorter = re.sub(r"\.\w+(\([^()]*\))?$", "", argument)
    if shorter.count("(") == shorter.count(")") and shorter.startswith("torch.") and shorter.endswith(")"):
        yield shorter


def program(calls: list[Call]) -> str:
    """What can be run by itself, from the folder of the tests."""
    lines = [
        "import chainrule as torch",
        "from fuzzing import uses",
        "from fuzzing.arguments import Variables",
        "from fuzzing.hostile import *",
    ]
    for call in calls[:-1]:
        lines += ["try:", *(f"    {line}" for line in call.source.split("\n")), "except Exception:", "    pass"]
    return "\n".join([*lines, calls[-1].source])
