"""Where a tensor's value went: from the source that ran with it, and from the records of cuts."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from .._core import Tensor
from .causes import Cause, cut_cause
from .departures import Departure
from .graph import Graph
from .history import Scope
from .names import PLAIN, Names, attributes_of, is_module
from .reading import Outcome, follow, follow_forward
from .source import Line, line_of

__all__ = ["Trail", "base_of"]


@dataclass(frozen=True)
class Found:
    """What one namespace knows of a tensor."""

    scope: Scope
    outcome: Outcome
    lost: tuple[Departure, ...] = ()  # inside of its module's forward()
    unused: bool = False  # forward() does not use it for its result

    def lost_to(self, loss: str | None) -> tuple[Departure, ...]:
        """Where it was lost on its way to a variable; to any, if there is none to ask for."""
        return self.lost or (self.outcome.of(loss).lost if loss is not None else self.outcome.lost)


class Trail:
    """Follows tensors; see explain/reading.py."""

    def __init__(self, names: Names):
        self.names = names
        self._known: dict[tuple[int, str], Outcome | None] = {}

    def found(self, tensor: Tensor) -> Iterator[Found]:
        """What is known of a tensor, by each namespace that holds it: first the one that gives it its name."""
        for scope, name in self._spots(tensor):
            base, value = base_of(scope, name)
            if is_module(value):
                found = self._of_parameter(scope, base, value, name[len(base) + 1 :])
            else:
                outcome = self._follow(scope, name)
                whole = self._follow(scope, base) if base != name and outcome and not outcome.uses else None
                found = Found(scope, whole or outcome) if outcome else None
            if found is not None:
                yield found

    def lost(self, leaf: Tensor, loss: Tensor | None) -> tuple[Departure, ...]:
        """Where a leaf's value left the graph on its way to a loss."""
        for found in self.found(leaf):
            lost = found.lost_to(self.name_in(found.scope, loss) if loss is not None else None)
            if lost:
                return lost
        return ()

    def origin(self, tensor: Tensor) -> tuple[Departure, ...]:
        """Of a value without history: where what it was calculated from left the graph."""
        seen: set[tuple[int, str]] = set()
        candidates = [t for _, t in self.names.tensors if t.requires_grad]
        for leaf in sorted(candidates, key=lambda t: not t.is_leaf):  # results too: their leaves may have no names
            for scope, name in self._spots(leaf):
                base, own = base_of(scope, name)[0], self.name_in(scope, tensor)
                if own is None or own == name or (id(scope), base) in seen:
                    continue
                seen.add((id(scope), base))
                outcome = self._follow(scope, base)
                if outcome is not None and outcome.of(own).lost:
                    return outcome.of(own).lost
        return ()

    def origin_of(self, expression: ast.expr) -> tuple[Departure, ...]:
        """Of a value that no variable holds: where what its expression was calculated from left the graph."""
        for leaf in sorted((t for _, t in self.names.tensors if t.requires_grad), key=lambda t: not t.is_leaf):
            for scope, name in self._spots(leaf):
                outcome = follow(scope, base_of(scope, name)[0], expression)
                if outcome is not None and outcome.returned.lost:
                    return outcome.returned.lost
        return ()

    def uses(self, leaf: Tensor) -> list[Line]:
        """The lines that read it."""
        return [line for found in self.found(leaf) for line in found.outcome.uses]

    def is_known(self, leaf: Tensor) -> bool:
        """Whether there is source to read."""
        return any(True for _ in self.found(leaf))

    def name_in(self, scope: Scope, tensor: Tensor) -> str | None:
        """What a namespace calls a tensor."""
        if self.names.home(tensor) is scope:
            return self.names.of(tensor)
        return next((name for name, value in scope.variables.items() if value is tensor), None)

    def cut_in(self, leaf: Tensor, loss: Tensor, name: str) -> Cause | None:
        """A value in the loss that has the leaf's own memory, and remembers where it was cut off."""
        memory = leaf.untyped_storage().data_ptr()
        held = [t for _, t in self.names.tensors]
        if loss.grad_fn is not None:
            held += [s.value for node in Graph([loss], self.names) for s in node.saved if s.value is not None]
        for tensor in held:
            if tensor is not leaf and tensor._cut is not None and tensor.untyped_storage().data_ptr() == memory:
                by, line = tensor._cut
                return cut_cause(name, by, line_of(line))
        return None

    def _spots(self, tensor: Tensor) -> Iterator[tuple[Scope, str]]:
        """Namespaces that hold a tensor, with what they call it."""
        home, name = self.names.home(tensor), self.names.of(tensor)
        if home is not None and name is not None:
            yield home, name
        for scope in self.names.scopes:
            if scope is home:
                continue
            for variable, value in list(scope.variables.items()):
                path = _path_in(value, tensor)
                if path is not None:
                    yield scope, f"{variable}{path}"
                    break

    def _of_parameter(self, scope: Scope, base: str, module: Any, path: str) -> Found | None:
        """A parameter may be lost in forward() of a module around it; else it is where the model goes."""
        outcome = self._follow(scope, base)
        for part in path.split("."):
            inside = follow_forward(module, part)
            if inside is not None and (inside.returned.lost or not inside.returned):
                return Found(scope, inside, inside.returned.lost, not inside.returned)
            module = getattr(module, "_modules", {}).get(part)
            if module is None:
                break
        return Found(scope, outcome) if outcome is not None else None

    def _follow(self, scope: Scope, name: str) -> Outcome | None:
        key = id(scope), name
        if key not in self._known:
            self._known[key] = follow(scope, name)
        return self._known[key]


def base_of(scope: Scope, name: str) -> tuple[str, Any]:
    """The beginning of a name that is a model, else the variable: `trainer.net` of `trainer.net.0.weight`."""
    first = name.partition(".")[0].partition("[")[0]
    base, value = first, scope.variables.get(first)
    for part in name.split(".")[1:]:
        if value is None or is_module(value) or "[" in base:
            break
        base, value = f"{base}.{part}", getattr(value, "__dict__", {}).get(part)
    return (base, value) if is_module(value) else (first, scope.variables.get(first))


def _path_in(value: Any, tensor: Tensor, depth: int = 0) -> str | None:
    """Where a variable's value has a tensor: it is the tensor, a module with it, or an object with that."""
    if value is tensor:
        return ""
    if is_module(value):
        return next((f".{path}" for path, p in value.named_parameters() if p is tensor), None)
    held = {} if depth or type(value) in PLAIN else attributes_of(value)
    found = ((key, _path_in(item, tensor, 1)) for key, item in held.items())
    return next((f".{key}{path}" for key, path in found if path is not None), None)
