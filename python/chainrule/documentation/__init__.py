"""What help() tells of an operation: signatures, a sentence or two, shape and dtype, derivative, an example.

The core asks `describe` when somebody reads a __doc__; nothing here is imported before. The sentences and examples
stand in the modules of this package, one per subject, each a string TEXT. An entry is a name, and below it, indented,
its sentences, a line that begins with `Shape and dtype:`, one that begins with `Derivative:`, and the example as a
doctest. `swapaxes = transpose` gives a name the entry of another one. What the core knows is not written again: for a
line of the table the entry has no shape, dtype or derivative, and elsewhere `Derivative:` is left out where the words
beside the operation's gradient in the core say it.
"""

from __future__ import annotations

import importlib
import inspect
import keyword
import re
import textwrap
from functools import cache
from typing import NamedTuple

SUBJECTS = (
    *("arithmetic", "comparisons", "functions", "special", "activations", "creation", "random", "views", "joining"),
    *("rearranging", "indexing", "writing", "reductions", "scans", "ordering", "products", "networks", "images"),
    *("tensors", "linalg", "fft"),
)

SHAPE, DERIVATIVE = "Shape and dtype:", "Derivative:"
_IN_PLACE = "In place: the result is written into `input`, which is returned."


class Entry(NamedTuple):
    """What one operation's text says; a part that it leaves out is empty."""

    sentences: str = ""
    shape: str = ""
    derivative: str = ""
    example: str = ""


def _read_entry(lines: list[str]) -> Entry:
    parts: dict[str, list[str]] = {"sentences": [], "shape": [], "derivative": [], "example": []}
    part = "sentences"
    for line in lines:
        if line.startswith(SHAPE):
            part, line = "shape", line.removeprefix(SHAPE).strip()
        elif line.startswith(DERIVATIVE):
            part, line = "derivative", line.removeprefix(DERIVATIVE).strip()
        elif line.startswith(">>>"):
            part = "example"
        parts[part].append(line)
    return Entry(**{name: "\n".join(text).strip() for name, text in parts.items()})


def read_text(text: str) -> dict[str, Entry | str]:
    """The entries of a TEXT by name; for `a = b` the name b."""
    entries: dict[str, Entry | str] = {}
    for block in re.split(r"\n(?=\S)", text.strip("\n")):
        head, *lines = block.split("\n")
        name, _, target = head.partition(" = ")
        entries[name] = target or _read_entry([line.removeprefix("    ") for line in lines])
    return entries


@cache
def entries() -> dict[str, Entry | str]:
    """Every entry by name, or the name whose entry it has too."""
    read: dict[str, Entry | str] = {}
    for subject in SUBJECTS:
        read |= read_text(importlib.import_module(f"{__name__}.{subject}").TEXT)
    return read


@cache
def _input_counts() -> dict[str, int]:
    from .. import _core

    return {row["name"]: len(row["inputs"]) for row in _core.op_table()}


@cache
def formulas() -> dict[str, str]:
    """What the core says of each operation's derivative; if its forms differ, one after the other."""
    from .. import _core

    known: dict[str, dict[str, None]] = {}
    for name, formula in _core.op_formulas():
        known.setdefault(name, {})[formula] = None
    return {name: re.sub(r"\bself\b", "input", "; or ".join(formulas)) for name, formulas in known.items()}


@cache
def _python_bodies() -> dict[str, str]:
    """Where the body of each operation that is written in Python is: `chainrule.ops.products:kron`."""
    from ..ops.table import OPERATIONS

    found: dict[str, str] = {}
    for module, text in OPERATIONS.items():
        for body in re.findall(r"^\s*[\w+]+\s+([\w.]+)\(", text, re.MULTILINE):
            room = "chainrule" if "." in module else "chainrule.ops"
            found.setdefault(body.partition(".")[0], f"{room}.{module}:{body.replace('.', '_')}")
    return found


def _docstring(name: str) -> str:
    """The docstring of an operation that is written in Python, or nothing."""
    module, _, body = _python_bodies().get(name, "").partition(":")
    if not module:
        return ""
    return inspect.getdoc(getattr(importlib.import_module(module), body)) or ""


def find_entry(name: str) -> tuple[str, Entry]:
    """The entry of an operation and the name under which it stands; an empty one if there is none."""
    entry = entries().get(name, Entry())
    return find_entry(entry) if isinstance(entry, str) else (name, entry)


def _shape_and_dtype(name: str, entry: Entry, rule: str) -> str:
    if entry.shape or not rule:
        return entry.shape
    several = _input_counts().get(name, 1) > 1
    return ("The inputs are broadcast to one shape. " if several else "The shape of the input. ") + rule


def _paragraph(label: str, text: str) -> str:
    return text and textwrap.fill(f"{label} {text}", 110)


@cache
def describe(name: str, signatures: str, description: str, alias_of: str) -> str:
    """The __doc__ of a function or method of the core."""
    plain = (alias_of or name).removesuffix("_")
    in_place = name.endswith("_") and name not in entries() and plain in entries()
    known, entry = find_entry(plain if in_place else alias_of or name)
    rule, _, table_lines = description.partition("\n\n")
    shape = _shape_and_dtype(known, entry, rule)
    derivative = entry.derivative or ("" if table_lines else formulas().get(known, ""))
    shown = re.sub(r"^(special|linalg|fft)_", "", name)
    parts = [
        "\n".join(dict.fromkeys(re.sub(r"^\w+(?=\()", shown, signatures, flags=re.MULTILINE).split("\n"))),
        "" if known in (name, plain) and not alias_of else f"The same as {known}.",
        _IN_PLACE if in_place else "",
        entry.sentences or _docstring(known),
        _paragraph(SHAPE, shape),
        table_lines,
        _paragraph(DERIVATIVE, derivative),
        entry.example and "    " + entry.example.replace("\n", "\n    "),
    ]
    return "\n\n".join(part for part in parts if part)


def signature(text: str) -> inspect.Signature:
    """The inspect.Signature of a text such as "(input, dim=-1, *, out=None)"; `from`, no name in Python, is `from_`."""
    named = re.sub(r"(?<!=)\b[a-z]+\b", lambda word: word[0] + "_" * keyword.iskeyword(word[0]), text)
    names: dict = {}
    exec(f"def function{named}: ...", names)
    return inspect.signature(names["function"])
