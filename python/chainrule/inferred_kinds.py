"""Which names of a script are tensors or modules of chainrule's, as far as its text says so: for `chainrule check`.

A name counts if everything that its function gives it is known. The rest is left alone: a doubt is no finding.
"""

from __future__ import annotations

import ast
import functools
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from ._core import Tensor
from .nn import Module, ModuleDict, ModuleList, Sequential

# A kind is Tensor or the class of a module; None is not known.
Kind = type | None
Resolve = Callable[[str], Any]  # what torch.nn.Linear is; None if there is no such thing
Dotted = Callable[[ast.expr], str | None]  # torch.nn.Linear for an expression

_Scope = ast.Module | ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda | ast.ClassDef
_SCOPES = (ast.Module, ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef)
_CONTAINERS = (ModuleDict, ModuleList, Sequential)  # their members have names that no class knows
_VIEWS = frozenset({"T", "H", "mT", "mH", "data", "real", "imag"})


@functools.cache
def _givers(file: str, inside: str) -> frozenset[str]:
    """The functions or methods that give a tensor however they are called, as the type stubs say."""
    tree: ast.Module | ast.ClassDef = ast.parse(Path(__file__).with_name(file).read_text())
    if inside:
        (tree,) = (node for node in tree.body if isinstance(node, ast.ClassDef) and node.name == inside)
    gives: dict[str, bool] = {}
    for node in tree.body:
        if isinstance(node, ast.FunctionDef):
            is_tensor = isinstance(node.returns, ast.Name) and node.returns.id in ("Tensor", "Self")
            gives[node.name] = gives.get(node.name, True) and is_tensor
    return frozenset(name for name, tensor in gives.items() if tensor)


def _inside(scope: ast.AST) -> Iterator[ast.AST]:
    """The nodes of a scope, without those of the scopes in it."""
    for child in ast.iter_child_nodes(scope):
        yield child
        if not isinstance(child, _SCOPES):
            yield from _inside(child)


class _Reader:
    """Reads one scope."""

    def __init__(self, scope: ast.AST, outer: dict[str, Kind], resolve: Resolve, dotted: Dotted):
        self.resolve, self.dotted = resolve, dotted
        self.kinds = dict(outer)
        bound = self._bound(scope)
        self.kinds |= dict.fromkeys(bound)
        for _ in range(3):  # y = x.relu() may stand before the line that says what x is
            self.kinds |= {name: self._agreed(values) for name, values in bound.items()}

    def _bound(self, scope: ast.AST) -> dict[str, list[ast.expr | Kind]]:
        """What a scope gives each name that it binds: expressions, kinds, or None for what it does not say."""
        bound: dict[str, list[ast.expr | Kind]] = {}

        def bind(target: ast.AST, value: ast.expr | Kind) -> None:
            for part in ast.walk(target):
                if isinstance(part, ast.Name) and isinstance(part.ctx, (ast.Store, ast.Del)):
                    bound.setdefault(part.id, []).append(value if part is target else None)

        if isinstance(scope, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)):
            arguments = scope.args
            for each in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs):
                is_tensor = each.annotation is not None and self._named(each.annotation) is Tensor
                bound.setdefault(each.arg, []).append(Tensor if is_tensor else None)
            for extra in (arguments.vararg, arguments.kwarg):
                if extra is not None:
                    bound.setdefault(extra.arg, []).append(None)
        for node in _inside(scope):
            if isinstance(node, ast.Assign):
                for target in node.targets:
                    bind(target, node.value)
            elif isinstance(node, ast.AnnAssign) and node.value is not None:
                bind(node.target, node.value)
            elif isinstance(node, (ast.AugAssign, ast.NamedExpr)):
                bind(node.target, node.value if isinstance(node, ast.NamedExpr) else None)
            elif isinstance(node, (ast.For, ast.AsyncFor, ast.comprehension)):
                bind(node.target, None)
            elif isinstance(node, ast.withitem) and node.optional_vars is not None:
                bind(node.optional_vars, None)
            elif isinstance(node, ast.Delete):
                for target in node.targets:
                    bind(target, None)
            elif (
                isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.ExceptHandler)) and node.name
            ):
                bound.setdefault(node.name, []).append(None)
            elif isinstance(node, (ast.Import, ast.ImportFrom)):
                for alias in node.names:
                    bound.setdefault((alias.asname or alias.name).partition(".")[0], []).append(None)
            elif isinstance(node, (ast.Global, ast.Nonlocal)):
                for name in node.names:
                    bound.setdefault(name, []).append(None)
            elif isinstance(node, (ast.MatchAs, ast.MatchStar)) and node.name:
                bound.setdefault(node.name, []).append(None)
        return bound

    def _agreed(self, values: list[ast.expr | Kind]) -> Kind:
        kinds = {self.kind(value) if isinstance(value, ast.expr) else value for value in values}
        return kinds.pop() if len(kinds) == 1 else None

    def _named(self, expression: ast.expr) -> Any:
        name = self.dotted(expression)
        return self.resolve(name) if name is not None else None

    def kind(self, value: ast.expr) -> Kind:
        """What an expression gives."""
        if isinstance(value, ast.Name):
            return self.kinds.get(value.id)
        if isinstance(value, ast.Call):
            return self._called(value.func)
        if isinstance(value, ast.Attribute):
            return Tensor if value.attr in _VIEWS and self.kind(value.value) is Tensor else None
        if isinstance(value, ast.Subscript):
            return Tensor if self.kind(value.value) is Tensor else None
        if isinstance(value, ast.UnaryOp) and not isinstance(value.op, ast.Not):
            return Tensor if self.kind(value.operand) is Tensor else None
        if isinstance(value, ast.BinOp):
            sides = [self.kind(side) for side in (value.left, value.right) if not isinstance(side, ast.Constant)]
            return Tensor if sides and all(kind is Tensor for kind in sides) else None
        return None

    def _called(self, function: ast.expr) -> Kind:
        name = self.dotted(function)
        if name is not None:
            head, _, last = name.rpartition(".")
            if head == "torch" and last in _givers("__init__.pyi", ""):
                return Tensor
            found = self.resolve(name)
            return found if isinstance(found, type) and issubclass(found, (Tensor, Module)) else None
        if isinstance(function, ast.Attribute) and self.kind(function.value) is Tensor:
            return Tensor if function.attr in _givers("_core.pyi", "Tensor") else None
        return None


