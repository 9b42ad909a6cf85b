"""A line search for the strong Wolfe conditions: far enough down, and flat enough there."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from .._core import Tensor


@dataclass
class Point:
    """A place on the line: how far along it is, the loss, the gradient, and the slope along the line."""

    t: Any
    f: float
    g: Tensor
    slope: Any


def cubic_minimum(a: Point, b: Point, bounds: tuple[Any, Any] | None = None) -> Any:
    """Where the cubic through two points with their slopes is least, within the bounds (by default between them)."""
    low, high = bounds if bounds is not None else (a.t, b.t) if a.t <= b.t else (b.t, a.t)
    d1 = a.slope + b.slope - 3 * (a.f - b.f) / (a.t - b.t)
    square = d1**2 - a.slope * b.slope
    if not square >= 0:
        return (low + high) / 2.0
    d2 = square.sqrt()
    if a.t <= b.t:
        least = b.t - (b.t - a.t) * ((b.slope + d2 - d1) / (b.slope - a.slope + 2 * d2))
    else:
        least = a.t - (a.t - b.t) * ((a.slope + d2 - d1) / (a.slope - b.slope + 2 * d2))
    return min(max(least, low), high)


def strong_wolfe(
    evaluate: Callable[[Any], tuple[float, Tensor]],
    t: Any,
    direction: Tensor,
    start: Point,
    c1: float = 1e-4,
    c2: float = 0.9,
    tolerance_change: float = 1e-9,
    max_steps: int = 25,
) -> tuple[Point, int]:
    """A point along the direction from `start` that meets the conditions, and how often the loss was evaluated.

    First steps grow until two points enclose such a point, then the interval between them is cut down.
    """
    calls = 0

    def at(t: Any) -> Point:
        nonlocal calls
        calls += 1
        f, g = evaluate(t)
        return Point(t, f, g, g.dot(direction))

    def too_high(p: Point) -> bool:
        return bool(p.f > start.f + c1 * p.t * start.slope)

    def flat(p: Point) -> bool:
        return bool(abs(p.slope) <= -c2 * start.slope)

    before, here, steps = start, at(t), 0
    bracket: list[Point] = []
    while steps < max_steps:
        if too_high(here) or (steps > 1 and here.f >= before.f):
            bracket = [before, here]
            break
        if flat(here):
            return here, calls
        if here.slope >= 0:
            bracket = [before, here]
            break
        bounds = here.t + 0.01 * (here.t - before.t), here.t * 10
        before, here = here, at(cubic_minimum(before, here, bounds))
        steps += 1
    if steps == max_steps:
        bracket = [Point(0, start.f, start.g, start.slope), here]

    stuck, size = False, direction.abs().max()
    low, high = (0, 1) if bracket[0].f <= bracket[-1].f else (1, 0)
    while steps < max_steps:
        if abs(bracket[1].t - bracket[0].t) * size < tolerance_change:
            break
        t = cubic_minimum(bracket[0], bracket[1])
        t, stuck = _away_from_ends(t, bracket, stuck)
        here = at(t)
        steps += 1
        if too_high(here) or here.f >= bracket[low].f:
            bracket[high] = here
            low, high = (0, 1) if bracket[0].f <= bracket[1].f else (1, 0)
            continue
        done = flat(here)
        if not done and here.slope * (bracket[high].t - bracket[low].t) >= 0:
            bracket[high] = bracket[low]
        bracket[low] = here
        if done:
            break
    return bracket[low], calls


def _away_from_ends(t: Any, bracket: list[Point], stuck: bool) -> tuple[Any, bool]:
    """A trial point not too near the ends of the bracket twice in a row, and whether it is near one now."""
    least, most = min(p.t for p in bracket), max(p.t for p in bracket)
    margin = 0.1 * (most - least)
    if not min(most - t, t - least) < margin:
        return t, False
    if stuck or t >= most or t <= least:
        return (most - margin if abs(t - most) < abs(t - least) else least + margin), False
    return t, True
