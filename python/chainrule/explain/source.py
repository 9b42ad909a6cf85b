"""The user's own text: the line that something was made on, the expression, and the variable it was given to."""

from __future__ import annotations

import ast
import inspect
import linecache
import os
import sys
from bisect import bisect_right
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import islice, takewhile
from types import CodeType
from typing import Any

import chainrule

from .blocks import is_long, of_code, window
from .cells import is_module_code, is_module_name, named, place_text

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
    is_old: bool = False  # its file says something else by now

    @property
    def can_be_found(self) -> bool:
        """Not so on a prompt that forgets what was typed: each statement is its line 1."""
        return bool(self.text) or not self.file.startswith("<")

    @property
    def place(self) -> str:
        """`train.py:12`, without the folders; `In[3], line 2`."""
        cell = named(self.file)
        return f"{cell}, line {self.number}" if cell else f"{self.file.rpartition('/')[2]}:{self.number}"

    def __str__(self) -> str:
        inside = "" if is_module_name(self.function) else f", in {self.function.rpartition('.')[2]}"
        where = f"{place_text(self.file, self.number)}{inside}{CHANGED if self.is_old else ''}"
        return f"{where}: {self.text}" if self.text else where

    def to_dict(self) -> dict[str, Any]:
        names = ("file", "number", "function", "text", "expression", "target")
        return {name: getattr(self, name) for name in names}


def line_of(source: tuple[str, int, str, str] | None) -> Line | None:
    """From the (file, line, function, text) that the core tells of nodes, writes and cuts."""
    if not source:
        return None
    line = Line(*source)
    return replace(line, text="", is_old=True) if has_changed(line.file, line.function) else line


def line_at(place: tuple[CodeType, int] | None) -> Line | None:
    """From a code object and the offset of an instruction in it, with the expression of that very instruction."""
    if place is None:
        return None
    code, offset = place
    number, end, column, end_column = position_at(code, offset)
    number = number or code.co_firstlineno
    if not is_current(code):
        return Line(code.co_filename, number, code.co_qualname, "", is_old=True)
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


CHANGED = " (the file has changed since it was imported, so its text is not shown)"


def is_newer(file: str) -> bool:
    """Whether a file was written since the start; what has no file was told to linecache, and stays."""
    try:
        return os.stat(file).st_mtime > vars(chainrule)["_imported_at"]
    except (OSError, ValueError):
        return False


def has_changed(file: str, function: str) -> bool:
    """Whether a file says something else than what ran, as far as its module can tell."""
    if not is_newer(file):
        return False
    found = [m for m in list(sys.modules.values()) if getattr(m, "__file__", None) == file]
    if is_module_name(function):
        return any(m.__name__ == "__main__" for m in found)  # read before it imported chainrule
    for module in found:
        value: Any = module
        for name in function.partition(".<locals>")[0].split("."):
            value = inspect.getattr_static(value, name, None)
        code = getattr(inspect.unwrap(value) if callable(value) else None, "__code__", None)
        if code is not None:
            return not is_current(code)
    return False


def is_current(code: CodeType) -> bool:
    """Whether a function's file still says what runs. One that was not written since the start needs no look."""
    if not is_newer(code.co_filename):
        return True
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

    Of a long file, only that of the function, and for a module what is near the line; see explain/blocks.py.
    """
    lines = linecache.getlines(file)
    if not lines or (code is not None and not is_current(code)):
        return None
    if code is not None and is_long(file):
        return window(file, number) if is_module_code(code) else of_code(file, code)
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
