"""Writes docs/coverage.md from runs of PyTorch's own database of operations against chainrule.

    python tools/coverage.py float64.json others.json

The files are what the conformance run (opinfo_gap.py --json) wrote; see docs/coverage.md for what it does.
"""

from __future__ import annotations

import json
import pathlib
import sys
from collections import defaultdict

PAGE = pathlib.Path(__file__).parent.parent / "docs" / "coverage.md"
ASPECTS = {
    "forward": "value",
    "grad": "gradient",
    "gradgrad": "second gradient",
    "inplace": "in place",
    "inplace_grad": "gradient in place",
    "errors": "errors",
    "method": "method",
    "out": "`out=`",
    "alias": "alias",
}
COUNTED = ("pass", "fail", "missing", "crash", "timeout", "unresolvable")

# Why an operation differs, or is not there. A run that finds one without a reason says so.
SPARSE = "there are no sparse tensors"
HALF = "the rounding of half precision; not looked into one by one"
NEARER = "nearer to the exact value than PyTorch's"
REASONS = {
    "sparse.mm.reduce": SPARSE,
    "sparse.sampled_addmm": SPARSE,
    "to_sparse": SPARSE,
    "chalf": "there is no complex32",
    "special.bessel_j0": "PyTorch is off by up to 4e-7",
    "special.bessel_y1": "PyTorch is off by up to 8e-7",
    "as_strided_scatter": "PyTorch gives a gradient to an element that is overwritten",
    "nn.functional.linear_cross_entropy.chunked": "PyTorch has no second derivative here and gives None",
    "matrix_exp": "calculated in double and rounded; PyTorch gives NaN for bfloat16",
    "polygamma.polygamma_n_0": NEARER,
    "special.polygamma.special_polygamma_n_0": NEARER,
}


def status_of(task: dict, aspect: str) -> str:
    return task["aspects"].get(aspect, {}).get("status", "")


def table(tasks: list[dict]) -> list[str]:
    """One line per dtype: how many of the operations that were measured pass, aspect by aspect."""
    by_dtype: dict[str, list[dict]] = defaultdict(list)
    for task in tasks:
        if task["dtype"]:  # else PyTorch itself has no dtype for it here
            by_dtype[task["dtype"]].append(task)
    lines = ["| dtype | " + " | ".join(ASPECTS.values()) + " |", "| --- |" + " --- |" * len(ASPECTS)]
    for dtype, group in by_dtype.items():
        cells = []
        for aspect in ASPECTS:
            statuses = [status_of(task, aspect) for task in group]
            measured = sum(s in COUNTED for s in statuses)
            cells.append(f"{statuses.count('pass')}/{measured}" if measured else "")
        lines.append(f"| {dtype} | " + " | ".join(cells) + " |")
    return lines


def remaining(tasks: list[dict]) -> list[str]:
    """What does not pass, with the dtypes and the reason."""
    found: dict[str, dict[str, set[str]]] = defaultdict(lambda: defaultdict(set))
    for task in tasks:
        for aspect in ASPECTS:
            if status_of(task, aspect) in COUNTED and status_of(task, aspect) != "pass":
                found[task["op"]][task["dtype"]].add(ASPECTS[aspect])
    lines = ["| operation | what differs | why |", "| --- | --- | --- |"]
    for op, dtypes in sorted(found.items()):
        reason = REASONS.get(op) or (HALF if set(dtypes) == {"bfloat16"} else "not looked into")
        what = "; ".join(f"{dtype}: {', '.join(sorted(aspects))}" for dtype, aspects in sorted(dtypes.items()))
        lines.append(f"| `{op}` | {what} | {reason} |")
    return lines


def page(tasks: list[dict]) -> str:
    text = [
        "# How much of PyTorch is there",
        "",
        "PyTorch tests itself with a database of its operations: sample inputs, wrong inputs, dtypes. These tables",
        "are what chainrule passes of it, operation by operation, compared with PyTorch 2.13.0 in the same process.",
        "Written by `tools/coverage.py` from a run; internal names (an underscore, `ops.aten`) are left out.",
        "",
        *table(tasks),
        "",
        "## What differs",
        "",
        *remaining(tasks),
        "",
    ]
    return "\n".join(text)


def main() -> None:
    tasks = [task for path in sys.argv[1:] for task in json.loads(pathlib.Path(path).read_text())["results"]]
    public = [task for task in tasks if task["ns"] != "internal"]
    PAGE.write_text(page(public))
    print(f"{PAGE.name}: {len(public)} operations and dtypes")


if __name__ == "__main__":
    main()
