"""Following a value through statements that ran, to where it left the graph, if nothing alive can tell any more."""

from __future__ import annotations

import ast
from collections.abc import Collection
from dataclasses import dataclass
from typing import Any

from .._core import Tensor
from .callees import called
from .calling import Calling, Level, Off
from .departures import CARRIES, NOTHING, Departure, Taint, join, switches_off
from .history import Scope, is_module_run, targets
from .source import Line, walked

__all__ = ["Outcome", "follow", "follow_forward", "passes_of"]

"""Each variable has a taint: whether a gradient can flow from it to the value that is followed, and where that value
went into it without its gradient. Statements are gone through in the order in which they ran; an assignment replaces
what a variable had, so a line whose result was overwritten since is not blamed. Of branches both are followed, and what
is lost in one of them counts as uncertain. Functions of the user's are entered, wherever they are written.
"""

_NO_VALUE = {"shape", "dtype", "device", "grad", "grad_fn", "ndim", "requires_grad", "is_leaf", "T_co"}


@dataclass
class Outcome:
    """What became of a value."""

    taints: dict[str, Taint]
    uses: list[Line]  # that read it
    returned: Taint = NOTHING

    def of(self, name: str) -> Taint:
        """What a variable has of it, or the list or dict that an item is in."""
        while name not in self.taints and name.endswith("]"):
            name = name[: name.rindex("[")]
        return self.taints.get(name, NOTHING)

    @property
    def lost(self) -> tuple[Departure, ...]:
        """Where it left the graph on its way into any variable."""
        return tuple(dict.fromkeys(d for taint in self.taints.values() for d in taint.lost))


def follow(scope: Scope, name: str, expression: ast.expr | None = None) -> Outcome | None:
    """What became of a variable's value, and what an expression has of it; None if the source is not known."""
    found = _followed(scope, name, frozenset())
    if found is None:
        return None
    reader, level = found
    returned = level.returned if expression is None else reader._taint(expression, level)
    return Outcome(level.taints, reader.uses, returned)


def passes_of(scope: Scope, name: str, model: Any) -> list[Line]:
    """The calls of backward() on what was calculated with a tensor or a model, since its gradients were zeroed."""
    parameters = [model] if isinstance(model, Tensor) else model.parameters()
    found = _followed(scope, name, frozenset(map(id, parameters)))
    return [] if found is None else list(found[0].passes.values())


def _followed(scope: Scope, name: str, parameters: frozenset[int]) -> tuple[_Reader, Level] | None:
    runs = scope.runs
    if not runs:
        return None
    reader = _Reader(is_module_run(runs[-1]), parameters)
    objects = [{}, scope.variables, scope.globals]
    level = Level(runs[0], objects, {name: CARRIES}, followed=frozenset([name]))
    for level.run in runs:
        reader.statements(level.run.body, level)
    return reader, level


def follow_forward(module: Any, attribute: str) -> Outcome | None:
    """What became of `self.<attribute>` in a module's forward()."""
    callee = called(type(module).forward, module)
    if callee is None:
        return None
    name = f"{callee.own_name}.{attribute}"
    reader = _Reader(is_module=False)
    objects = [{callee.own_name: module}, callee.globals]
    level = Level(callee.run, objects, {name: CARRIES}, followed=frozenset([name]), own=callee.own_name)
    level.given_self = module
    reader.statements(callee.run.body, level)
    return Outcome(level.taints, reader.uses, level.returned)


