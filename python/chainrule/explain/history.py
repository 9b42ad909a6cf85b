"""What has run in a namespace, statement by statement: a function up to its line, a script, the cells of a notebook."""

from __future__ import annotations

import ast
import gc
import inspect
import linecache
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from types import CodeType, FrameType, FunctionType
from typing import Any

from .._core import Tensor
from .cells import cells_of, is_module_code, is_module_name
from .frames import is_own_file, user_frames, variables
from .source import Line, around, first_line, tree_of, walked

__all__ = ["Run", "Scope", "body_of", "ended_scopes", "function_of", "running_scopes", "scopes_of", "targets"]


@dataclass(frozen=True)
class Run:
    """Statements of one file that ran one after another."""

    file: str
    body: list[ast.stmt]
    until: int | None = None  # the line that it has come to; what stands below has not run. None: it has ended
    where: str = "<module>"

    def has_run(self, number: int) -> bool:
        """Whether a line stands above the one that it has come to."""
        return self.until is None or number < self.until

    def line(self, number: int) -> Line:
        return Line(self.file, number, self.where, linecache.getline(self.file, number).strip())


class Scope:
    """Variables, and what has run with them."""

    def __init__(self, held: dict[str, Any], frame: FrameType | None = None):
        self.variables, self.frame = held, frame

    @property
    def globals(self) -> dict[str, Any]:
        """Of a function, its module's variables."""
        return self.variables if self.frame is None else self.frame.f_globals

    @cached_property
    def parameters(self) -> set[str]:
        """Variables that came from the caller, where they have another name."""
        code = self.frame.f_code if self.frame is not None else None
        if code is None or not code.co_flags & inspect.CO_OPTIMIZED:
            return set()
        count = code.co_argcount + code.co_kwonlyargcount
        count += bool(code.co_flags & inspect.CO_VARARGS) + bool(code.co_flags & inspect.CO_VARKEYWORDS)
        return set(code.co_varnames[:count])

    @cached_property
    def runs(self) -> list[Run]:
        """What has run, in its order."""
        if self.frame is None:
            cells = [run for cell in cells_of(self.variables) for run in _whole(cell.file, cell.until)]
            return cells or [run for file in _files_of(self.variables) for run in _whole(file)]
        code = self.frame.f_code
        before = _cells_before(self.frame) if is_module_code(code) else []
        tree = tree_of(code.co_filename, code, self.frame.f_lineno)
        body = body_of(tree, code) if tree else None
        here = [Run(code.co_filename, body, self.frame.f_lineno, code.co_qualname)] if body is not None else []
        return [*before, *here]

    @cached_property
    def assigned(self) -> list[dict[str, list[int]]]:
        """Of each run, the lines that give a variable its value."""
        return [_assignments(run.body) for run in self.runs]

    def calls_above(self) -> Iterator[tuple[Run, ast.stmt, ast.expr | ast.stmt]]:
        """Everything written in what has run, the newest statement first: its run, its statement, and it."""
        for run in reversed(self.runs):
            for statement in reversed(run.body):
                for node in walked(statement):
                    if isinstance(node, ast.expr | ast.stmt) and run.has_run(node.lineno):
                        yield run, statement, node


def running_scopes() -> Iterator[Scope]:
    """Those of the running functions, the innermost first, and of their modules."""
    return scopes_of(list(user_frames()))


def scopes_of(frames: Iterable[FrameType]) -> Iterator[Scope]:
    """Those of some functions, and of their modules."""
    frames, seen = list(frames), set()
    for frame in frames:
        is_function = bool(frame.f_code.co_flags & inspect.CO_OPTIMIZED)
        if is_function:
            yield Scope(variables(frame), frame)
        elif id(frame.f_globals) not in seen:
            seen.add(id(frame.f_globals))
            yield Scope(frame.f_globals, frame)
    for frame in frames:  # modules whose functions run, but which have ended themselves
        if id(frame.f_globals) not in seen:
            seen.add(id(frame.f_globals))
            yield Scope(frame.f_globals)


def ended_scopes(about: Iterable[Any]) -> list[Scope]:
    """Of programs that have ended: the modules whose variables still hold one of these things."""
    found = {id(d): d for thing in about for d in gc.get_referrers(thing) if type(d) is dict and "__builtins__" in d}
    return [Scope(d) for d in found.values() if not is_own_file(str(d.get("__file__", "")))]


def _cells_before(frame: FrameType) -> list[Run]:
    """The cells that ran before the one that is running."""
    return [run for cell in cells_of(frame.f_globals) for run in _whole(cell.file, cell.until)]


def _whole(file: str, until: int | None = None) -> list[Run]:
    tree = tree_of(file)
    return [] if tree is None else [Run(file, tree.body, until)]


def _files_of(scope: dict[str, Any]) -> list[str]:
    """The files that ran in a namespace: those of its functions and of what was calculated in it."""
    found = dict.fromkeys(str(file) for file in (scope.get("__file__"),) if file)
    for value in list(scope.values()):
        found.update(dict.fromkeys(file for file in _files(value, scope) if not is_own_file(file)))
    known = [file for file in found if linecache.getlines(file)]
    return known if len(known) == 1 else []  # of several it is not known which came first


def _files(value: Any, scope: dict[str, Any]) -> list[str]:
    """The files of a function or a class of the namespace, or of what a tensor remembers of its own."""
    if isinstance(value, FunctionType):
        return [value.__code__.co_filename] if value.__globals__ is scope else []
    if isinstance(value, type):
        return [file for part in vars(value).values() if isinstance(part, FunctionType) for file in _files(part, scope)]
    if not isinstance(value, Tensor):
        return []
    node, cut, cleared = value.grad_fn, value._cut, value._cleared
    made = [] if node is None or node._code is None else [(node._code[0].co_filename, node._code[0].co_name)]
    known = [*made, *((line[0], line[2]) for line in (cut[1] if cut else None, cleared) if line)]
    return [file for file, function in known if is_module_name(function)]


def body_of(tree: ast.Module, code: CodeType) -> list[ast.stmt] | None:
    """The statements of a function."""
    if is_module_code(code):
        return tree.body
    node = function_of(tree, code)
    return node.body if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) else None


def function_of(tree: ast.Module, code: CodeType) -> ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda | None:
    """Where a function is written; a lambda only if it is the one of its line."""
    nodes = [n for s in around(tree.body, code.co_firstlineno) for n in walked(s)]
    if code.co_name == "<lambda>":
        found = [n for n in nodes if isinstance(n, ast.Lambda) and n.lineno == code.co_firstlineno]
        return found[0] if len(found) == 1 else None
    functions = (n for n in nodes if isinstance(n, ast.FunctionDef | ast.AsyncFunctionDef) and n.name == code.co_name)
    return next((f for f in functions if first_line(f) == code.co_firstlineno), None)


def is_module_run(run: Run) -> bool:
    return is_module_name(run.where)


def _assignments(body: list[ast.stmt]) -> dict[str, list[int]]:
    found: dict[str, list[int]] = {}
    for node in (n for statement in body for n in walked(statement)):
        if not isinstance(node, ast.Assign | ast.AnnAssign):
            continue
        for target in node.targets if isinstance(node, ast.Assign) else [node.target]:
            for name in targets(target):
                found.setdefault(name, []).append(node.lineno)
    return found


def targets(target: ast.expr) -> set[str]:
    """What an assignment gives a value, as it is written."""
    if isinstance(target, ast.Tuple | ast.List):
        return {name for item in target.elts for name in targets(item)}
    return targets(target.value) if isinstance(target, ast.Starred) else {ast.unparse(target)}
