"""The health of gradients as pictures: bars for one moment, lines over training; SVG that needs nothing else."""

from __future__ import annotations

import html
import math
from collections.abc import Sequence
from itertools import groupby
from typing import TYPE_CHECKING, TypeGuard

if TYPE_CHECKING:
    from .health import Health, Layer

__all__ = ["bars", "lines"]

_LETTER = 7.3  # width of a character
_STYLE = """
.cr-health { background: #fff } .cr-health text { font: 12px ui-monospace, Menlo, Consolas, monospace; fill: #1c2733 }
.cr-health text { paint-order: stroke; stroke: #fff; stroke-width: 3px }
.cr-health .title { font-weight: 600 } .cr-health .quiet { fill: #66727d } .cr-health .sick { fill: #b0372b }
.cr-health .grid { stroke: #d8dfe6 } .cr-health rect { fill: #5a9a68 } .cr-health rect.sick { fill: #b0372b }
.cr-health polyline { fill: none; stroke-width: 1.6 }
@media (prefers-color-scheme: dark) {
  .cr-health { background: #151b21 } .cr-health text { fill: #dbe4ec; stroke: #151b21 }
  .cr-health .quiet { fill: #93a1ad }
  .cr-health .grid { stroke: #2c3741 } .cr-health .sick, .cr-health rect.sick { fill: #ff8f80 }
}
"""


class _Scale:
    """From norms to places, by their logarithm; whole powers of ten have a mark."""

    def __init__(self, norms: Sequence[float | None], start: float, end: float):
        logs = [math.log10(n) for n in norms if _is_shown(n)]
        self.low = math.floor(min(logs, default=-1.0))
        self.high = max(math.ceil(max(logs, default=0.0)), self.low + 1)
        self._start, self._end = start, end

    def at(self, norm: float) -> float:
        share = (math.log10(norm) - self.low) / (self.high - self.low)
        return self._start + (self._end - self._start) * share

    def marks(self) -> list[tuple[float, str]]:
        every = max(1, math.ceil((self.high - self.low) / 8))
        return [(self.at(10.0**k), _power(k)) for k in range(self.low, self.high + 1, every)]


def _is_shown(norm: float | None) -> TypeGuard[float]:
    return norm is not None and norm > 0 and math.isfinite(norm)


def _power(k: int) -> str:
    return f"{10.0**k:g}" if -3 <= k <= 4 else f"1e{k}"


def _text(x: float, y: float, text: str, kind: str = "", end: bool = False, style: str = "") -> str:
    anchor = ' text-anchor="end"' if end else ""
    return f'<text class="{kind}" x="{x:.1f}" y="{y:.1f}"{anchor}{style}>{html.escape(text)}</text>'


def _line(x1: float, y1: float, x2: float, y2: float) -> str:
    return f'<line class="grid" x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}"/>'


def _svg(parts: list[str], width: float, height: float) -> str:
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" class="cr-health" viewBox="0 0 {width:.0f} {height:.0f}" '
        f'width="{width:.0f}" height="{height:.0f}" role="img">'
    )
    return f"{head}<style>{_STYLE}</style>{''.join(parts)}</svg>"


def bars(health: Health) -> str:
    """A layer in each row, its gradient norm as a bar."""
    left, step, top = max((len(layer.name) for layer in health), default=0) * _LETTER + 24, 22, 58
    bottom = top + step * len(health)
    scale = _Scale([layer.gradient_norm for layer in health], left + 6, left + 326)
    parts = [_text(12, 22, "Gradient norm of each layer, first layer on top", "title")]
    for x, label in scale.marks():
        parts += [_line(x, top - 4, x, bottom), _text(x - len(label) * _LETTER / 2, top - 9, label, "quiet")]
    for i, layer in enumerate(health):
        y, norm = top + step * i, layer.gradient_norm
        sick = "sick" if layer.is_sick else ""
        length = scale.at(norm) - left if _is_shown(norm) else 0.0
        parts.append(_text(left - 8, y + 15, layer.name, sick, end=True))
        parts.append(f'<rect class="{sick}" x="{left:.1f}" y="{y + 3}" width="{length:.1f}" height="15" rx="2"/>')
        number = "" if norm is None else f"{norm:.2g}  "
        parts.append(_text(left + length + 8, y + 15, f"{number}{layer.verdict}", sick))
    return _svg(parts, left + 326 + 170, bottom + 12)


def lines(steps: Sequence[Health]) -> str:
    """The steps from left to right; each layer is a line, from violet for the first layer to orange for the last."""
    layers = [[health[i] for health in steps] for i in range(len(steps[0]) if steps else 0)]
    left, right, top = 62, 622, 44
    bottom = top + max(220, 17 * len(layers))
    scale = _Scale([at.gradient_norm for layer in layers for at in layer], bottom, top)
    parts = [_text(12, 22, "Gradient norm of each layer over the steps", "title")]
    for y, label in scale.marks():
        parts += [_line(left, y, right, y), _text(left - 8, y + 4, label, "quiet", end=True)]
    last = len(steps) - 1

    def across(k: int) -> float:
        return left + (right - left) * k / max(last, 1)

    for k in sorted({0, last // 2, last} if steps else ()):
        parts.append(_text(across(k) - 4, bottom + 18, f"step {k}" if k == 0 else str(k), "quiet"))
    ends = []
    for i, layer in enumerate(layers):
        colour = f"hsl({(280 - 250 * i / max(len(layers) - 1, 1)):.0f} 65% 50%)"
        places = [(across(k), scale.at(n)) if _is_shown(n := at.gradient_norm) else None for k, at in enumerate(layer)]
        for shown, run in groupby(places, lambda place: place is not None):
            points = " ".join(f"{p[0]:.1f},{p[1]:.1f}" for p in run if p)
            parts.append(f'<polyline stroke="{colour}" points="{points}"/>' if shown else "")
        known = [p[1] for p in places if p]
        ends.append((known[-1] if known else bottom, i, colour))
    parts += _legend(ends, layers, right + 12, bottom)
    longest = max((len(_state(layer)) for layer in layers), default=0)
    return _svg(parts, right + 30 + longest * _LETTER, bottom + 30)


def _legend(ends: list[tuple[float, int, str]], layers: list[list[Layer]], x: float, bottom: float) -> list[str]:
    """The names beside the ends of their lines, moved apart where they would cover each other."""
    parts, free = [], bottom
    for y, i, colour in sorted(ends, reverse=True):
        y = min(y, free)
        free = y - 16
        kind = "sick" if any(at.is_sick for at in layers[i]) else ""
        mark = f'<circle cx="{x:.1f}" cy="{y:.1f}" r="4" fill="{colour}"/>'
        parts += [mark, _text(x + 9, y + 4, _state(layers[i]), kind)]
    return parts


def _state(layer: list[Layer]) -> str:
    """A layer's name, and since when it is not healthy."""
    first = next(((k, at.verdict) for k, at in enumerate(layer) if at.is_sick), None)
    if first is not None:
        return f"{layer[0].name}: {first[1]} from step {first[0]}"
    return f"{layer[0].name}: frozen" if layer[0].verdict == "frozen" else layer[0].name
