"""Runs every benchmark, each file in a process of its own, and writes what they show: docs/benchmarks.md, the README's
rows and its chart.

`--from-results` writes them from the results of the last run; `--check` only tells whether they are what those say.
"""

import os
import pathlib
import platform
import subprocess
import sys
from importlib.metadata import version

from chart import draw
from harness import RESULTS, load, show, show_ratio

HERE = pathlib.Path(__file__).parent
ROOT = HERE.parent
README, PAGE, CHART = ROOT / "README.md", ROOT / "docs" / "benchmarks.md", ROOT / "docs" / "images" / "benchmarks.svg"
MACHINE = RESULTS / "machine.txt"
BEGIN, END = "<!-- benchmarks: written by make bench -->", "<!-- /benchmarks -->"
SUBJECTS = [
    "small_ops",
    "graphs",
    "import_and_memory",
    "large",
    "whole_steps",
    "reductions",
    "peak_memory",
    "growth",
    "chains",
    "derivatives",
    "fourier",
    "indexing",
    "networks",
    "python_interop",
    "source_lines",
    "sparse",
]
ON_TWO_THREADS = ["whole_steps"]  # once more, by the clock

# The README's rows, from what is much faster to what is not, with what the chart calls them.
HEADLINES = {
    "`z = 2*x**2 + 1; z.backward()`": "z = 2*x**2 + 1; z.backward()",
    "import time": "import",
    "100 elementwise ops on 16 floats, forward and backward": "100 operations on 16 floats",
    "4-16-16-1 network, batch 1, Adam step": "small network, Adam step",
    "memory after import": "memory after import",
    "peak memory, GPT step": "GPT step, peak memory",
    "`(x*sin(x) + exp(-x*x)).sum()` on 4M floats, forward and backward": "elementwise on 4M floats",
    "GPT, 4 layers of width 128, 4 heads, length 64, batch 16, AdamW step": "GPT, AdamW step",
    "MLP 784-512-512-10, batch 128, SGD step": "MLP, SGD step",
    "ConvNet of two layers on 32x32, batch 64, SGD step": "ConvNet, SGD step",
    "matmul 1024 x 1024, forward and backward": "matmul 1024 x 1024",
    "conv2d 64 -> 128, stride 2": "conv2d 64 -> 128, stride 2",
}


def processor():
    """The processor's name, where the system tells."""
    info = pathlib.Path("/proc/cpuinfo")
    names = (
        [line.split(":")[1].strip() for line in info.read_text().splitlines() if "model name" in line]
        if info.exists()
        else []
    )
    return names[0] if names else platform.processor() or platform.machine()


def machine():
    return f"{processor()}, {os.cpu_count()} cores, Python {platform.python_version()}, PyTorch {version('torch')}"


def table_line(row):
    if row.theirs is None:
        return f"| {row.name} | {show(row.ours, row.unit)} | | |"
    return f"| {row.name} | {show(row.ours, row.unit)} | {show(row.theirs, row.unit)} | {show_ratio(row.score)} |"


def table(rows):
    head = ["| | chainrule | PyTorch | ratio |", "| --- | --- | --- | --- |"]
    return "\n".join(head + [table_line(row) for row in rows])


def headline_rows(rows):
    named = {row.name: row for row in reversed(rows)}
    return [named[name] for name in HEADLINES]


def conditions():
    return f"Processor time, one thread each, the least of alternating rounds; {MACHINE.read_text().strip()}."


def readme_text(rows):
    return f"{conditions()}\n\n{table(headline_rows(rows))}"


def page_text(rows, rows_on_two):
    return "\n\n".join([conditions(), table(rows), "The same by the clock, two threads each.", table(rows_on_two)])


def between_markers(path, text):
    """The file with other text between its markers."""
    before, rest = path.read_text().split(BEGIN)
    return f"{before}{BEGIN}\n{text}\n{END}{rest.split(END)[1]}"


def documents(rows, rows_on_two):
    """What each file has to contain."""
    bars = [(HEADLINES[row.name], row, show) for row in headline_rows(rows)]
    return {
        README: between_markers(README, readme_text(rows)),
        PAGE: between_markers(PAGE, page_text(rows, rows_on_two)),
        CHART: draw(bars),
    }


def measure():
    for subject in SUBJECTS:
        subprocess.run([sys.executable, HERE / f"{subject}.py"], check=True)
    for subject in ON_TWO_THREADS:
        subprocess.run([sys.executable, HERE / f"{subject}.py", "--threads", "2"], check=True)
    MACHINE.write_text(machine() + "\n")


def main():
    if not {"--from-results", "--check"} & set(sys.argv):
        measure()
    rows = [row for subject in SUBJECTS for row in load(subject)]
    rows_on_two = [row for subject in ON_TWO_THREADS for row in load(f"{subject}_2_threads")]
    texts = documents(rows, rows_on_two)
    if "--check" in sys.argv:
        other = [path.name for path, text in texts.items() if not path.exists() or path.read_text() != text]
        sys.exit(f"not what the results say: {', '.join(other)}" if other else 0)
    for path, text in texts.items():
        path.write_text(text)
    missed = [row.name for row in rows + rows_on_two if not row.meets_bar]
    if missed:
        sys.exit(f"bars missed: {', '.join(missed)}")


if __name__ == "__main__":
    main()
