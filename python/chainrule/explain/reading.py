"""Reading the user's source for where a value leaves the graph, when nothing that is alive can tell any more."""

from __future__ import annotations

import ast
import inspect
import linecache
from collections.abc import Callable
from dataclasses import dataclass, field
from types import FrameType
from typing import Any

from .assigned import body_of, targets
from .blocks import defined
from .names import user_frames
from .source import Line, tree_of

__all__ = ["COPIES", "Departure", "Reader", "backward_call", "called_above", "freezing", "read_forward", "read_frame"]

# How a value leaves the graph, by the method or function that takes it out.
_DEPARTURES = {
    **dict.fromkeys(("detach", "detach_", "state_dict"), "detached"),
    **dict.fromkeys(("item", "tolist", "numpy", "__array__"), "read out"),
    **dict.fromkeys(("long", "int", "short", "bool", "char", "byte"), "integer cast"),
    **dict.fromkeys(
        ("argmax", "argmin", "argsort", "searchsorted", "bucketize", "nonzero", "multinomial", "sample", "bernoulli"),
        "no gradient",
    ),
    **dict.fromkeys(("eq", "ne", "lt", "le", "gt", "ge", "isclose", "logical_not", "bincount", "histc"), "no gradient"),
}
COPIES = {"tensor", "as_tensor", "asarray", "from_numpy", "array", "Tensor", "FloatTensor"}
_INTEGERS = {"int8", "int16", "int32", "int64", "uint8", "bool", "long", "short", "int"}
_NO_VALUE = {"shape", "dtype", "device", "grad", "grad_fn", "ndim", "requires_grad", "is_leaf", "T_co"}
_NO_RESULT = {"size", "dim", "numel", "backward", "register_hook", "retain_grad", "append", "zero_grad", "step"}
_PLAIN = {"print", "len", "isinstance", "type", "id", "repr", "str", "range", "hasattr", "format"}


@dataclass
class Departure:
    """A place where a value left the graph."""

    how: str  # detached, read out, integer cast, no gradient, no_grad
    by: str  # as written: detach(), float(), argmax()
    line: Line


@dataclass
class Outcome:
    """What became of a value in a piece of program."""

    departures: list[Departure] = field(default_factory=list)
    uses: list[int] = field(default_factory=list)  # lines that read it
    returned: bool = False


@dataclass(frozen=True)
class Off:
    """What switched gradients off, and where; without a line, around the statement itself."""

    by: str
    line: Line | None = None


