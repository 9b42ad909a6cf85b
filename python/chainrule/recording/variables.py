"""The variables that a step reads: closures, globals, attributes; and the tensors in them."""

from __future__ import annotations

import contextlib
import functools
import types
from collections.abc import Iterable
from typing import Any

from .. import _core
from .._core import Tensor
from .observation import Observation, is_library

_OWN_PACKAGES = ("chainrule.recording", "torch.recording")  # a class may say either
_NAMES_MADE_UP = {"getattr", "vars", "__dict__"}  # whose attributes no code names
_UNSEEN = {"globals", "locals", "eval", "exec"}
_MANY = 4096  # entries of a list or a dict
_LEAVES = (type(None), bool, int, float, complex, str, bytes, range, slice, types.BuiltinFunctionType)


def _names_in(code: types.CodeType) -> set[str]:
    """All names of globals and attributes, those of functions inside it too."""
    names = set(code.co_names)
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            names |= _names_in(constant)
    return names


def _codes_in(code: types.CodeType) -> Iterable[types.CodeType]:
    yield code
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            yield from _codes_in(constant)


class Variables:
    """Goes from a step through everything that its code can name.

    Attributes:
        names: dicts of which some entries count, by their ids: the dict, the names, whether all of it counts.
        classes: the names that count of classes.
        lists, sets, cells: those that were found; cells are variables of closures.
        tensors: all that was found.
        obstacle: what cannot be watched, or "".
    """

    def __init__(self, roots: list[Any], observed: Observation) -> None:
        self.names: dict[int, tuple[dict, set, bool]] = {}
        self.classes: list[tuple[type, tuple[str, ...]]] = []
        self.lists: list[list] = []
        self.sets: list[set] = []
        self.cells: list[Any] = []
        self.tensors: list[Tensor] = []
        self.obstacle = ""
        self._options: list[tuple[dict, dict]] = []  # of optimizers, as they are and as they were
        self._seen: set[int] = set()
        self._kept: list[Any] = []  # what was made on the way: its id must not be used again
        self._stack: list[Any] = [*roots, *observed.selves.values()]
        self._mentioned: set[str] = set()
        self._seen_codes: set[types.CodeType] = set()
        self._executed = set(observed.functions)
        for code in observed.functions:
            self._mentioned |= _names_in(code)
        for code, variables in observed.functions.items():
            self._read_globals(code, variables)
        if used := self._mentioned & _UNSEEN:
            self._refuse(f"calls {min(used)}(), which may read any variable")
        while self._stack:
            self._visit(self._stack.pop())
        self._find_hidden_closures(observed)

    def watch(self, recording: Any) -> None:
        """Has the recording look whether all of it stays as it is."""
        for dictionary, names, whole in self.names.values():
            recording.watch_names(dictionary, tuple(names), whole)
        for cls, found in self.classes:
            recording.watch_names(cls, found, False)
        for each in self.lists:
            recording.watch_list(each)
        for each in self.sets:
            recording.watch_set(each)
        for cell in self.cells:
            recording.watch_cell(cell)

    def changed_options(self) -> bool:
        """Whether an optimizer's options are others than they were."""
        return any(now.get(name) is not value for now, before in self._options for name, value in before.items())

    def _refuse(self, why: str) -> None:
        self.obstacle = self.obstacle or why

    def _find_hidden_closures(self, observed: Observation) -> None:
        """A function that nobody was found to hold may have variables that change unseen."""
        inner = {
            c
            for code in observed.functions
            for each in code.co_consts
            if isinstance(each, types.CodeType)
            for c in _codes_in(each)
        }
        for code in observed.functions:
            variables = set(code.co_freevars) - {"__class__"}
            if variables and code not in self._seen_codes and code not in inner:
                self._refuse(f"calls {code.co_name}, whose variables cannot be watched")

    # ---- one kind of object after the other

    def _visit(self, value: Any) -> None:
        if isinstance(value, _LEAVES) or id(value) in self._seen:
            return
        self._seen.add(id(value))
        self._kept.append(value)
        if isinstance(value, Tensor):
            self.tensors.append(value)
        elif isinstance(value, types.FunctionType):
            self._visit_function(value)
        elif isinstance(value, types.MethodType):
            self._stack += [value.__func__, value.__self__]
        elif isinstance(value, functools.partial):
            self._stack += [value.func, value.args, value.keywords]
        elif isinstance(value, (staticmethod, classmethod)):
            self._stack.append(value.__func__)
        elif isinstance(value, property):
            self._stack += [value.fget]
        elif isinstance(value, type):
            self._visit_class(value)
        elif isinstance(value, types.ModuleType):
            self._visit_python_module(value)
        elif isinstance(value, (tuple, frozenset)):
            self._stack += value
        elif isinstance(value, list):
            self._visit_list(value)
        elif isinstance(value, set):
            self.sets.append(value)
            self._stack += value
        elif isinstance(value, dict):
            self._visit_dict(value)
        else:
            self._visit_object(value)

    def _visit_function(self, function: types.FunctionType) -> None:
        if is_library(function.__code__.co_filename):
            return
        self._seen_codes.update(_codes_in(function.__code__))
        self._mentioned |= _names_in(function.__code__)
        self._read_globals(function.__code__, function.__globals__)
        self._stack += [function.__defaults__, function.__kwdefaults__]
        for cell in function.__closure__ or ():
            self._visit_cell(cell)

    def _visit_cell(self, cell: types.CellType) -> None:
        if id(cell) in self._seen:
            return
        self._seen.add(id(cell))
        self.cells.append(cell)
        with contextlib.suppress(ValueError):  # still empty
            self._stack.append(cell.cell_contents)

    def _read_globals(self, code: types.CodeType, variables: dict[str, Any]) -> None:
        self._watch(variables, {name for name in _names_in(code) if name in variables})

    def _visit_class(self, cls: type) -> None:
        for each in cls.__mro__:
            if each.__module__.partition(".")[0] in ("builtins", "chainrule", "torch"):
                continue
            found = {n: value for n, value in vars(each).items() if n in self._mentioned or self._has_run(value)}
            self.classes.append((each, tuple(found)))
            self._stack += found.values()

    def _has_run(self, value: Any) -> bool:
        return getattr(getattr(value, "__func__", value), "__code__", None) in self._executed

    def _visit_python_module(self, module: types.ModuleType) -> None:
        path = getattr(module, "__file__", None) or "<frozen>"
        if is_library(path):
            return
        self._watch(vars(module), {name for name in self._mentioned if name in vars(module)})

    def _visit_list(self, value: list) -> None:
        if len(value) > _MANY:
            return self._refuse(f"reads a list of {len(value)} elements")
        self.lists.append(value)
        self._stack += value

    def _visit_dict(self, value: dict) -> None:
        if len(value) > _MANY:
            return self._refuse(f"reads a dict of {len(value)} entries")
        self._watch(value, set(value), whole=True)

    def _visit_object(self, value: Any) -> None:
        from ..nn import Module
        from ..optim import Optimizer

        if isinstance(value, Optimizer):
            return self._visit_optimizer(value)
        if type(value).__module__.startswith(_OWN_PACKAGES):  # a recorded step: what counts is the step
            return self._stack.append(getattr(value, "_step", None))
        if hasattr(type(value), "__next__"):
            return self._refuse(f"can reach an iterator, {type(value).__name__}, which gives another value each time")
        attributes = getattr(value, "__dict__", None)
        if attributes is None and hasattr(type(value), "__setitem__"):
            return self._refuse(f"can reach a container, {type(value).__name__}, whose elements may change unseen")
        own = type(value).__module__.partition(".")[0] in ("chainrule", "torch")
        self._stack.append(type(value))
        for cls in type(value).__mro__:
            for name in _slots_of(cls):
                if name in self._mentioned and hasattr(value, name):
                    self._stack.append(getattr(value, name))
        if not isinstance(attributes, dict):
            return
        whole = isinstance(value, Module)
        everything = whole or own or not self._mentioned.isdisjoint(_NAMES_MADE_UP)
        names = set(attributes) if everything else {name for name in self._mentioned if name in attributes}
        self._watch(attributes, names, whole)

    def _visit_optimizer(self, optimizer: Any) -> None:
        """Its options are looked at when its step is replayed."""
        from ..optim.update_rule import UpdateRule

        self._watch(vars(optimizer), {"param_groups", "state"})
        for group in optimizer.param_groups:
            self._seen.add(id(group))
            self._options.append((group, dict(group)))
            self._watch(group, {"params"} if isinstance(optimizer, UpdateRule) else set(group))
        self._visit_dict(optimizer.state)

    def _watch(self, dictionary: dict, names: set, whole: bool = False) -> None:
        former = self.names.get(id(dictionary))
        if former is not None:
            names, whole = names | former[1], whole or former[2]
        self.names[id(dictionary)] = (dictionary, names, whole)
        self._stack += [dictionary[name] for name in names if name in dictionary]


def _slots_of(cls: type) -> tuple[str, ...]:
    slots = cls.__dict__.get("__slots__", ())
    return (slots,) if isinstance(slots, str) else tuple(slots)


def is_constant(value: Any) -> bool:
    """Whether an argument can be told by its value."""
    return isinstance(value, (*_LEAVES, _core.dtype, _core.device))
