"""Parts of a long file, parsed without the rest: the function that runs, a class, a statement."""

from __future__ import annotations

import ast
import linecache
import re
from collections.abc import Iterator
from functools import lru_cache
from itertools import islice
from types import CodeType

__all__ = ["block_at", "defined", "is_long", "window"]

"""Parsing costs some 20 microseconds a line, and an error may have to be quick: a program tries things and catches. So
of a file with more than 300 lines only what is asked about is parsed: the function that is running, and of a module,
whose statements are all one function, the last 300 lines up to the end of the statement that runs.
"""

_LONG = 300
_MOST_LINES = 30  # from a lambda up to the beginning of its statement


def is_long(file: str) -> bool:
    """Whether parsing all of it takes too long for an error."""
    return len(linecache.getlines(file)) > _LONG


def block_at(file: str, number: int) -> ast.Module | None:
    """The statement that begins on a line, with what is indented below it."""
    return _block_at(file, number, _stamp(file))


def window(file: str, number: int) -> ast.Module | None:
    """Of a module, the lines before and around one of its statements."""
    return _window(file, number, _stamp(file))


def defined(file: str, kind: str, name: str) -> list[ast.stmt]:
    """The functions ("def") or classes ("class") of a name."""
    begins = re.compile(rf"\s*(async\s+)?{kind}\s+{re.escape(name)}\b")
    numbers = [i for i, line in enumerate(linecache.getlines(file), 1) if name in line and begins.match(line)]
    found = [_with_decorators(file, n) for n in numbers[-4:]]
    return [node for tree in found if tree for node in ast.walk(tree) if getattr(node, "name", None) == name]  # type: ignore[misc]


def of_code(file: str, code: CodeType) -> ast.Module | None:
    """The statement that a function is written in; that of a lambda or a comprehension may begin further up."""
    for first in islice(_beginnings(linecache.getlines(file), code.co_firstlineno), _MOST_LINES):
        tree = block_at(file, first)
        if tree is not None and (tree.body[0].end_lineno or 0) >= code.co_firstlineno:
            return tree
    return None


def _with_decorators(file: str, number: int) -> ast.Module | None:
    lines = linecache.getlines(file)
    while number > 1 and lines[number - 2].lstrip().startswith("@"):
        number -= 1
    return block_at(file, number)


def _stamp(file: str) -> tuple[int, int]:
    """Changes when linecache reads the file again."""
    lines = linecache.getlines(file)
    return id(lines), len(lines)


@lru_cache(maxsize=64)
def _block_at(file: str, number: int, stamp: tuple[int, int]) -> ast.Module | None:
    lines = linecache.getlines(file)
    if not 0 < number <= len(lines):
        return None
    found = (_parsed(lines, number, last) for last in _thinned(_ends(lines, number)))
    tree = next(filter(None, found), None)
    if tree is not None:
        tree.body = tree.body[:1]  # a try further down may have got what follows, too
    return tree


@lru_cache(maxsize=8)
def _window(file: str, number: int, stamp: tuple[int, int]) -> ast.Module | None:
    lines = linecache.getlines(file)
    for first in _thinned(_beginnings(lines, max(number - _LONG, 1), of_module=True)):
        for last in _thinned(_ends(lines, number, of_module=True)):
            tree = _parsed(lines, first, last)
            if tree is not None:
                return tree
    return None


def _thinned(tries: Iterator[int]) -> Iterator[int]:
    """Of lines that may be a border, fewer and fewer, and the last: the text of a string looks like statements."""
    i, line = 0, None
    for i, line in enumerate(tries):
        if i & (i - 1) == 0:
            yield line
    if line is not None and i & (i - 1) != 0:
        yield line


def _indentation(line: str) -> int:
    return len(line) - len(line.lstrip())


def _begins(line: str, depth: int) -> bool:
    """Whether it looks like the beginning of a statement at a depth."""
    return bool(text := line.lstrip()) and not text.startswith(("#", ")", "]", "}")) and len(line) - len(text) <= depth


def _ends(lines: list[str], number: int, of_module: bool = False) -> Iterator[int]:
    """The last lines that the statement of a line may have: those before a line that is no deeper than it."""
    depth = 0 if of_module else _indentation(lines[number - 1])
    yield from (i for i in range(number, len(lines)) if _begins(lines[i], depth))
    yield len(lines)


def _beginnings(lines: list[str], number: int, of_module: bool = False) -> Iterator[int]:
    """The lines, from one upwards, that a statement may begin on."""
    depth = 0 if of_module else 1 << 30
    yield from (i for i in range(number, 0, -1) if _begins(lines[i - 1], depth))


def _parsed(lines: list[str], first: int, last: int) -> ast.Module | None:
    """Lines as a tree with their numbers and columns as in the file; what is indented stands under an `if`."""
    text = "".join(lines[first - 1 : last])
    indented = lines[first - 1][:1].isspace()
    try:
        tree = ast.parse(f"if 1:\n{text}" if indented else text)
    except (SyntaxError, ValueError):
        return None
    if indented and isinstance(tree.body[0], ast.If):
        tree.body = tree.body[0].body
    return ast.increment_lineno(tree, first - 1 - indented)