class Reader:
    """Follows a value through statements, calls of the file's own functions included."""

    def __init__(self, file: str):
        self.file = file
        self._functions: dict[str, ast.FunctionDef | None] = {}  # those looked for so far
        self._followed: set[str] = set()  # the names that it began with
        self._globals: set[str] = set()  # those of them that functions of the file see
        self._depth = 0

    def follow(self, body: list[ast.stmt], carried: set[str], where: str = "<module>") -> Outcome:
        """What becomes of the values that these names or expressions carry."""
        outcome = Outcome()
        self._followed = set(carried)
        self._globals = set(carried) if where == "<module>" else set()
        self._statements(body, carried, outcome, None, where)
        return outcome

    # ---- statements

    def _statements(self, body: list[ast.stmt], carried: set[str], o: Outcome, off: Off | None, where: str) -> None:
        for s in body:
            if isinstance(s, ast.FunctionDef | ast.ClassDef | ast.AsyncFunctionDef):
                continue
            if isinstance(s, ast.Expr) and "set_grad_enabled" in (switch := ast.unparse(s.value)):
                off = Off("set_grad_enabled(False)", self._line(s, where)) if "False" in switch else None
                continue
            self._statement(s, carried, o, off, where)

    def _statement(self, s: ast.stmt, carried: set[str], o: Outcome, off: Off | None, where: str) -> None:
        if isinstance(s, ast.With):
            inner = next((t for item in s.items if (t := _switches_off(item.context_expr))), None)
            self._statements(s.body, carried, o, Off(inner) if inner else off, where)
        elif isinstance(s, ast.For):
            if self._carries(s.iter, carried, o, where):
                carried |= targets(s.target)
            self._statements(s.body + s.orelse, carried, o, off, where)
        elif isinstance(s, ast.If | ast.While):
            self._carries(s.test, carried, Outcome(), where)
            self._statements(s.body + s.orelse, carried, o, off, where)
        elif isinstance(s, ast.Try):
            self._statements(s.body + s.finalbody, carried, o, off, where)
        else:
            self._simple(s, carried, o, off, where)

    def _simple(self, s: ast.stmt, carried: set[str], o: Outcome, off: Off | None, where: str) -> None:
        value = getattr(s, "value", None)
        if not isinstance(value, ast.expr):
            return
        before = len(o.departures)
        carries = self._carries(value, carried, o, where)
        if carries and off is not None and not isinstance(s, ast.Expr):
            o.departures.insert(before, Departure("no_grad", off.by, off.line or self._line(s, where)))
            return
        if isinstance(s, ast.Return):
            o.returned |= carries
        elif isinstance(s, ast.Assign):
            for target in s.targets:
                names = targets(target)
                carried.difference_update(() if carries else names - _attributes(names) - self._followed)
                if carries:
                    carried |= names
        elif isinstance(s, ast.AugAssign | ast.AnnAssign) and carries:
            carried |= targets(s.target)
        elif isinstance(s, ast.Expr) and isinstance(value, ast.Call) and isinstance(value.func, ast.Attribute):
            self._appended(value, carried, where)

    def _appended(self, call: ast.Call, carried: set[str], where: str) -> None:
        """`losses.append(loss)`: the list carries it then."""
        grows = isinstance(call.func, ast.Attribute) and call.func.attr in ("append", "add", "extend")
        if grows and any(self._carries(a, carried, Outcome(), where) for a in call.args):
            carried.add(ast.unparse(call.func.value))  # type: ignore[attr-defined]

    # ---- expressions

    def _carries(self, e: ast.expr, carried: set[str], o: Outcome, where: str) -> bool:
        """Whether a gradient can flow from the expression to the value that is followed."""
        if isinstance(e, ast.Call):
            return self._call(e, carried, o, where)
        if isinstance(e, ast.Attribute | ast.Subscript | ast.Name):
            return self._reference(e, carried, o, where)
        if isinstance(e, ast.ListComp | ast.SetComp | ast.GeneratorExp):
            return self._comprehension(e, carried, o, where)
        inside = [self._carries(c, carried, o, where) for c in _children(e)]
        if isinstance(e, ast.Compare) and any(inside):
            o.departures.append(Departure("no gradient", ast.unparse(e), self._line(e, where)))
            return False
        return any(inside)

    def _comprehension(
        self, e: ast.ListComp | ast.SetComp | ast.GeneratorExp, carried: set[str], o: Outcome, where: str
    ) -> bool:
        inner = set(carried)
        for part in e.generators:
            if self._carries(part.iter, inner, o, where):
                inner |= targets(part.target)
        return self._carries(e.elt, inner, o, where)

    def _reference(
        self, e: ast.Attribute | ast.Subscript | ast.Name, carried: set[str], o: Outcome, where: str
    ) -> bool:
        if ast.unparse(e) in carried:
            o.uses.append(e.lineno)
            return True
        if isinstance(e, ast.Name):
            return False
        inner = self._carries(e.value, carried, o, where)
        if isinstance(e, ast.Subscript):
            index = self._carries(e.slice, carried, o, where)
            if index and not inner:
                o.departures.append(Departure("no gradient", "indexing", self._line(e, where)))
            return inner
        if inner and e.attr == "indices":
            o.departures.append(Departure("no gradient", ".indices", self._line(e, where)))
            return False
        if inner and e.attr == "data":
            o.departures.append(Departure("detached", ".data", self._line(e, where)))
            return False
        if not inner and any(name.startswith(ast.unparse(e) + ".") for name in carried):
            return False
        return inner and e.attr not in _NO_VALUE

    def _call(self, e: ast.Call, carried: set[str], o: Outcome, where: str) -> bool:
        name = e.func.attr if isinstance(e.func, ast.Attribute) else e.func.id if isinstance(e.func, ast.Name) else ""
        is_method = isinstance(e.func, ast.Attribute)
        receiver = self._carries(e.func, carried, o, where) if not is_method else False
        if isinstance(e.func, ast.Attribute):
            receiver = ast.unparse(e.func) in carried or self._carries(e.func.value, carried, o, where)
        arguments = [*e.args, *(k.value for k in e.keywords)]
        given = [self._carries(a, carried, o, where) for a in arguments]
        own = self._function(name) if not is_method and not receiver else None
        if own is not None and (any(given) or self._mentions(own)):
            return self._inside(own, given, e, o)
        if not receiver and not any(given):
            return False
        if name in _PLAIN or name in _NO_RESULT or name.startswith("explain"):
            return False
        departure = self._departure(e, name, is_method)
        if departure is not None:
            o.departures.append(Departure(*departure, self._line(e, where)))
            return False
        return True

    def _function(self, name: str) -> ast.FunctionDef | None:
        if name not in self._functions:
            found = [n for n in defined(self.file, "def", name) if isinstance(n, ast.FunctionDef)] if name else []
            self._functions[name] = found[-1] if found else None
        return self._functions[name]

    def _mentions(self, f: ast.FunctionDef) -> bool:
        names = {ast.unparse(n) for n in ast.walk(f) if isinstance(n, ast.Name | ast.Attribute)}
        return bool(names & self._globals)

    def _departure(self, e: ast.Call, name: str, is_method: bool) -> tuple[str, str] | None:
        if not is_method:
            return ("read out", f"{name}()") if name in ("float", "int", "bool") else None
        if name in _DEPARTURES:
            return _DEPARTURES[name], f"{name}()"
        if name in COPIES:
            return "detached", f"{name}()"
        if name in ("to", "type") and any(ast.unparse(a).rpartition(".")[2] in _INTEGERS for a in _values(e)):
            return "integer cast", f"{name}()"
        return None

    def _inside(self, f: ast.FunctionDef, given: list[bool], call: ast.Call, o: Outcome) -> bool:
        if self._depth > 4:
            return True
        names = [a.arg for a in f.args.args]
        carried = {n for n, g in zip(names, given, strict=False) if g} | self._globals.difference(names)
        carried |= {k.arg for k, g in zip(call.keywords, given[len(call.args) :], strict=True) if g and k.arg}
        self._depth += 1
        inner = Outcome()
        off = next((t for d in f.decorator_list if (t := _switches_off(d))), None)
        self._statements(f.body, carried, inner, Off(off) if off else None, f.name)
        self._depth -= 1
        o.departures += inner.departures
        o.uses += inner.uses
        return inner.returned

    def _line(self, node: ast.stmt | ast.expr, where: str) -> Line:
        return Line(self.file, node.lineno, where, linecache.getline(self.file, node.lineno).strip())


