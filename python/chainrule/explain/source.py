"""The user's own text: the line that something was made on, the expression, and the variable it was given to."""

from __future__ import annotations

import ast
import linecache
import os
from bisect import bisect_right
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice, takewhile
from types import CodeType
from typing import Any

import chainrule

from .blocks import is_long, of_code, window

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
    number, end, column, end_column = position_at(code, offset)
    number = number or code.co_firstlineno
    if not is_current(code):
        return Line(code.co_filename, number, code.co_qualname, "")
    text = linecache.getline(code.co_filename, number).strip()
    if end is None or column is None or end_column is None:
        return Line(code.co_filename, number, code.co_qualname, text)
    position = (number, end, column, end_column)
    expression = _segment(code.co_filename, position)
    target = _target(tree_of(code.co_filename, code, number), position)
    return Line(code.co_filename, number, code.co_qualname, text, expression, target, position)


_positions: dict[tuple[int, int], tuple[CodeType, tuple[int | None, int | None, int | None, int | None]]] = {}


def position_at(code: CodeType, offset: int) -> tuple[int | None, int | None, int | None, int | None]:
    """Of an instruction: line, end line, column, end column. Looking for it takes long in a long module."""
    known = _positions.get((id(code), offset))
    if known is None or known[0] is not code:
        if len(_positions) > 4096:
            _positions.clear()
        known = _positions[id(code), offset] = code, next(islice(code.co_positions(), offset // 2, None))
    return known[1]


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


def tree_of(file: str, code: CodeType | None = None, number: int = 1) -> ast.Module | None:
    """The file's syntax tree, or None if its text is not known, or no longer that of a function that runs.

    Of a long file, only that of the function, and for a module what is near the line; see Note [Long files].
    """
    lines = linecache.getlines(file)
    if not lines or (code is not None and not is_current(code)):
        return None
    if code is not None and is_long(file):
        return window(file, number) if code.co_name == "<module>" else of_code(file, code)
    return _parse("".join(lines))


@lru_cache(maxsize=64)
def _parse(text: str) -> ast.Module | None:
    try:
        return ast.parse(text)
    except (SyntaxError, ValueError):
        return None


def _target(tree: ast.Module | None, position: Position) -> str | None:
    """The text of what the expression at a position is assigned to."""
    for statement in around(tree.body, position[0]) if tree else ():
        target = _targets(statement).get(position)
        if target is not None:
            return ast.unparse(target)
    return None


@lru_cache(maxsize=256)
def _targets(statement: ast.stmt) -> dict[Position, ast.expr]:
    return dict(pair for node in walked(statement) for pair in _assigned(node))


@lru_cache(maxsize=256)
def walked(statement: ast.stmt) -> list[ast.AST]:
    """All nodes of a statement. Walking takes long, and a program that catches an error meets it again."""
    return list(ast.walk(statement))


def around(body: list[ast.stmt], number: int) -> list[ast.stmt]:
    """Of some statements, those that a line belongs to; decorators stand above the line that a function begins on."""
    below = bisect_right(body, number, key=lambda s: s.lineno)
    above = takewhile(lambda s: number <= (s.end_lineno or s.lineno), reversed(body[:below]))
    return [*above, *(s for s in body[below : below + 1] if first_line(s) <= number)]


def first_line(s: ast.stmt) -> int:
    return min([s.lineno, *(d.lineno for d in getattr(s, "decorator_list", ()))])


def position_of(node: ast.expr | ast.stmt) -> Position:
    return (node.lineno, node.end_lineno or node.lineno, node.col_offset, node.end_col_offset or 0)


def _assigned(node: ast.AST) -> list[tuple[Position, ast.expr]]:
    """Where values come from and what they are given to; x, y = a, b has two."""
    if isinstance(node, ast.AugAssign):
        return [(position_of(node), node.target)]
    if isinstance(node, ast.NamedExpr | ast.AnnAssign) and node.value is not None:
        return [(position_of(node.value), node.target)]
    if not isinstance(node, ast.Assign) or len(node.targets) != 1:
        return []
    target = node.targets[0]
    if isinstance(target, ast.Tuple) and isinstance(node.value, ast.Tuple) and len(target.elts) == len(node.value.elts):
        return [(position_of(v), t) for t, v in zip(target.elts, node.value.elts, strict=True)]
    return [] if isinstance(target, ast.Tuple) else [(position_of(node.value), target)]