def attributes(tree: ast.Module, resolve: Resolve, dotted: Dotted) -> Iterator[tuple[ast.Attribute, type]]:
    """The attributes that a script reads of tensors, and the methods that it calls of modules, with the class."""
    given = {
        node.attr for node in ast.walk(tree) if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store)
    }
    # What a script asks for by name, hasattr(x, "latents"), it does not take for granted.
    given |= {node.value for node in ast.walk(tree) if isinstance(node, ast.Constant) and isinstance(node.value, str)}

    def read(scope: ast.AST, outer: dict[str, Kind]) -> Iterator[tuple[ast.Attribute, type]]:
        reader = _Reader(scope, outer, resolve, dotted)
        called = {id(node.func) for node in _inside(scope) if isinstance(node, ast.Call)}
        for node in _inside(scope):
            if isinstance(node, _SCOPES):
                # What a class binds is not seen by its methods.
                yield from read(node, outer if isinstance(scope, ast.ClassDef) else reader.kinds)
            elif isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Load) and node.attr not in given:
                kind = reader.kind(node.value)
                # A module has members that its class does not tell; what is called is a method, or one of those.
                if kind is Tensor or (kind is not None and id(node) in called and not _may_have(kind, node.attr)):
                    yield node, kind

    yield from read(tree, {})
    yield from _of_own_classes(tree, given, resolve, dotted)


def _of_own_classes(
    tree: ast.Module, given: set[str], resolve: Resolve, dotted: Dotted
) -> Iterator[tuple[ast.Attribute, type]]:
    """The methods that a script's own modules call of themselves and that neither they nor the script define."""
    defined = {node.name for node in ast.walk(tree) if isinstance(node, (ast.FunctionDef, ast.ClassDef))}
    for node in ast.walk(tree):
        if not isinstance(node, ast.ClassDef) or not node.bases:
            continue
        names = [dotted(base) for base in node.bases]
        found = [resolve(name) if name is not None else None for name in names]
        bases = [base for base in found if isinstance(base, type) and issubclass(base, Module)]
        if len(bases) < len(found):
            continue
        own = {part.id for part in ast.walk(node) if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Store)}
        for call in (part for part in ast.walk(node) if isinstance(part, ast.Call)):
            method = call.func
            if not (
                isinstance(method, ast.Attribute) and isinstance(method.value, ast.Name) and method.value.id == "self"
            ):
                continue
            known = method.attr in given | defined | own or method.attr.startswith("_")
            if not known and not any(_may_have(base, method.attr) for base in bases):
                yield method, bases[0]


def _may_have(kind: type, name: str) -> bool:
    """Whether an instance of a class of modules has, or may come to have, an attribute."""
    if hasattr(kind, name) or issubclass(kind, _CONTAINERS):
        return True
    return any(name in vars(base).get("__annotations__", ()) or name in _assigned(base) for base in kind.__mro__)


@functools.cache
def _assigned(base: type) -> frozenset[str]:
    """The names that a class's own code gives its instances."""
    names: set[str] = set()
    for function in vars(base).values():
        code = getattr(function, "__code__", None)
        names.update(code.co_names if code is not None else ())
        names.update(text for text in (code.co_consts if code is not None else ()) if isinstance(text, str))
    return frozenset(names)