class _Reader(Calling):
    """See above."""

    # ---- statements

    def statements(self, body: list[ast.stmt], level: Level) -> None:
        self._first = self._first or level
        for s in body:
            if isinstance(s, ast.FunctionDef | ast.ClassDef | ast.AsyncFunctionDef) or not level.run.has_run(s.lineno):
                self._define(s, level)
                continue
            if isinstance(s, ast.Expr) and "set_grad_enabled" in (switch := ast.unparse(s.value)):
                level.off = Off("set_grad_enabled(False)", self._line(s, level)) if "False" in switch else None
            else:
                self._statement(s, level)

    def _define(self, s: ast.stmt, level: Level) -> None:
        """A function inside of a function carries what it reads of the one around it."""
        if isinstance(s, ast.FunctionDef) and self._depth and level.run.has_run(s.lineno):
            read = {n.id for n in walked(s) if isinstance(n, ast.Name)} - {a.arg for a in s.args.args}
            self._keep(s.name, join(t for name, t in level.taints.items() if name in read), level)

    def _statement(self, s: ast.stmt, level: Level) -> None:
        if isinstance(s, ast.With | ast.AsyncWith):
            self._block(s, level)
        elif isinstance(s, ast.For | ast.AsyncFor):
            self._loop(s, level)
            self.statements(s.orelse, level)
        elif isinstance(s, ast.While):
            for _ in range(2):  # what one turn leaves, the next one finds
                self._taint(s.test, level)
                self.statements(s.body, level)
            self.statements(s.orelse, level)
        elif isinstance(s, ast.If):
            self._taint(s.test, level)
            self._either(s.body, s.orelse, level)
        elif isinstance(s, ast.Match):
            self._taint(s.subject, level)
            for case in s.cases:
                self._either(case.body, [], level)
        elif isinstance(s, ast.Try):
            self.statements(s.body, level)
            for handler in s.handlers:
                self._either(handler.body, [], level)
            self.statements(s.orelse + s.finalbody, level)
        else:
            self._simple(s, level)

    def _loop(self, s: ast.For | ast.AsyncFor, level: Level) -> None:
        """Twice, since what one turn leaves, the next one finds; once for each function that it goes over."""
        turns = self._turns(s.target, s.iter, level)
        for known in turns if len(turns) > 1 else (turns or [{}]) * 2:
            self._bind(s.target, self._taint(s.iter, level), level)
            level.objects[0].update(known)
            self.statements(s.body, level)
        for name in turns[0] if turns else ():
            level.objects[0].pop(name, None)

    def _block(self, s: ast.With | ast.AsyncWith, level: Level) -> None:
        before = level.off
        for item in s.items:
            if item.optional_vars is not None:
                self._bind(item.optional_vars, self._taint(item.context_expr, level), level)
            text = switches_off(item.context_expr)
            is_on = "enable_grad" in ast.unparse(item.context_expr)
            level.off = Off(text) if text else None if is_on else level.off
        inside = level.off
        self.statements(s.body, level)
        level.off = before if level.off is inside else level.off  # else the block switched it itself

    def _either(self, first: list[ast.stmt], second: list[ast.stmt], level: Level) -> None:
        """Branches: both, unless the program is in one of them at this moment."""
        for branch in (first, second):
            if branch and level.run.until is not None and _holds(branch, level.run.until):
                return self.statements(branch, level)
        before = dict(level.taints)
        self._branches += 1
        self.statements(first, level)
        one, level.taints = level.taints, before
        self.statements(second, level)
        self._branches -= 1
        names = dict.fromkeys([*one, *level.taints])
        level.taints = {n: one.get(n, NOTHING) | level.taints.get(n, NOTHING) for n in names}

    def _simple(self, s: ast.stmt, level: Level) -> None:
        value = getattr(s, "value", None)
        if not isinstance(value, ast.expr):
            return
        pairs = [] if isinstance(s, ast.Expr) else _pairs(s, value)
        for target, part in pairs:
            if isinstance(part, ast.Call) and isinstance(target, ast.Name | ast.Attribute):
                self._given_to[part] = ast.unparse(target)
            taint = self._taint(part, level)
            if level.off is not None:
                line = level.off.line or self._line(s, level)
                taint = taint.left(Departure("no_grad", level.off.by, line, self._surely))
            if isinstance(s, ast.Return):
                level.returned |= taint
            elif part in self._initialised and target is not None:  # its attributes are known by now
                name = ast.unparse(target)
                self._keep(name, CARRIES if name in level.followed else taint, level)
            elif isinstance(s, ast.AugAssign):
                name = ast.unparse(s.target)
                self._keep(name, level.taints.get(name, NOTHING) | taint, level)
            elif target is not None:
                self._bind(target, taint, level)
        if isinstance(s, ast.Expr):
            self._taint(value, level)
            self._written(value, level)

    def _bind(self, target: ast.expr, taint: Taint, level: Level) -> None:
        for name in targets(target):
            if _is_part(name, level.followed):  # from here on the name stands for what is asked about
                level.taints = dict.fromkeys(level.followed, CARRIES)
                self.uses.clear()
                self.passes.clear()
                continue
            for inner in [n for n in level.taints if n.startswith((f"{name}.", f"{name}["))]:
                del level.taints[inner]
            self._keep(name, taint, level)
        if isinstance(target, ast.Subscript) and taint:
            whole = ast.unparse(target.value)
            self._keep(whole, level.taints.get(whole, NOTHING) | taint, level)

    def _keep(self, name: str, taint: Taint, level: Level) -> None:
        if taint:
            level.taints[name] = taint
        else:
            level.taints.pop(name, None)

    def _written(self, call: ast.expr, level: Level) -> None:
        """`losses.append(loss)`, `buffer.copy_(h)`: what is called carries it then."""
        if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Attribute):
            return
        method = call.func.attr
        if method in ("append", "add", "extend", "insert") or (method.endswith("_") and not method.endswith("__")):
            given = join(self._taint(a, level) for a in call.args)
            name = ast.unparse(call.func.value)
            if given and name not in level.followed:
                self._keep(name, level.taints.get(name, NOTHING) | given, level)

    # ---- expressions

    def _taint(self, e: ast.expr, level: Level) -> Taint:
        if isinstance(e, ast.Call):
            return self._call(e, level)
        if isinstance(e, ast.Attribute | ast.Subscript | ast.Name):
            return self._reference(e, level)
        if isinstance(e, ast.ListComp | ast.SetComp | ast.GeneratorExp):
            return self._comprehension(e, level)
        if isinstance(e, ast.Yield | ast.YieldFrom):
            level.returned |= NOTHING if e.value is None else self._taint(e.value, level)
            return NOTHING
        if isinstance(e, ast.Lambda):
            read = {n.id for n in ast.walk(e.body) if isinstance(n, ast.Name)} - {a.arg for a in e.args.args}
            return join(t for name, t in level.taints.items() if name in read and self._depth)
        if isinstance(e, ast.JoinedStr):
            return NOTHING
        if isinstance(e, ast.NamedExpr):
            taint = self._taint(e.value, level)
            self._bind(e.target, taint, level)
            return taint
        inside = join(self._taint(c, level) for c in _children(e))
        return self._lost(inside, "no gradient", ast.unparse(e), e, level) if isinstance(e, ast.Compare) else inside

    def _comprehension(self, e: ast.ListComp | ast.SetComp | ast.GeneratorExp, level: Level) -> Taint:
        before = dict(level.taints)
        for part in e.generators:
            self._bind(part.target, self._taint(part.iter, level), level)
        taint = self._taint(e.elt, level)
        level.taints = before
        return taint

    def _reference(self, e: ast.Attribute | ast.Subscript | ast.Name, level: Level) -> Taint:
        text = ast.unparse(e)
        known = level.taints.get(text)
        if known is not None:
            if text in level.followed:
                self.uses.append(self._line(e, level))
            return known
        if isinstance(e, ast.Name):
            return NOTHING
        given = self._property(e, level) if isinstance(e, ast.Attribute) else None
        if given is not None:
            return given
        inner = self._taint(e.value, level)
        if isinstance(e, ast.Subscript):
            index = self._taint(e.slice, level)
            return inner | self._lost(index, "no gradient", "indexing", e, level) if index else inner
        if e.attr == "indices":
            return self._lost(inner, "no gradient", ".indices", e, level)
        if e.attr == "data":
            return self._lost(inner, "detached", ".data", e, level)
        return NOTHING if e.attr in _NO_VALUE else inner


def _is_part(name: str, followed: Collection[str]) -> bool:
    return any(f == name or f.startswith((f"{name}.", f"{name}[")) for f in followed)


def _pairs(s: ast.stmt, value: ast.expr) -> list[tuple[ast.expr | None, ast.expr]]:
    """What is given to what: x, y = a, b has two pairs."""
    given = s.targets if isinstance(s, ast.Assign) else [getattr(s, "target", None)]
    found: list[tuple[ast.expr | None, ast.expr]] = []
    for target in given:
        if isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple) and len(target.elts) == len(value.elts):
            found += zip(target.elts, value.elts, strict=True)
        else:
            found.append((target, value))
    return found


def _holds(body: list[ast.stmt], number: int) -> bool:
    return body[0].lineno <= number <= (body[-1].end_lineno or 0)


def _children(e: ast.AST) -> list[ast.expr]:
    found: list[ast.expr] = []
    for child in ast.iter_child_nodes(e):
        if isinstance(child, ast.expr):
            found.append(child)
        elif isinstance(child, ast.comprehension | ast.keyword):
            found += _children(child)
    return found
