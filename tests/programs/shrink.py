"""Cuts a program down to the lines that a fault needs."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable

from .execute import Program


def shrink(program: Program, fails: Callable[[Program], bool]) -> Program:
    """The same program with every line left out that the fault does not need."""
    at = len(program.lines)
    while at > 0:
        at -= 1
        shorter = dataclasses.replace(program, lines=program.lines[:at] + program.lines[at + 1 :])
        if fails(shorter):
            program = shorter
    return program
