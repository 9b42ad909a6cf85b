"""The text of a model's explanation, folded by module: a line for each, with ranges and norms."""

from __future__ import annotations

from collections.abc import Callable
from itertools import groupby
from typing import TYPE_CHECKING, Any

from .._core import Tensor
from ..autograd.grad_mode import no_grad
from .display import counted, value_text
from .graph import Node

if TYPE_CHECKING:
    from .story import Explanation
    from .text import Writer

__all__ = ["deepest", "folded"]

MOST_LINES = 60


def deepest(e: Explanation) -> int:
    """How many parts the longest path of a module has, without the model's own name."""
    return max((n.module.count(".") for n in e.graph.nodes if n.module), default=0)


def folded(e: Explanation, depth: int, writer: Writer) -> list[str]:
    """Forward, backward and gradients, with a line for each module at a depth."""
    lines = [
        writer.paint("title", f"Forward, modules folded at depth {depth} (explain(..., depth={depth + 1}) unfolds)")
    ]
    for path, steps in _groups(e.forward, depth):
        lines += _forward(path, steps, writer)
    lines += [
        "",
        writer.paint("title", f"Backward: g is the gradient of {e.root.label} that arrives at a module or step"),
    ]
    for path, steps in _groups(e.backward, depth):
        lines += _backward(path, steps, writer)
    lines += ["", writer.paint("title", "Gradients")]
    for path, nodes in groupby(sorted(e.results, key=lambda n: n.index), lambda n: _fold(n, depth)):
        lines += _gradients(e, path, list(nodes), writer)
    return lines


def _fold(node: Node, depth: int) -> str | None:
    """The module that a step is folded into."""
    return None if node.module is None else ".".join(node.module.split(".")[: depth + 1])


def _groups(steps: list[Any], depth: int) -> list[tuple[str | None, list[Any]]]:
    """Steps that follow each other in one module; parameters are told with the gradients."""
    shown = [s for s in steps if not (s.node.is_leaf and s.node.module)]
    return [(path, list(group)) for path, group in groupby(shown, lambda s: _fold(s.node, depth))]


def _line(name: str, text: str, rest: str, writer: Writer) -> str:
    return (
        f"  {writer.paint('name', f'{name:32}')} {writer.paint('number', text)}  {writer.paint('line', rest)}".rstrip()
    )


def _forward(path: str | None, steps: list[Any], writer: Writer) -> list[str]:
    if path is None:
        return [_line(_short(s.node), f"= {_measured(s.value)}", _place(s.node), writer) for s in steps]
    last = steps[-1]
    return [_line(path, f"= {_measured(last.value)}", f"{counted(len(steps), 'step')}  {_place(last.node)}", writer)]


def _backward(path: str | None, steps: list[Any], writer: Writer) -> list[str]:
    if path is None:
        return [_line(_short(s.node), f"g = {_measured(s.gradient)}", "", writer) for s in steps]
    return [_line(path, f"g = {_measured(steps[0].gradient)}", counted(len(steps), "step"), writer)]


def _gradients(e: Explanation, path: str | None, nodes: list[Node], writer: Writer) -> list[str]:
    told = f"d {e.root.label} / d "
    if path is None or len(nodes) == 1:
        return [_line(f"{told}{n.label}", f"= {_measured(e.flow.gradient(n))}", "", writer) for n in nodes]
    known = [g for n in nodes if (g := e.flow.gradient(n)) is not None]
    with no_grad():
        norm = sum(g.detach().abs().double().square().sum().item() for g in known) ** 0.5
    text = f"norm {norm:.3g}" if known else "not known"
    numbers = sum(_count(n) for n in nodes)
    return [_line(f"{told}{path}.*", text, f"{counted(len(nodes), 'tensor')}, {numbers:,} numbers", writer)]


def _count(node: Node) -> int:
    return node.raw.numel()


def _measured(value: Tensor | None) -> str:
    """Its range and its norm."""
    if value is None or value.numel() <= 6 or not (value.is_floating_point() or value.is_complex()):
        return value_text(value)
    with no_grad():
        norm = value.detach().abs().double().square().sum().item() ** 0.5
    return f"{value_text(value)}, norm {norm:.3g}"


def _short(node: Node) -> str:
    return node.label if len(node.label) <= 32 else f"{node.label[:29]}..."


def _place(node: Node) -> str:
    return node.line.place if node.line else ""


def fitting(write: Callable[[int], list[str]], most: int) -> list[str]:
    """The deepest folding that fits."""
    for depth in range(most, 0, -1):
        lines = write(depth)
        if len(lines) < MOST_LINES:
            return lines
    return write(0)
