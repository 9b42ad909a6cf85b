"""What the user calls his tensors: variables of the running functions, items of lists, attributes, parameters."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Sequence
from types import BuiltinFunctionType, FrameType, FunctionType, ModuleType
from typing import Any

from .._core import Tensor
from .history import Scope, ended_scopes, running_scopes, scopes_of

__all__ = ["PLAIN", "Names", "attributes_of", "is_module"]

_MOST_ITEMS = 1000  # of a list or dict that are looked at
PLAIN = {int, float, bool, str, bytes, type(None), type, FunctionType, BuiltinFunctionType, ModuleType}


class Names:
    """Names of tensors and modules, as seen from the line that asks."""

    def __init__(self, frames: Iterable[FrameType] | None = None, about: Sequence[Any] = ()) -> None:
        """Of all running functions, or of some; `about` is what is asked about, which may belong to none of them."""
        self.of_tensors: dict[int, str] = {}
        self.of_outputs: dict[tuple[int, int], str] = {}  # by node and output number
        self.of_modules: dict[int, str] = {}
        self.modules: dict[str, Any] = {}  # by path
        self.tensors: list[tuple[str, Tensor]] = []
        self.scopes: list[Scope] = list(running_scopes() if frames is None else scopes_of(frames))
        self._homes: dict[int, Scope] = {}  # by tensor or module
        self._home: Scope | None = None  # the one that is being read
        ended = self._ended(about) if about else []
        for of_parameters in (False, True):  # what came from a caller is called as the caller calls it
            for scope in self.scopes:
                own = scope.parameters
                if own or not of_parameters:
                    self._read(scope, lambda name, _: (name in own) == of_parameters)  # noqa: B023
        self.scopes += ended

    def _ended(self, about: Sequence[Any]) -> list[Scope]:
        """Programs that have ended and hold what is asked about: their names come before those of lists that do."""
        running = {id(scope.variables) for scope in self.scopes}
        ended = [scope for scope in ended_scopes(about) if id(scope.variables) not in running]
        for scope in [*self.scopes, *ended]:
            own = scope.parameters
            self._read(scope, lambda name, value: _is_direct(value, name) and name not in own)  # noqa: B023
        for scope in ended:
            self._read(scope, lambda *_: True)
        return ended

    def _read(self, scope: Scope, wanted: Callable[[str, Any], bool]) -> None:
        self._home = scope
        hidden = ("In", "Out") if "get_ipython" in scope.variables else ()
        for name, value in list(scope.variables.items()):
            if type(value) not in PLAIN and not name.startswith("__") and name not in hidden and wanted(name, value):
                self._add(name, value, depth=0)

    def home(self, thing: Any) -> Scope | None:
        """The variables that a tensor's or a module's name is one of."""
        return self._homes.get(id(thing))

    def variable(self, value: Any) -> tuple[Scope, str] | None:
        """The variable that holds some object."""
        for scope in self.scopes:
            for name, held in list(scope.variables.items()):
                if held is value:
                    return scope, name
        return None

    def of(self, tensor: Tensor) -> str | None:
        """The tensor's name, or that of another tensor that is the same value in the graph."""
        node = tensor.grad_fn
        known = self.of_tensors.get(id(tensor))
        return known or (self.of_outputs.get((id(node), tensor.output_nr)) if node is not None else None)

    def _add(self, name: str, value: Any, depth: int) -> None:
        if isinstance(value, Tensor):
            self._add_tensor(name, value)
        elif isinstance(value, list | tuple) and depth < 2:
            for i, item in enumerate(value[:_MOST_ITEMS]):
                self._add(f"{name}[{i}]", item, depth + 1)
        elif isinstance(value, dict) and depth < 2:
            for key, item in list(value.items())[:_MOST_ITEMS]:
                self._add(f"{name}[{key!r}]", item, depth + 1)
        elif is_module(value):
            self._add_module(name, value)
        elif depth < 1:
            for key, item in list(attributes_of(value).items())[:_MOST_ITEMS]:
                if not key.startswith("_") and (isinstance(item, Tensor | list | tuple | dict) or is_module(item)):
                    self._add(f"{name}.{key}", item, depth + 1)

    def _add_tensor(self, name: str, tensor: Tensor) -> None:
        if id(tensor) in self.of_tensors:
            return
        self.of_tensors[id(tensor)] = name
        self._homes[id(tensor)] = self._home  # type: ignore[assignment]
        self.tensors.append((name, tensor))
        if tensor.grad_fn is not None:
            self.of_outputs.setdefault((id(tensor.grad_fn), tensor.output_nr), name)
        elif tensor.grad is not None and tensor.grad.grad_fn is not None:  # of backward(create_graph=True)
            self.of_outputs.setdefault((id(tensor.grad.grad_fn), tensor.grad.output_nr), f"{name}.grad")

    def _add_module(self, name: str, module: Any) -> None:
        if id(module) in self.of_modules:
            return
        for path, part in module.named_modules(prefix=name):
            self.modules.setdefault(self.of_modules.setdefault(id(part), path), part)
            self._homes.setdefault(id(part), self._home)  # type: ignore[arg-type]
            self._add_attributes(path, part)

    def _add_attributes(self, path: str, module: Any) -> None:
        for key, item in vars(module).items():
            if isinstance(item, Tensor):
                self._add_tensor(f"{path}.{key}", item)
            elif isinstance(item, list | tuple | dict) and not key.startswith("_"):
                self._add(f"{path}.{key}", item, 1)


def attributes_of(value: Any) -> dict[str, Any]:
    """Those of a plain object; none of classes, modules and functions."""
    if type(value).__dictoffset__ == 0 or isinstance(value, type | ModuleType) or callable(value):
        return {}
    try:
        return vars(value)
    except TypeError:  # it has a dictionary and does not show it: a TypeVar from Python 3.12 on
        return {}


def _is_direct(value: Any, name: str) -> bool:
    """Whether a variable is a tensor or a model; `_` and `_3` are what IPython calls results."""
    return (isinstance(value, Tensor) or is_module(value)) and not name.startswith("_")


def is_module(value: Any) -> bool:
    """Whether it is an nn.Module."""
    nn = sys.modules.get("chainrule.nn")
    return nn is not None and isinstance(value, nn.Module)
