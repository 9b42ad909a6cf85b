"""Following a value into calls: which function runs, what each parameter has of the value, and what comes back."""

from __future__ import annotations

import ast
import linecache
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

from .callees import Callee, above, called, has_no_source, lookup, parts_of, property_of, written_in
from .departures import CARRIES, NOTHING, Departure, Taint, departure_of, join, switches_off
from .history import Run
from .names import is_module
from .source import Line

__all__ = ["Calling", "Level", "Off"]

_NO_RESULT = {"size", "dim", "numel", "backward", "register_hook", "retain_grad", "append", "zero_grad", "step"}
_PLAIN = {"print", "len", "isinstance", "type", "id", "repr", "str", "range", "hasattr", "format", "filter"}
_DEEPEST = 6  # calls inside of calls


@dataclass(frozen=True)
class Off:
    """What switched gradients off, and where; without a line, around the statement itself."""

    by: str
    line: Line | None = None


@dataclass
class Level:
    """A function or a module on the way through it."""

    run: Run
    objects: list[dict[str, Any]]  # where names are looked up; the first one is this level's own
    taints: dict[str, Taint] = field(default_factory=dict)
    returned: Taint = NOTHING
    off: Off | None = None
    followed: frozenset[str] = frozenset()  # the names that what is followed has here
    star: str = ""  # *args
    own: str = ""  # self
    given_self: Any = None  # what that is; in a wrapper around a method it is the first of *args


