"""Runs every benchmark, each file in a process of its own, and writes the README's table between its markers."""

import os
import pathlib
import platform
import subprocess
import sys
from importlib.metadata import version

from harness import load, show, show_ratio

HERE = pathlib.Path(__file__).parent
README = HERE.parent / "README.md"
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
]
ON_TWO_THREADS = ["whole_steps"]  # once more, by the clock


def processor():
    """The processor's name, where the system tells."""
    info = pathlib.Path("/proc/cpuinfo")
    names = (
        [line.split(":")[1].strip() for line in info.read_text().splitlines() if "model name" in line]
        if info.exists()
        else []
    )
    return names[0] if names else platform.processor() or platform.machine()


def table_line(row):
    if row.theirs is None:
        return f"| {row.name} | {show(row.ours, row.unit)} | | |"
    return f"| {row.name} | {show(row.ours, row.unit)} | {show(row.theirs, row.unit)} | {show_ratio(row.score)} |"


def table(rows):
    head = ["| | chainrule | PyTorch | ratio |", "| --- | --- | --- | --- |"]
    return "\n".join(head + [table_line(row) for row in rows])


def text(rows, rows_on_two):
    machine = f"{processor()}, {os.cpu_count()} cores, Python {platform.python_version()}, PyTorch {version('torch')}"
    return "\n\n".join(
        [
            f"Processor time, one thread each, the least of alternating rounds; {machine}.",
            table(rows),
            "The same by the clock, two threads each.",
            table(rows_on_two),
        ]
    )


def write_readme(tables):
    before, rest = README.read_text().split(BEGIN)
    after = rest.split(END)[1]
    README.write_text(f"{before}{BEGIN}\n{tables}\n{END}{after}")


def main():
    for subject in SUBJECTS:
        subprocess.run([sys.executable, HERE / f"{subject}.py"], check=True)
    for subject in ON_TWO_THREADS:
        subprocess.run([sys.executable, HERE / f"{subject}.py", "--threads", "2"], check=True)
    rows = [row for subject in SUBJECTS for row in load(subject)]
    rows_on_two = [row for subject in ON_TWO_THREADS for row in load(f"{subject}_2_threads")]
    write_readme(text(rows, rows_on_two))
    missed = [row.name for row in rows + rows_on_two if not row.meets_bar]
    if missed:
        sys.exit(f"bars missed: {', '.join(missed)}")


if __name__ == "__main__":
    main()
