"""The page: one HTML file with the source, the graph and a slider through the steps. It needs nothing else."""

from __future__ import annotations

import html
import json
import linecache
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .cells import named
from .display import value_text
from .graph import Node
from .math_type import in_math_type

if TYPE_CHECKING:
    from .steps import Arrival
    from .story import Explanation

__all__ = ["page"]

_HERE = Path(__file__).parent
_MOST_LINES = 3000  # of a file that are shown
_BODY = """<header><h1>{title}</h1><span class="space"></span>
<input id="search" type="search" placeholder="search  ( / )" aria-label="search"><span id="hits"></span>
<button id="fold" title="[">fold</button><button id="unfold" title="]">unfold</button>
<button id="fit" title="f">fit</button><button id="quiz" title="q: hide until clicked">quiz</button>
<button id="theme" title="d">light / dark</button></header>
<div id="notes">{notes}</div>
<div id="left"><section id="source" aria-label="source"></section><aside id="card" aria-label="step"></aside></div>
<main><svg id="graph" role="img" aria-label="graph"><g id="canvas"></g></svg>
<div id="legend"><span><i class="leaf"></i>leaf</span><span><i class="step"></i>step</span>
<span><i class="root"></i>result</span><span><i class="fold"></i>module: click to unfold</span>
<span>a … b: smallest and largest element</span><span><b>gradients flow upwards</b></span></div></main>
<footer><button id="back" title="left">&#9664;</button><button id="play" title="space">Play</button>
<button id="on" title="right">&#9654;</button><input id="slider" type="range" min="0" value="0" aria-label="step">
<span id="where"></span></footer>"""


def page(e: Explanation) -> str:
    """The whole document as text."""
    title = html.escape(f"How {e.root.label} = {value_text(e.values.of(e.root))} was calculated, and its gradients")
    content = json.dumps(_data(e)).replace("</", "<\\/")
    body = _BODY.format(title=title, notes=html.escape(" ".join(e.notes)))
    return (
        f'<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><title>{title}</title>'
        f"<style>\n{_text('page.css')}</style></head>\n<body>{body}\n"
        f'<script type="application/json" id="data">{content}</script>\n'
        f"<script>\n{_text('page_layout.js')}{_text('page.js')}</script></body></html>\n"
    )


def _text(name: str) -> str:
    return (_HERE / name).read_text(encoding="utf-8")


def _data(e: Explanation) -> dict[str, Any]:
    files = _files(e)
    numbers = {file["path"]: i for i, file in enumerate(files)}
    arrivals = {a.node.index: a for a in e.backward}
    shown = {s.node.index for s in e.forward}
    return {
        "root": e.root.index,
        "files": [{"name": f["name"], "first": f["first"], "lines": f["lines"]} for f in files],
        "nodes": [_node(e, n, arrivals.get(n.index), numbers) for n in e.graph.nodes],
        "edges": [
            [x.producer.index, x.consumer.index, None if (g := e.flow.contribution(x)) is None else value_text(g)]
            for x in e.graph.edges
        ],
        "math": _in_math_type(e.backward),
        "forward": sorted(shown),
        "backward": [a.node.index for a in e.backward],
    }


def _in_math_type(backward: Sequence[Arrival]) -> dict[str, str]:
    """By formula, each one once: a network has few of them, and each many times."""
    formulas = dict.fromkeys(s.formula for arrival in backward for s in arrival.sendings)
    return {formula: text for formula in formulas if (text := in_math_type(formula))}


def _node(e: Explanation, node: Node, arrival: Arrival | None, files: dict[str, int]) -> dict[str, Any]:
    value, gradient = e.values.of(node), e.flow.gradient(node)
    line = node.line
    seconds, timing = e.flow.seconds.get(node.index), e.timings.get(node.index)
    return {
        "index": node.index,
        "kind": "leaf" if node.is_leaf else "operation",
        "label": node.label,
        "operation": node.operation,
        "name": node.name,
        "module": node.module,
        "shape": ", ".join(map(str, node.shape)),
        "dtype": node.outputs[0].dtype,
        "value": None if value is None else value_text(value),
        "gradient": None if gradient is None else value_text(gradient),
        "parts": [value_text(g) for _, g in arrival.parts] if arrival else [],
        "hooked": arrival is not None and arrival.is_changed,
        "sent": [
            {"to": s.edge.producer.index, "formula": s.formula, "numbers": s.put_in, "text": s.text}
            for s in (arrival.sendings if arrival else ())
        ],
        "saved": [s.to_dict() for s in node.saved],
        "bytes": node.bytes,
        "microseconds": None if seconds is None else seconds * 1e6,
        "forward_time": None if timing is None else [timing[0] * 1e6, timing[1]],
        "line": [files[line.file], line.number] if line and line.file in files else None,
        "place": f"{'derivative of ' if node.order else ''}{line.place}" if line else "",
        "text": line.text if line else "",
    }


def _files(e: Explanation) -> list[dict[str, Any]]:
    """The files that steps came from; of a very long one, the part around them."""
    lines: dict[str, list[int]] = {}
    for node in e.graph.nodes:
        if node.line:
            lines.setdefault(node.line.file, []).append(node.line.number)
    found = []
    for path, used in lines.items():
        text = [line.rstrip("\n") for line in linecache.getlines(path)]
        first = 1 if len(text) <= _MOST_LINES else max(1, min(used) - 50)
        kept = text[first - 1 : first - 1 + _MOST_LINES]
        if kept:
            found.append({"path": path, "name": named(path) or path.rpartition("/")[2], "first": first, "lines": kept})
    return found