class Calling:
    """The part of the reader that goes into calls; see reading.py."""

    def __init__(self, is_module: bool, parameters: frozenset[int] = frozenset()):
        self.uses: list[Line] = []
        self.passes: dict[tuple[str, int], Line] = {}  # backward() of what carries the value, since zero_grad()
        self._is_module, self._parameters = is_module, parameters
        self._given_to: dict[ast.expr, str] = {}  # the variable that is given the result of a call
        self._initialised: set[ast.expr] = set()  # such calls of classes whose __init__ was gone through
        self._first: Level | None = None
        self._depth = self._branches = 0

    def statements(self, body: list[ast.stmt], level: Level) -> None:
        raise NotImplementedError

    def _taint(self, e: ast.expr, level: Level) -> Taint:
        raise NotImplementedError

    def _call(self, e: ast.Call, level: Level) -> Taint:
        is_method = isinstance(e.func, ast.Attribute)
        name = e.func.attr if isinstance(e.func, ast.Attribute) else e.func.id if isinstance(e.func, ast.Name) else ""
        receiver = self._receiver(e.func, level)
        given = [self._taint(a.value if isinstance(a, ast.Starred) else a, level) for a in e.args]
        named = {k.arg or "": self._taint(k.value, level) for k in e.keywords}
        everything = receiver | join(given) | join(named.values())
        self._pass(e, name, everything, level)
        callee = None if name == "backward" else self._callee(e.func, level)
        if callee is not None:
            found = self._entered(callee, e, receiver, given, named, level)
            if found is not None:
                return everything if callee.makes is not None else found
        if name in _PLAIN or name in _NO_RESULT or name.startswith("explain"):
            return NOTHING
        departure = departure_of(e, name, is_method) or self._without_source(e.func, name, level)
        if departure is not None:
            return self._lost(everything, *departure, e, level)
        return self._through_functions(e, everything, level) or everything

    def _receiver(self, f: ast.expr, level: Level) -> Taint:
        """What is called: a layer that is followed, or the value whose method it is."""
        if isinstance(f, ast.Attribute) and ast.unparse(f) not in level.taints:
            return self._taint(f.value, level)
        return self._taint(f, level)

    # ---- which function it is

    def _callee(self, f: ast.expr, level: Level) -> Callee | None:
        if isinstance(f, ast.Lambda):
            return self._anonymous(f, level)
        value, owner = lookup(f, level.objects)
        if value is None and isinstance(f, ast.Attribute):
            value, owner = above(f, level.given_self, level.run.where)
        if is_module(value) and ast.unparse(f) in level.taints:
            return None  # a layer or a model that is followed
        return called(value, owner) or (written_in(f, level.run.file) if value is None else None)

    def _anonymous(self, f: ast.Lambda, level: Level) -> Callee:
        """A lambda that is written where it is used sees all around it."""
        run = Run(level.run.file, [], None, level.run.where)
        return Callee(run, f.args, level.objects[-1], closed=set(level.taints), result=f.body)

    def _without_source(self, f: ast.expr, name: str, level: Level) -> tuple[str, str] | None:
        if not has_no_source(lookup(f, level.objects)[0]):
            return None
        return "detached", f"{name or ast.unparse(f)}(), whose source is not known, or has changed since"

    def _through_functions(self, e: ast.Call, everything: Taint, level: Level) -> Taint:
        """Functions of the user's that somebody else calls: checkpoint(block, x), functools.reduce(step, values)."""
        chain = parts_of(lookup(e.func, level.objects)[0])
        if chain:
            return self._one_after_another(chain, everything, level)
        outer = e.func.args if isinstance(e.func, ast.Call) else []
        functions = [f for a in [*outer, *e.args] if (f := self._callee(a, level) if _can_be_called(a) else None)]
        return join(self._given_all(f, everything, e, level) for f in functions) if everything else NOTHING

    def _one_after_another(self, chain: list[Any], taint: Taint, level: Level) -> Taint:
        """The layers of a Sequential; those that are no user's let all pass."""
        for part in chain:
            callee = called(part)
            if callee is not None and callee.names:
                taint = self._inside(callee, {callee.names[0]: taint}, {callee.own_name: part}, {}, level)
        return taint

    def _given_all(self, callee: Callee, everything: Taint, e: ast.Call, level: Level) -> Taint:
        """A function whose arguments are not written here: each may be any of what is known."""
        given = dict.fromkeys(callee.parameters, everything)
        listed = [item for a in e.args for item in self._items(a, level) or ()]
        if not listed:
            return self._inside(callee, given, callee.known, {}, level)
        found = NOTHING
        for item in listed:  # one of its parameters is one of them: lambda value, step: step(value)
            known = {**dict.fromkeys(callee.names, item), **callee.known}
            found = self._inside(callee, {**given, **({callee.names[0]: found} if found else {})}, known, {}, level)
        return found

    def _items(self, e: ast.expr, level: Level) -> list[Any] | None:
        """The functions or layers that an expression has one after another, if that is known."""
        if isinstance(e, ast.List | ast.Tuple):
            found = [lookup(item, level.objects)[0] for item in e.elts]
        elif isinstance(e, ast.Call) and isinstance(e.func, ast.Attribute) and e.func.attr in ("values", "children"):
            found = parts_of(lookup(e.func.value, level.objects)[0])
        else:
            found = parts_of(lookup(e, level.objects)[0])
        return found if found and all(item is not None for item in found) else None

    def _turns(self, target: ast.expr, e: ast.expr, level: Level) -> list[dict[str, Any]]:
        """Of a loop, which of its variables are functions or layers in each turn, as far as that is known."""
        if isinstance(target, ast.Name):
            return [{target.id: item} for item in self._items(e, level) or ()]
        if not isinstance(target, ast.Tuple) or not isinstance(e, ast.Call):
            return []
        name, pairs = ast.unparse(e.func).rpartition(".")[2], list(zip(target.elts, e.args, strict=False))
        if name == "enumerate" and len(target.elts) == 2 and e.args:
            pairs = [(target.elts[1], e.args[0])]
        elif name == "items" and isinstance(e.func, ast.Attribute) and len(target.elts) == 2:
            pairs = [(target.elts[1], e.func.value)]
        elif name != "zip":
            return []
        columns = [turns for part, given in pairs if (turns := self._turns(part, given, level))]
        return [
            {k: v for column in columns for k, v in column[i % len(column)].items()}
            for i in range(max(map(len, columns), default=0))
        ]

    # ---- inside of it

    def _entered(
        self, callee: Callee, e: ast.Call, receiver: Taint, given: list[Taint], named: dict[str, Taint], level: Level
    ) -> Taint | None:
        """What a call gives back; None if the function has nothing to do with what is followed."""
        self._unpack(callee, e, level)
        same = self._same(callee, e, level)
        known = callee.objects(e, lambda a: lookup(a, level.objects)[0])
        seen = self._seen(callee, receiver, level)
        inside = any(key.startswith(_inner_of(t)) for t in same.values() for key in {*level.taints, *level.followed})
        if not (receiver or any(given) or any(named.values()) or seen or inside or e in self._initialised):
            return None
        own = {callee.own_name: receiver} if callee.owner is not None else {}
        return self._inside(callee, {**seen, **callee.bind(given, named), **own}, known, same, level)

    def _same(self, callee: Callee, e: ast.Call, level: Level) -> dict[str, str]:
        """Which parameter of a function is which variable of its caller."""
        pairs = [*zip(callee.names, e.args, strict=False), *((k.arg, k.value) for k in e.keywords if k.arg)]
        found = {name: ast.unparse(a) for name, a in pairs if isinstance(a, ast.Name | ast.Attribute | ast.Subscript)}
        if callee.makes is not None:
            target = self._given_to.get(e)
            if target is not None:
                found[callee.own_name] = target
                self._initialised.add(e)
                for key in [key for key, _ in _of(level, target)]:
                    del level.taints[key]  # of what the variable was before
        elif callee.owner is not None and isinstance(e.func, ast.Attribute | ast.Name | ast.Subscript):
            is_method = isinstance(e.func, ast.Attribute) and e.func.attr == callee.run.where.rpartition(".")[2]
            owner = ast.unparse(e.func.value if is_method else e.func)  # type: ignore[attr-defined]
            found[callee.own_name] = level.own if owner == "super()" else owner
        made = self._given_to.get(e)
        if made is not None and callee.returns is not None and made in level.followed:
            found[callee.returns] = made  # what is followed comes from there, where it has another name
            callee.gives_followed = True
            self._initialised.add(e)
        return found

    def _unpack(self, callee: Callee, e: ast.Call, level: Level) -> None:
        """A wrapper hands its *args on to a method: the first of them is the object."""
        first = e.args[0] if e.args else None
        if isinstance(first, ast.Starred) and ast.unparse(first.value) == level.star and level.given_self is not None:
            callee.owner = callee.owner or level.given_self

    def _seen(self, callee: Callee, receiver: Taint, level: Level) -> dict[str, Taint]:
        """What a function reads though it is not given it: variables of its module, or of the function around it."""
        first = self._first
        is_global = first is not None and self._is_module and callee.globals is first.objects[-1]
        around = first.taints if first is not None and is_global else {}
        around = {**around, **{n: t for n, t in level.taints.items() if n in callee.closed}}
        if callee.closed and callee.owner is None and receiver:
            around = {**dict.fromkeys(callee.closed, receiver), **around}
        mentioned = callee.mentioned - callee.variables
        return {n: t for n, t in around.items() if n.partition(".")[0].partition("[")[0] in mentioned}

    def _inside(
        self, callee: Callee, given: dict[str, Taint], known: dict[str, Any], same: dict[str, str], level: Level
    ) -> Taint:
        """Through a function. `same` says which of its parameters is which variable here: they share attributes."""
        if self._depth >= _DEEPEST:
            return join(given.values())
        attributes = {own + key[len(theirs) :]: t for own, theirs in same.items() for key, t in _of(level, theirs)}
        taints = {**attributes, **{n: t for n, t in given.items() if t}}
        if callee.gives_followed and callee.returns is not None:
            taints[callee.returns] = CARRIES
        inner = Level(callee.run, [{**callee.known, **known}, callee.globals], taints, star=callee.star)
        inner.own, inner.given_self = callee.own_name, callee.owner
        inner.followed = frozenset(_names_inside(same, level.followed, callee))
        off = next((t for d in callee.decorators if (t := switches_off(d))), None)
        inner.off = Off(off) if off else None
        self._depth += 1
        if isinstance(callee.result, ast.expr):
            inner.returned = self._taint(callee.result, inner)
        else:
            self.statements(callee.run.body, inner)
        self._depth -= 1
        _hand_back(inner, {own: theirs for own, theirs in same.items() if own not in callee.assigned}, level)
        return inner.returned

    def _property(self, e: ast.Attribute, level: Level) -> Taint | None:
        """What reading an attribute gives, if that runs a function of the user's."""
        owner = lookup(e.value, level.objects)[0]
        callee = called(property_of(owner, e.attr), owner)
        if callee is None:
            return None
        given = {callee.own_name: self._taint(e.value, level)}
        return self._inside(callee, given, {callee.own_name: owner}, {callee.own_name: ast.unparse(e.value)}, level)

    # ---- backward passes

    def _pass(self, e: ast.Call, name: str, everything: Taint, level: Level) -> None:
        line = self._line(e, level)
        if name == "backward" and everything.carries:
            self.passes[line.file, line.number] = line
        elif name == "zero_grad" and self._surely and isinstance(e.func, ast.Attribute):
            owner = lookup(e.func.value, level.objects)[0]
            if everything.carries if owner is None else not self._parameters.isdisjoint(_parameters_of(owner)):
                self.passes.clear()

    # ---- what is said of it

    def _lost(self, taint: Taint, how: str, by: str, e: ast.expr, level: Level) -> Taint:
        return taint.left(Departure(how, by, self._line(e, level), self._surely))

    @property
    def _surely(self) -> bool:
        return self._branches == 0

    def _line(self, node: ast.stmt | ast.expr, level: Level) -> Line:
        file = level.run.file
        return Line(file, node.lineno, level.run.where, linecache.getline(file, node.lineno).strip())


