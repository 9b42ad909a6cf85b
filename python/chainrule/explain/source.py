"""The user's own text: the line that something was made on, the expression, and the variable it was given to."""

from __future__ import annotations

import ast
import linecache
import os
from dataclasses import dataclass
from functools import lru_cache
from types import CodeType
from typing import Any

import chainrule

__all__ = ["Line", "line_at", "line_of"]

Position = tuple[int, int, int, int]  # line, end line, column, end column


@dataclass(frozen=True)
class Line:
    """A place in the user's program."""

    file: str
    number: int
    function: str
    text: str
    expression: str | None = None  # what made the value: `x ** 2` out of `y = 3 * x ** 2`
    target: str | None = None  # the variable that the expression's value was given to, if the line does so
    position: Position | None = None

    @property
    def can_be_found(self) -> bool:
        """Not so on a prompt that forgets what was typed: each statement is its line 1."""
        return bool(self.text) or not self.file.startswith("<")

    @property
    def place(self) -> str:
        """`train.py:12`, without the folders."""
        return f"{self.file.rpartition('/')[2]}:{self.number}"

    def __str__(self) -> str:
        inside = "" if self.function == "<module>" else f", in {self.function.rpartition('.')[2]}"
        return f"{self.file}:{self.number}{inside}: {self.text}" if self.text else f"{self.file}:{self.number}{inside}"

    def to_dict(self) -> dict[str, Any]:
        names = ("file", "number", "function", "text", "expression", "target")
        return {name: getattr(self, name) for name in names}


def line_of(source: tuple[str, int, str, str] | None) -> Line | None:
    """From the (file, line, function, text) that the core tells of nodes, writes and cuts."""
    return Line(*source) if source else None


def line_at(place: tuple[CodeType, int] | None) -> Line | None:
    """From a code object and the offset of an instruction in it, with the expression of that very instruction."""
    if place is None:
        return None
    code, offset = place
    number, end, column, end_column = positions(code)[offset // 2]
    number = number or code.co_firstlineno
    if not is_current(code):
        return Line(code.co_filename, number, code.co_qualname, "")
    text = linecache.getline(code.co_filename, number).strip()
    if end is None or column is None or end_column is None:
        return Line(code.co_filename, number, code.co_qualname, text)
    position = (number, end, column, end_column)
    expression = _segment(code.co_filename, position)
    target = targets(code.co_filename).get(position)
    return Line(code.co_filename, number, code.co_qualname, text, expression, target, position)


@lru_cache(maxsize=512)
def positions(code: CodeType) -> list[tuple[int | None, int | None, int | None, int | None]]:
    """Of each instruction: line, end line, column, end column."""
    return list(code.co_positions())


def _segment(file: str, position: Position) -> str | None:
    """The text between two places; columns count bytes."""
    first, last, column, end_column = position
    lines = [linecache.getline(file, n).encode() for n in range(first, last + 1)]
    if not lines[0]:
        return None
    lines[-1] = lines[-1][:end_column]
    lines[0] = lines[0][column:]
    return " ".join(b" ".join(line.strip() for line in lines).decode(errors="replace").split())


def is_current(code: CodeType) -> bool:
    """Whether a function's file still says what runs. One that was not written since the start needs no look."""
    try:
        if os.stat(code.co_filename).st_mtime <= vars(chainrule)["_imported_at"]:
            return True
    except (OSError, ValueError):
        return True  # no file: what linecache knows was told to it
    linecache.checkcache(code.co_filename)
    return code in _functions("".join(linecache.getlines(code.co_filename)), code.co_filename)


@lru_cache(maxsize=16)
def _functions(text: str, file: str) -> set[CodeType]:
    """All that a text compiles to."""
    try:
        stack = [compile(text, file, "exec", dont_inherit=True)]
    except (SyntaxError, ValueError):
        return set()
    found: set[CodeType] = set()
    while stack:
        found.add(code := stack.pop())
        stack += [c for c in code.co_consts if isinstance(c, CodeType)]
    return found


def tree_of(file: str, code: CodeType | None = None) -> ast.Module | None:
    """The file's syntax tree, or None if its text is not known, or no longer that of a function that runs."""
    lines = linecache.getlines(file)
    return _parse("".join(lines)) if lines and (code is None or is_current(code)) else None


@lru_cache(maxsize=64)
def _parse(text: str) -> ast.Module | None:
    try:
        return ast.parse(text)
    except (SyntaxError, ValueError):
        return None


def targets(file: str) -> dict[Position, str]:
    """By the position of an assigned expression, the text of what it is assigned to."""
    return _targets("".join(linecache.getlines(file)))


@lru_cache(maxsize=64)
def _targets(text: str) -> dict[Position, str]:
    tree = _parse(text)
    return dict(pair for node in ast.walk(tree) for pair in _assigned(node)) if tree else {}


def position_of(node: ast.expr | ast.stmt) -> Position:
    return (node.lineno, node.end_lineno or node.lineno, node.col_offset, node.end_col_offset or 0)


def _assigned(node: ast.AST) -> list[tuple[Position, str]]:
    """Where values come from and what they are called then; x, y = a, b has two."""
    if isinstance(node, ast.AugAssign):
        return [(position_of(node), ast.unparse(node.target))]
    if isinstance(node, ast.NamedExpr | ast.AnnAssign) and node.value is not None:
        return [(position_of(node.value), ast.unparse(node.target))]
    if not isinstance(node, ast.Assign) or len(node.targets) != 1:
        return []
    target = node.targets[0]
    if isinstance(target, ast.Tuple) and isinstance(node.value, ast.Tuple) and len(target.elts) == len(node.value.elts):
        return [(position_of(v), ast.unparse(t)) for t, v in zip(target.elts, node.value.elts, strict=True)]
    return [] if isinstance(target, ast.Tuple) else [(position_of(node.value), ast.unparse(target))]
