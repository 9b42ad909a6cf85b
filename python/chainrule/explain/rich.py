"""What notebooks show: the interactive page in a frame, findings as boxes, tables."""

from __future__ import annotations

import html
from collections.abc import Sequence

__all__ = ["Shown", "box", "frame", "table"]

_BOX = "border-left:4px solid {colour};padding:2px 10px;margin:4px 0;font-family:monospace;white-space:pre-wrap"


def frame(page: str, height: int = 640) -> str:
    """A whole document inside of another one. It asks the network for nothing, and its script sees only itself."""
    text = html.escape(page, quote=True)
    style = f"width:100%;height:{height}px;border:1px solid #8884;border-radius:6px"
    return f'<iframe srcdoc="{text}" sandbox="allow-scripts" loading="lazy" style="{style}"></iframe>'


def box(text: str, is_well: bool) -> str:
    """A text with its first line set off, and a colour that says whether something is wrong."""
    head, _, rest = text.partition("\n")
    style = _BOX.format(colour="#2a9d5c" if is_well else "#d1495b")
    return f'<div style="{style}"><b>{html.escape(head)}</b>{html.escape(chr(10) + rest) if rest else ""}</div>'


def table(head: Sequence[str], rows: Sequence[Sequence[str]], is_bad: Sequence[bool], notes: Sequence[str]) -> str:
    """Rows of cells; those that are bad are coloured."""
    cells = "".join(f"<th>{html.escape(c)}</th>" for c in head)
    styles = (" style='color:#d1495b'" if bad else "" for bad in is_bad)
    inside = ("".join(f"<td>{html.escape(c)}</td>" for c in row) for row in rows)
    lines = [f"<tr{style}>{row}</tr>" for style, row in zip(styles, inside, strict=True)]
    words = "".join(f"<div>{html.escape(note)}</div>" for note in notes)
    return f'<div style="overflow-x:auto"><table><tr>{cells}</tr>{"".join(lines)}</table>{words}</div>'


class Shown:
    """Lists of findings: a box for each in a notebook, the text elsewhere."""

    def _repr_html_(self) -> str:
        items = [str(item) for item in self]  # type: ignore[attr-defined]
        return "".join(box(item, False) for item in items) or box(str(self), True)
