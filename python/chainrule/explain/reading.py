"""Following a value through statements that ran, to where it left the graph, if nothing alive can tell any more."""

from __future__ import annotations

import ast
import linecache
from dataclasses import dataclass, field
from typing import Any

from .callees import Callee, called, lookup, written_in
from .departures import CARRIES, NOTHING, Departure, Taint, departure_of, switches_off
from .history import Run, Scope, is_module_run, targets
from .source import Line

__all__ = ["Outcome", "follow", "follow_forward"]

"""Each variable has a taint: whether a gradient can flow from it to the value that is followed, and where that value
went into it without its gradient. Statements are gone through in the order in which they ran; an assignment replaces
what a variable had, so a line whose result was overwritten since is not blamed. Of branches both are followed, and what
is lost in one of them counts as uncertain. Functions of the user's are entered, wherever they are written.
"""

_NO_VALUE = {"shape", "dtype", "device", "grad", "grad_fn", "ndim", "requires_grad", "is_leaf", "T_co"}
_NO_RESULT = {"size", "dim", "numel", "backward", "register_hook", "retain_grad", "append", "zero_grad", "step"}
_PLAIN = {"print", "len", "isinstance", "type", "id", "repr", "str", "range", "hasattr", "format"}
_DEEPEST = 6  # calls inside of calls


@dataclass(frozen=True)
class _Off:
    """What switched gradients off, and where; without a line, around the statement itself."""

    by: str
    line: Line | None = None


@dataclass
class _Level:
    """A function or a module on the way through it."""

    run: Run
    objects: list[dict[str, Any]]  # where names are looked up
    taints: dict[str, Taint] = field(default_factory=dict)
    returned: Taint = NOTHING
    off: _Off | None = None
    is_first: bool = False  # where the followed names are variables


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


def follow(scope: Scope, name: str) -> Outcome | None:
    """What became of a variable's value; None if the source is not known."""
    runs = scope.runs
    if not runs:
        return None
    reader = _Reader({name}, is_module=is_module_run(runs[-1]))
    level = _Level(runs[0], [scope.variables, scope.globals], {name: CARRIES}, is_first=True)
    for level.run in runs:
        reader.statements(level.run.body, level)
    return Outcome(level.taints, reader.uses, level.returned)


def follow_forward(module: Any, attribute: str) -> Outcome | None:
    """What became of `self.<attribute>` in a module's forward()."""
    callee = called(type(module).forward, module)
    if callee is None:
        return None
    name = f"{callee.own_name}.{attribute}"
    reader = _Reader({name}, is_module=False)
    level = _Level(callee.run, [{callee.own_name: module}, callee.globals], {name: CARRIES}, is_first=True)
    reader.statements(callee.run.body, level)
    return Outcome(level.taints, reader.uses, level.returned)


