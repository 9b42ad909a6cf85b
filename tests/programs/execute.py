"""Runs a program on one library and writes down all that can be seen of it."""

from __future__ import annotations

import random
import warnings
from dataclasses import dataclass, field
from typing import Any

from . import steps
from .state import record, start

REFUSALS = (RuntimeError, IndexError, TypeError, ValueError, AttributeError, NotImplementedError, ZeroDivisionError)


@dataclass(frozen=True)
class Program:
    seed: int
    beginning: int
    lines: list[tuple[Any, tuple[int, int, int, int]]]
    double: bool = False  # no float32

    def __str__(self):
        return f"start {self.beginning}\n" + "\n".join(f"  {step.__name__}{numbers}" for step, numbers in self.lines)


@dataclass
class Record:
    refused: list[str | None] = field(default_factory=list)  # by step: the class of the exception
    values: list[Any] = field(default_factory=list)
    gradients: list[Any] = field(default_factory=list)
    left: list[Any] = field(default_factory=list)  # the gradients that a pass left behind that failed
    ends: list[str | None] = field(default_factory=list)  # of the passes at the end
    diary: list[Any] = field(default_factory=list)


def make_program(seed: int) -> Program:
    rng = random.Random(seed)
    names, weights = list(steps.STEPS), list(steps.STEPS.values())
    chosen = rng.choices(names, weights, k=rng.randint(3, 22))
    return Program(seed, rng.randrange(160), [(s, tuple(rng.randrange(1000) for _ in range(4))) for s in chosen])


def attempt(f) -> str | None:
    try:
        f()
    except REFUSALS as error:
        return type(error).__name__
    return None


def take_gradients(state, to: list):
    for leaf in state.leaves:
        to.append(record(leaf.grad))
        leaf.grad = None


def run(torch, program: Program) -> Record:
    result = Record()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        state = start(torch, program.beginning, program.double)
        for step, numbers in program.lines:
            result.refused.append(attempt(lambda step=step, numbers=numbers: step(state, *numbers)))
        ends = [t for t in state.tensors if t.requires_grad]
        result.ends.append(
            attempt(lambda: sum((t * (k + 1)).sum() for k, t in enumerate(ends)).backward(retain_graph=True))
        )
        if result.ends[0]:
            take_gradients(state, result.left)
        state.raising[:] = [False] * len(state.raising)
        result.ends.append(attempt(lambda: sum((t * 0.5).sum() for t in ends).backward()))
        result.values = [record(t) for t in state.tensors]
        take_gradients(state, result.left if result.ends[1] else result.gradients)
        result.diary = state.diary + [record(t) for t in state.held if isinstance(t, torch.Tensor)]
    return result