def _can_be_called(e: ast.expr) -> bool:
    return isinstance(e, ast.Name | ast.Attribute | ast.Lambda)


def _inner_of(name: str) -> tuple[str, str]:
    return f"{name}.", f"{name}["


def _of(level: Level, name: str) -> Iterator[tuple[str, Taint]]:
    """The attributes and items of a variable that have something of the value."""
    return ((key, t) for key, t in level.taints.items() if key.startswith(_inner_of(name)))


def _names_inside(same: dict[str, str], followed: Iterable[str], callee: Callee) -> Iterator[str]:
    """What is followed, by its names in a function: attributes of parameters; the value of a parameter may change."""
    for own, theirs in same.items():
        for name in followed:
            if name.startswith(_inner_of(theirs)) or (
                name == theirs and callee.gives_followed and own == callee.returns
            ):
                yield own + name[len(theirs) :]


def _hand_back(inner: Level, same: dict[str, str], level: Level) -> None:
    """What a function wrote into attributes of what it was given."""
    for own, theirs in same.items():
        for key in [key for key, _ in _of(level, theirs)]:
            del level.taints[key]
        level.taints.update({theirs + key[len(own) :]: t for key, t in _of(inner, own)})


def _parameters_of(owner: Any) -> Iterator[int]:
    """Of an optimiser or a module."""
    groups = getattr(owner, "__dict__", {}).get("param_groups")
    if isinstance(groups, list):
        return (id(p) for group in groups for p in group["params"])
    return (id(p) for p in owner.parameters()) if hasattr(owner, "parameters") else iter(())