class _Reader:
    """See above."""

    def __init__(self, followed: set[str], is_module: bool):
        self.uses: list[Line] = []
        self._followed, self._is_module = followed, is_module
        self._first: _Level | None = None
        self._depth = self._branches = 0

    # ---- statements

    def statements(self, body: list[ast.stmt], level: _Level) -> None:
        self._first = self._first or level
        for s in body:
            if isinstance(s, ast.FunctionDef | ast.ClassDef | ast.AsyncFunctionDef) or not level.run.has_run(s.lineno):
                continue
            if isinstance(s, ast.Expr) and "set_grad_enabled" in (switch := ast.unparse(s.value)):
                level.off = _Off("set_grad_enabled(False)", self._line(s, level)) if "False" in switch else None
            else:
                self._statement(s, level)

    def _statement(self, s: ast.stmt, level: _Level) -> None:
        if isinstance(s, ast.With):
            self._block(s, level)
        elif isinstance(s, ast.For | ast.While):
            for _ in range(2):  # what one turn leaves, the next one finds
                if isinstance(s, ast.For):
                    self._bind(s.target, self._taint(s.iter, level), level)
                self.statements(s.body, level)
            self.statements(s.orelse, level)
        elif isinstance(s, ast.If):
            self._either(s.body, s.orelse, level)
        elif isinstance(s, ast.Try):
            self.statements(s.body, level)
            for handler in s.handlers:
                self._either(handler.body, [], level)
            self.statements(s.orelse + s.finalbody, level)
        else:
            self._simple(s, level)

    def _block(self, s: ast.With, level: _Level) -> None:
        before = level.off
        for item in s.items:
            text = switches_off(item.context_expr)
            is_on = "enable_grad" in ast.unparse(item.context_expr)
            level.off = _Off(text) if text else None if is_on else level.off
        inside = level.off
        self.statements(s.body, level)
        level.off = before if level.off is inside else level.off  # else the block switched it itself

    def _either(self, first: list[ast.stmt], second: list[ast.stmt], level: _Level) -> None:
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

    def _simple(self, s: ast.stmt, level: _Level) -> None:
        value = getattr(s, "value", None)
        if not isinstance(value, ast.expr):
            return
        pairs = [] if isinstance(s, ast.Expr) else _pairs(s, value)
        for target, part in pairs:
            taint = self._taint(part, level)
            if level.off is not None:
                line = level.off.line or self._line(s, level)
                taint = taint.left(Departure("no_grad", level.off.by, line, self._surely))
            if isinstance(s, ast.Return):
                level.returned |= taint
            elif isinstance(s, ast.AugAssign):
                name = ast.unparse(s.target)
                self._keep(name, level.taints.get(name, NOTHING) | taint, level)
            elif target is not None:
                self._bind(target, taint, level)
        if isinstance(s, ast.Expr):
            self._taint(value, level)
            self._written(value, level)

    def _bind(self, target: ast.expr, taint: Taint, level: _Level) -> None:
        for name in targets(target):
            if name in self._followed and level.is_first:  # from here on the name stands for what is asked about
                level.taints = dict.fromkeys(self._followed, CARRIES)
                self.uses.clear()
                continue
            for inner in [n for n in level.taints if n.startswith((f"{name}.", f"{name}["))]:
                del level.taints[inner]
            self._keep(name, taint, level)
        if isinstance(target, ast.Subscript) and taint:
            whole = ast.unparse(target.value)
            self._keep(whole, level.taints.get(whole, NOTHING) | taint, level)

    def _keep(self, name: str, taint: Taint, level: _Level) -> None:
        if taint:
            level.taints[name] = taint
        else:
            level.taints.pop(name, None)

    def _written(self, call: ast.expr, level: _Level) -> None:
        """`losses.append(loss)`, `buffer.copy_(h)`: what is called carries it then."""
        if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Attribute):
            return
        method = call.func.attr
        if method in ("append", "add", "extend", "insert") or (method.endswith("_") and not method.endswith("__")):
            given = _join(self._taint(a, level) for a in call.args)
            name = ast.unparse(call.func.value)
            if given and name not in self._followed:
                self._keep(name, level.taints.get(name, NOTHING) | given, level)

    # ---- expressions

    def _taint(self, e: ast.expr, level: _Level) -> Taint:
        if isinstance(e, ast.Call):
            return self._call(e, level)
        if isinstance(e, ast.Attribute | ast.Subscript | ast.Name):
            return self._reference(e, level)
        if isinstance(e, ast.ListComp | ast.SetComp | ast.GeneratorExp):
            return self._comprehension(e, level)
        if isinstance(e, ast.Lambda | ast.JoinedStr):
            return NOTHING
        if isinstance(e, ast.NamedExpr):
            taint = self._taint(e.value, level)
            self._bind(e.target, taint, level)
            return taint
        inside = _join(self._taint(c, level) for c in _children(e))
        return self._lost(inside, "no gradient", ast.unparse(e), e, level) if isinstance(e, ast.Compare) else inside

    def _comprehension(self, e: ast.ListComp | ast.SetComp | ast.GeneratorExp, level: _Level) -> Taint:
        before = dict(level.taints)
        for part in e.generators:
            self._bind(part.target, self._taint(part.iter, level), level)
        taint = self._taint(e.elt, level)
        level.taints = before
        return taint

    def _reference(self, e: ast.Attribute | ast.Subscript | ast.Name, level: _Level) -> Taint:
        text = ast.unparse(e)
        known = level.taints.get(text)
        if known is not None:
            if text in self._followed:
                self.uses.append(self._line(e, level))
            return known
        if isinstance(e, ast.Name):
            return NOTHING
        inner = self._taint(e.value, level)
        if isinstance(e, ast.Subscript):
            index = self._taint(e.slice, level)
            return inner | self._lost(index, "no gradient", "indexing", e, level) if index else inner
        if e.attr == "indices":
            return self._lost(inner, "no gradient", ".indices", e, level)
        if e.attr == "data":
            return self._lost(inner, "detached", ".data", e, level)
        return NOTHING if e.attr in _NO_VALUE else inner

    def _call(self, e: ast.Call, level: _Level) -> Taint:
        is_method = isinstance(e.func, ast.Attribute)
        name = e.func.attr if isinstance(e.func, ast.Attribute) else e.func.id if isinstance(e.func, ast.Name) else ""
        receiver = self._receiver(e.func, level)
        given = [self._taint(a.value if isinstance(a, ast.Starred) else a, level) for a in e.args]
        named = {k.arg or "": self._taint(k.value, level) for k in e.keywords}
        everything = receiver | _join(given) | _join(named.values())
        is_followed = ast.unparse(e.func) in level.taints  # a layer, or a model
        callee = None if is_followed else self._callee(e.func, level)
        if callee is not None and (everything or self._sees(callee, level)):
            own = {callee.own_name: receiver} if callee.owner is not None else {}
            return self._inside(callee, {**callee.bind(given, named), **own}, e, level)
        if name in _PLAIN or name in _NO_RESULT or name.startswith("explain"):
            return NOTHING
        departure = departure_of(e, name, is_method)
        return self._lost(everything, *departure, e, level) if departure else everything

    def _receiver(self, f: ast.expr, level: _Level) -> Taint:
        """What is called: a layer that is followed, or the value whose method it is."""
        if isinstance(f, ast.Attribute) and ast.unparse(f) not in level.taints:
            return self._taint(f.value, level)
        return self._taint(f, level)

    def _callee(self, f: ast.expr, level: _Level) -> Callee | None:
        value, owner = lookup(f, level.objects)
        return called(value, owner) or (written_in(f, level.run.file) if value is None else None)

    def _sees(self, callee: Callee, level: _Level) -> bool:
        """Whether a function reads what is followed though it is not given it: a variable of its module."""
        return bool(callee.mentioned & set(self._shared(callee, level)))

    def _shared(self, callee: Callee, level: _Level) -> dict[str, Taint]:
        first = self._first
        if first is None or not self._is_module or callee.globals is not first.objects[-1]:
            return {n: t for n, t in level.taints.items() if n in callee.closed}
        return first.taints

    def _inside(self, callee: Callee, bound: dict[str, Taint], e: ast.Call, level: _Level) -> Taint:
        if self._depth >= _DEEPEST:
            return _join(bound.values())
        seen = {n: t for n, t in self._shared(callee, level).items() if n not in callee.variables}
        known = callee.objects(e, lambda a: lookup(a, level.objects)[0])
        inner = _Level(callee.run, [known, callee.globals], {**seen, **{n: t for n, t in bound.items() if t}})
        off = next((t for d in callee.decorators if (t := switches_off(d))), None)
        inner.off = _Off(off) if off else None
        self._depth += 1
        if isinstance(callee.result, ast.expr):
            inner.returned = self._taint(callee.result, inner)
        else:
            self.statements(callee.run.body, inner)
        self._depth -= 1
        return inner.returned

    def _lost(self, taint: Taint, how: str, by: str, e: ast.expr, level: _Level) -> Taint:
        return taint.left(Departure(how, by, self._line(e, level), self._surely))

    @property
    def _surely(self) -> bool:
        return self._branches == 0

    def _line(self, node: ast.stmt | ast.expr, level: _Level) -> Line:
        file = level.run.file
        return Line(file, node.lineno, level.run.where, linecache.getline(file, node.lineno).strip())


def _join(taints: Any) -> Taint:
    found = NOTHING
    for taint in taints:
        found |= taint
    return found


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