def _children(e: ast.AST) -> list[ast.expr]:
    found: list[ast.expr] = []
    for child in ast.iter_child_nodes(e):
        if isinstance(child, ast.expr):
            found.append(child)
        elif isinstance(child, ast.comprehension | ast.keyword):
            found += _children(child)
    return found


def _values(e: ast.Call) -> list[ast.expr]:
    return [*e.args, *(k.value for k in e.keywords)]


def _attributes(names: set[str]) -> set[str]:
    return {n for n in names if "." in n or "[" in n}


def _switches_off(e: ast.expr) -> str | None:
    """`no_grad()` and its kin, as a context or a decorator."""
    text = ast.unparse(e).rpartition(".")[2]
    if text.startswith(("no_grad", "inference_mode")):
        return text if text.endswith(")") else f"{text}()"
    return text if text.startswith("set_grad_enabled(False") else None


def read_frame(frame: FrameType, name: str) -> Outcome | None:
    """What becomes of a variable in a running function; None if its source is not known."""
    tree = tree_of(frame.f_code.co_filename, frame.f_code, frame.f_lineno)
    body = body_of(tree, frame.f_code) if tree else None
    if body is None:
        return None
    outcome = Reader(frame.f_code.co_filename).follow(body, {name}, frame.f_code.co_qualname)
    function, here = frame.f_code.co_qualname, frame.f_lineno  # what comes below has not happened yet
    outcome.departures = [d for d in outcome.departures if d.line.function != function or d.line.number < here]
    outcome.uses = [n for n in outcome.uses if n < here]
    return outcome


def _first_above(wanted: Callable[[ast.AST], bool]) -> Line | None:
    """The first such thing in the functions that are running, above the line that each is at."""
    for frame in user_frames():
        tree = tree_of(frame.f_code.co_filename, frame.f_code, frame.f_lineno)
        for statement in (body_of(tree, frame.f_code) if tree else None) or []:
            for n in ast.walk(statement):
                if isinstance(n, ast.expr | ast.stmt) and n.lineno <= frame.f_lineno and wanted(n):
                    file = frame.f_code.co_filename
                    return Line(file, n.lineno, frame.f_code.co_qualname, linecache.getline(file, n.lineno).strip())
    return None


def backward_call() -> Line | None:
    """The first backward() above the running lines."""
    return _first_above(
        lambda n: isinstance(n, ast.Call) and isinstance(n.func, ast.Attribute) and n.func.attr == "backward"
    )


def called_above(call: str) -> Line | None:
    """The first such call above the running lines."""
    return _first_above(lambda n: isinstance(n, ast.Call) and ast.unparse(n) == call)


def freezing() -> Line | None:
    """The first line that says requires_grad = False, or requires_grad_(False), above the running ones."""
    return _first_above(_freezes)


def assigned_requires_grad(name: str) -> Line | None:
    """The first line that makes a variable require a gradient after it was made: w.requires_grad_()."""
    return _first_above(lambda n: _thaws(n, name))


def _thaws(n: ast.AST, name: str) -> bool:
    if isinstance(n, ast.Assign):
        return ast.unparse(n.targets[0]) == f"{name}.requires_grad" and ast.unparse(n.value) == "True"
    if not isinstance(n, ast.Call):
        return False
    return ast.unparse(n) in (f"{name}.requires_grad_()", f"{name}.requires_grad_(True)")


def _freezes(n: ast.AST) -> bool:
    if isinstance(n, ast.Assign):
        return "requires_grad" in ast.unparse(n.targets[0]) and ast.unparse(n.value) == "False"
    if not isinstance(n, ast.Call) or not isinstance(n.func, ast.Attribute):
        return False
    return n.func.attr == "requires_grad_" and [ast.unparse(a) for a in n.args] == ["False"]


def read_forward(module: Any, attribute: str) -> Outcome | None:
    """What becomes of `self.<attribute>` in a module's forward()."""
    forward = inspect.unwrap(type(module).forward)
    code = getattr(forward, "__code__", None)
    tree = tree_of(code.co_filename, code) if code else None
    body = body_of(tree, code) if tree else None
    if body is None or code is None:
        return None
    return Reader(code.co_filename).follow(body, {f"{code.co_varnames[0]}.{attribute}"}, code.co_qualname)
