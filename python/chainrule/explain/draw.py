"""An explanation as a picture: SVG that needs nothing else, and Graphviz's language."""

from __future__ import annotations

import html
from typing import TYPE_CHECKING

from .display import shape_text, value_text
from .graph import Edge, Node
from .layout import layered

if TYPE_CHECKING:
    from .story import Explanation

_LETTER, _LINE = 7.2, 16.0
_STYLE = """
.cr text { font: 12px ui-monospace, Menlo, Consolas, monospace; fill: #1c2733 }
.cr .node { fill: #eef3f8; stroke: #7790a8 } .cr .leaf { fill: #e7f6ea; stroke: #5a9a68 }
.cr .root { fill: #fdf3dc; stroke: #c59432 }
.cr .edge { fill: none; stroke: #8b9aa8; stroke-width: 1.3 }
.cr .gradient { fill: #b0372b; font-size: 11px } .cr .quiet { fill: #66727d; font-size: 11px }
.cr .on-edge { paint-order: stroke; stroke: #fff; stroke-width: 3px }
@media (prefers-color-scheme: dark) {
  .cr text { fill: #dbe4ec } .cr .node { fill: #22303d } .cr .leaf { fill: #1f3a28 } .cr .root { fill: #43361a }
  .cr .gradient { fill: #ff8f80 } .cr .quiet { fill: #93a1ad } .cr .on-edge { stroke: #151b21 }
}
"""


def _box(e: Explanation, node: Node) -> list[tuple[str, str]]:
    """The lines of a node's box, each with its class."""
    value = value_text(e.values.of(node))
    head = f"{_short(node.label)} = {value}" if e.values.of(node) is not None else _short(node.label)
    lines = [("", head)]
    if not node.is_leaf:
        shape = shape_text(node.shape) if node.shape else ""
        place = f"{'derivative of ' if node.order else ''}{node.line.place}" if node.line else ""
        lines.append(("quiet", "  ".join(filter(None, [f"{node.operation} {shape}".rstrip(), place]))))
    elif node.shape:
        lines.append(("quiet", f"leaf {shape_text(node.shape)}"))
    gradient = e.flow.gradient(node)
    if gradient is not None:
        lines.append(("gradient", f"gradient {value_text(gradient)}"))
    return lines


def _short(text: str, most: int = 44) -> str:
    return text if len(text) <= most else text[: most - 3] + "..."


def svg(e: Explanation) -> str:
    """The graph: inputs at the top, the result at the bottom, gradients on the edges that they flow along."""
    boxes = [_box(e, n) for n in e.graph.nodes]
    sizes = [(max(len(t) for _, t in b) * _LETTER + 20, len(b) * _LINE + 14) for b in boxes]
    layout = layered(sizes, [(edge.producer.index, edge.consumer.index) for edge in e.graph.edges])
    parts = [_edge(e, edge, layout.x, layout.y, sizes, layout.bends[i]) for i, edge in enumerate(e.graph.edges)]
    for node, box, size in zip(e.graph.nodes, boxes, sizes, strict=True):
        kind = "root" if node is e.root else "leaf" if node.is_leaf else "node"
        parts.append(_node(box, size, layout.x[node.index], layout.y[node.index], kind))
    width, height = layout.width + 24, layout.height + 24
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" class="cr" viewBox="-12 -12 {width:.0f} {height:.0f}" '
        f'width="{width:.0f}" height="{height:.0f}" role="img"><title>{html.escape(e.root.label)}</title>'
    )
    return f"{head}<style>{_STYLE}</style>{''.join(parts)}</svg>"


def _node(box: list[tuple[str, str]], size: tuple[float, float], x: float, y: float, kind: str) -> str:
    left, top = x - size[0] / 2, y - size[1] / 2
    shape = f'<rect class="{kind}" x="{left:.1f}" y="{top:.1f}" width="{size[0]:.1f}" height="{size[1]:.1f}" rx="5"/>'
    texts = [
        f'<text class="{style}" x="{left + 10:.1f}" y="{top + 18 + i * _LINE:.1f}">{html.escape(text)}</text>'
        for i, (style, text) in enumerate(box)
    ]
    return shape + "".join(texts)


def _edge(
    e: Explanation,
    edge: Edge,
    x: list[float],
    y: list[float],
    sizes: list[tuple[float, float]],
    bends: list[tuple[float, float]],
) -> str:
    a, b = edge.producer.index, edge.consumer.index
    points = [(x[a], y[a] + sizes[a][1] / 2), *bends, (x[b], y[b] - sizes[b][1] / 2)]
    path = "M" + " L".join(f"{px:.1f},{py:.1f}" for px, py in points)
    beside = [other for other in edge.consumer.inputs if other.producer is edge.producer]  # x * x uses x twice
    sent = [value_text(g) for other in beside if (g := e.flow.contribution(other)) is not None]
    if not sent or edge is not beside[0]:
        return f'<path class="edge" d="{path}"/>'
    middle = points[len(points) // 2 - 1 : len(points) // 2 + 1]
    mx, my = sum(p[0] for p in middle) / 2, sum(p[1] for p in middle) / 2
    label = html.escape(_short(" + ".join(sent), 26))
    text = f'<text class="gradient on-edge" x="{mx + 4:.1f}" y="{my:.1f}">{label}</text>'
    return f'<path class="edge" d="{path}"/>{text}'


def dot(e: Explanation) -> str:
    """For those who have Graphviz."""
    lines = ["digraph explanation {", "  node [shape=box, fontname=monospace];"]
    for node in e.graph.nodes:
        text = "\\l".join(t.replace("\\", "\\\\").replace('"', '\\"') for _, t in _box(e, node)) + "\\l"
        lines.append(f'  n{node.index} [label="{text}"];')
    for edge in e.graph.edges:
        sent = e.flow.contribution(edge)
        label = "" if sent is None else f' [label="{value_text(sent)}"]'
        lines.append(f"  n{edge.producer.index} -> n{edge.consumer.index}{label};")
    return "\n".join([*lines, "}"])
