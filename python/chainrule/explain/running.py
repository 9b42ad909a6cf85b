"""What runs at this moment, as the user wrote it: the expression, the statement and loops around it, its variables."""

from __future__ import annotations

import ast
import linecache
import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property, lru_cache
from types import FrameType, TracebackType
from typing import Any

from .._core import Tensor
from .frames import is_own, user_frames, variables
from .history import body_of
from .source import Line, around, line_at, position_at, position_of, tree_of, walked

__all__ = ["Place", "alias", "place_of"]

_UNKNOWN = object()
_REFLECTED = {"radd", "rsub", "rmul", "rtruediv", "rdiv", "rpow", "rmatmul", "rfloordiv", "rmod"}
Loop = ast.For | ast.AsyncFor | ast.While


@dataclass
class Place:
    """An instruction of a function that is running, or that an exception has left."""

    frame: FrameType
    offset: int

    @cached_property
    def line(self) -> Line | None:
        return line_at((self.frame.f_code, self.offset))

    @cached_property
    def body(self) -> list[ast.stmt]:
        """The function's statements; empty if its source is not known."""
        tree = tree_of(self.frame.f_code.co_filename, self.frame.f_code, self.number)
        return (body_of(tree, self.frame.f_code) if tree else None) or []

    @cached_property
    def scope(self) -> dict[str, Any]:
        return {**self.frame.f_globals, **variables(self.frame)}

    @cached_property
    def expression(self) -> ast.expr | ast.stmt | None:
        """What the instruction calculates."""
        here = position_at(self.frame.f_code, self.offset)
        found = (_expression(s, here) for s in around(self.body, self.number))
        return next(filter(None, found), None)

    @cached_property
    def number(self) -> int:
        return self.line.number if self.line else self.frame.f_lineno

    def statement(self, number: int) -> ast.stmt | None:
        """The innermost statement of the function that a line belongs to."""
        found = None
        for node in (n for s in around(self.body, number) for n in walked(s)):
            if isinstance(node, ast.stmt) and node.lineno <= number <= (node.end_lineno or node.lineno):
                found = node if found is None or node.lineno >= found.lineno else found
        return found

    @cached_property
    def loops(self) -> list[Loop]:
        """The loops around the instruction, the innermost first."""
        return [loop for s in around(self.body, self.number) for loop in _loops(s, self.number)]

    def value(self, e: ast.AST | None) -> Any:
        """What a name, an attribute or an item stands for; None if that cannot be told without running something."""
        found = self._value(e)
        return None if found is _UNKNOWN else found

    def operands(self) -> Iterator[tuple[str, Tensor]]:
        """The tensors that take part in the expression, with what they are called."""
        seen = set()
        for part in _parts(self.expression):
            value = self.value(part)
            if isinstance(value, Tensor) and id(value) not in seen:
                seen.add(id(value))
                yield ast.unparse(part), value

    def arguments(self, operation: str) -> list[str]:
        """The arguments of the operation as they are written, if the expression is the operation itself."""
        e = self.expression
        if isinstance(e, ast.BinOp | ast.AugAssign):
            both = [ast.unparse(part) for part in _parts(e)]
            return both[::-1] if operation in _REFLECTED else both
        if isinstance(e, ast.UnaryOp):
            return [ast.unparse(e.operand)]
        name = ast.unparse(e.func).rpartition(".")[2] if isinstance(e, ast.Call) else None
        if not isinstance(e, ast.Call) or name != operation:
            return []
        method = isinstance(e.func, ast.Attribute) and not self._is_module(e.func.value)
        first = [e.func.value] if method and isinstance(e.func, ast.Attribute) else []
        return [ast.unparse(part) for part in [*first, *e.args]]

    @property
    def receiver(self) -> ast.expr | None:
        """`loss` of `loss.backward()`, the first argument of `autograd.grad(loss, ...)`."""
        call = self.expression
        if not isinstance(call, ast.Call):
            return None
        if isinstance(call.func, ast.Attribute) and not self._is_module(call.func.value):
            return call.func.value
        first = call.args[0] if call.args else None
        return first.elts[0] if isinstance(first, ast.Tuple | ast.List) and first.elts else first

    def _is_module(self, e: ast.expr) -> bool:
        return type(self.value(e)).__name__ in ("module", "TorchModule")

    def mentioning(self, *words: str) -> list[ast.stmt]:
        """The function's statements whose text has one of the words in it."""
        lines = linecache.getlines(self.frame.f_code.co_filename)
        wanted = re.compile(rf"\b({'|'.join(map(re.escape, words))})\b").search
        return [s for s in self.body if any(wanted(line) for line in lines[s.lineno - 1 : s.end_lineno])]

    def _value(self, e: ast.AST | None) -> Any:
        if isinstance(e, ast.Name):
            return self.scope.get(e.id, _UNKNOWN)
        if isinstance(e, ast.Attribute):
            owner = self._value(e.value)
            return getattr(owner, "__dict__", {}).get(e.attr, _UNKNOWN)
        if isinstance(e, ast.Subscript) and isinstance(e.slice, ast.Constant):
            owner = self._value(e.value)
            try:
                return owner[e.slice.value] if type(owner) in (list, tuple, dict) else _UNKNOWN
            except (LookupError, TypeError):
                return _UNKNOWN
        return _UNKNOWN


@lru_cache(maxsize=256)
def _expression(statement: ast.stmt, here: Any) -> ast.expr | ast.stmt | None:
    nodes = (n for n in walked(statement) if isinstance(n, ast.expr | ast.AugAssign))
    return next((n for n in nodes if position_of(n) == here), None)


@lru_cache(maxsize=256)
def _loops(statement: ast.stmt, number: int) -> list[Loop]:
    loops = (n for n in walked(statement) if isinstance(n, Loop))
    found = [n for n in loops if n.lineno < number <= (n.end_lineno or 0)]
    return sorted(found, key=lambda loop: -loop.lineno)


def _parts(e: ast.AST | None) -> list[ast.expr]:
    """The operands of an expression: both sides of an operator, receiver and arguments of a call."""
    if isinstance(e, ast.BinOp):
        return [e.left, e.right]
    if isinstance(e, ast.AugAssign):
        return [e.target, e.value]
    if isinstance(e, ast.Compare):
        return [e.left, *e.comparators]
    if isinstance(e, ast.Subscript):
        return [e.value, e.slice]
    if not isinstance(e, ast.Call):
        return []
    given = [*e.args, *(k.value for k in e.keywords)]
    lists = [item for a in given if isinstance(a, ast.List | ast.Tuple) for item in a.elts]
    return [*([e.func.value] if isinstance(e.func, ast.Attribute) else []), *given, *lists]


def place_of(trace: TracebackType | None = None) -> Place | None:
    """Where the user's program is, or where it was when it raised."""
    if trace is None:
        frame = next(user_frames(), None)
        return None if frame is None else Place(frame, frame.f_lasti)
    found = None
    while trace is not None:
        if not is_own(trace.tb_frame):
            found = Place(trace.tb_frame, trace.tb_lasti)
        trace = trace.tb_next
    return found


def alias(place: Place) -> str:
    """What the user calls chainrule."""
    known = [sys.modules.get("chainrule"), sys.modules.get("torch")]
    for name, value in place.scope.items():
        if value is not None and any(value is module for module in known):
            return name
    return "torch"
