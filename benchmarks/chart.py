"""The README's chart, an SVG: how much of PyTorch's time or memory each workload takes."""

from html import escape

WIDTH, ROW, TOP, BOTTOM = 820, 30, 62, 16
LABELS, TRACK = 226, 400  # where the bars begin, and how wide PyTorch's is

# A picture in a README does not know the page's theme, so that it brings a background of its own.
STYLE = """
text { font: 13px system-ui, -apple-system, "Segoe UI", "DejaVu Sans", sans-serif; fill: #1f2328 }
.title { font-size: 15px; font-weight: 600 }
.quiet { fill: #59636e }
.ground { fill: #ffffff; stroke: #d1d9e0 }
.theirs { fill: #dfe4ea }
.ours { fill: #2a7de1 }
@media (prefers-color-scheme: dark) {
  text { fill: #e6edf3 }
  .quiet { fill: #9198a1 }
  .ground { fill: #12171d; stroke: #3d444d }
  .theirs { fill: #343b44 }
  .ours { fill: #58a6ff }
}
"""


def bar(place, label, row, show):
    """One workload: the grey bar is PyTorch's, and chainrule's lies on it, longer where it takes more."""
    top = TOP + place * ROW
    middle = top + ROW // 2
    ours, theirs = show(row.ours, row.unit), show(row.theirs, row.unit)
    length = TRACK * min(row.score, 1.1)  # the words beside it need their room
    text_at = LABELS + max(TRACK, length) + 10
    return [
        f'<text x="{LABELS - 12}" y="{middle + 4}" text-anchor="end">{escape(label)}</text>',
        f'<rect class="theirs" x="{LABELS}" y="{top + 5}" width="{TRACK}" height="{ROW - 10}" rx="3"/>',
        f'<rect class="ours" x="{LABELS}" y="{top + 5}" width="{length:.1f}" height="{ROW - 10}" rx="3"/>',
        f'<text x="{text_at:.0f}" y="{middle + 4}"><tspan font-weight="600">{ours}</tspan>'
        f'<tspan class="quiet"> of {theirs}</tspan></text>',
    ]


def draw(bars):
    """The chart of (label, row, how to show an amount)."""
    height = TOP + len(bars) * ROW + BOTTOM
    lines = [line for place, (label, row, show) in enumerate(bars) for line in bar(place, label, row, show)]
    words = [f"{label}: {show(row.ours, row.unit)} of {show(row.theirs, row.unit)}" for label, row, show in bars]
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" width="{WIDTH}" height="{height}" '
            f'role="img" aria-label="{escape("chainrule beside PyTorch. " + "; ".join(words))}">',
            f"<style>{STYLE}</style>",
            f'<rect class="ground" x="0.5" y="0.5" width="{WIDTH - 1}" height="{height - 1}" rx="8"/>',
            f'<text class="title" x="{LABELS}" y="28">What chainrule takes of PyTorch\'s time or memory</text>',
            f'<rect class="ours" x="{LABELS}" y="40" width="10" height="10" rx="2"/>',
            f'<text class="quiet" x="{LABELS + 16}" y="49">chainrule</text>',
            f'<rect class="theirs" x="{LABELS + 96}" y="40" width="10" height="10" rx="2"/>',
            f'<text class="quiet" x="{LABELS + 112}" y="49">PyTorch; shorter is better</text>',
            *lines,
            "</svg>\n",
        ]
    )
