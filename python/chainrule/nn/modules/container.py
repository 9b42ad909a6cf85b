"""Modules that hold other modules, or parameters, as lists and dicts do."""

from __future__ import annotations

import operator
from collections import OrderedDict
from collections.abc import Iterable, Iterator, Mapping
from itertools import chain
from typing import Any, Self, overload

from ...error_words import at_call
from ...lazy import elsewhere
from .module import Module, block, indented

__all__ = ["Container", "ModuleDict", "ModuleList", "Sequential"]

__getattr__ = elsewhere(__name__, "parameter_container")


class Container(Module):
    """Modules by name. Deprecated.

    >>> torch.nn.Container(first=torch.nn.ReLU()).first
    ReLU()
    """

    def __init__(self, **kwargs: Any) -> None:
        super().__init__()
        for name, module in kwargs.items():
            self.add_module(name, module)


class _Numbered(Module):
    """What Sequential and ModuleList share: modules whose names count from 0."""

    def _name_at(self, index: Any) -> str:
        index, size = operator.index(index), len(self)
        if not -size <= index < size:
            raise at_call(IndexError, f"index {index} is out of range")
        return list(self._modules)[index]

    def __setitem__(self, idx: int, module: Module) -> None:
        setattr(self, self._name_at(idx), module)

    def __delitem__(self, idx: int | slice) -> None:
        for name in list(self._modules)[idx] if isinstance(idx, slice) else [self._name_at(idx)]:
            delattr(self, name)
        names = {str(i): module for i, module in enumerate(self._modules.values())}
        self._set_members("_modules", names)

    def __len__(self) -> int:
        return len(self._modules)

    def __iter__(self) -> Iterator[Module]:
        return iter(self._modules.values())

    def append(self, module: Module) -> Self:
        """Adds a module at the end."""
        self.add_module(str(len(self)), module)
        return self

    def pop(self, key: int | slice) -> Any:
        """Takes a module out."""
        module = self[key]  # type: ignore[index]
        del self[key]
        return module

    def _insert(self, index: int, module: Module) -> None:
        modules = list(self._modules.values())
        modules.insert(index, module)
        for i, m in enumerate(modules):
            self._modules[str(i)] = m


class Sequential(_Numbered):
    """Modules one after the other: each gets what the one before gave.

    >>> torch.nn.Sequential(torch.nn.Linear(2, 3), torch.nn.ReLU())
    Sequential(
      (0): Linear(in_features=2, out_features=3, bias=True)
      (1): ReLU()
    )
    """

    @overload
    def __init__(self, *args: Module) -> None: ...
    @overload
    def __init__(self, arg: OrderedDict[str, Module], /) -> None: ...
    def __init__(self, *args: Any) -> None:
        super().__init__()
        if len(args) == 1 and isinstance(args[0], OrderedDict):
            named: Iterable = args[0].items()
        else:
            named = ((str(i), module) for i, module in enumerate(args))
        for name, module in named:
            self.add_module(name, module)

    def forward(self, input: Any) -> Any:
        """What the last module gives."""
        for module in self._modules.values():
            input = module(input)
        return input

    @overload
    def __getitem__(self, idx: int) -> Module: ...
    @overload
    def __getitem__(self, idx: slice) -> Sequential: ...
    def __getitem__(self, idx: int | slice) -> Any:
        if isinstance(idx, slice):
            return type(self)(OrderedDict(list(self._modules.items())[idx]))
        return self._modules[self._name_at(idx)]

    def __add__(self, other: Sequential) -> Sequential:
        return Sequential(*self, *_sequential(other))

    def __iadd__(self, other: Sequential) -> Self:
        return self.extend(list(_sequential(other)))

    def __mul__(self, other: int) -> Sequential:
        return Sequential(*(module for _ in range(self._times(other)) for module in self))

    def __rmul__(self, other: int) -> Sequential:
        return self * other

    def __imul__(self, other: int) -> Self:
        return self.extend(list(self) * (self._times(other) - 1))

    def _times(self, other: Any) -> int:
        if not isinstance(other, int):
            raise at_call(TypeError, f"unsupported operand type(s) for *: {type(self)} and {type(other)}")
        if other <= 0:
            raise at_call(ValueError, f"Non-positive multiplication factor {other} for {type(self)}")
        return other

    def insert(self, index: int, module: Module) -> Self:
        """Puts a module before the one at `index`."""
        if not isinstance(module, Module):
            raise at_call(AssertionError, f"module should be of type: {Module}")
        if not -len(self) <= index <= len(self):
            raise at_call(IndexError, f"Index out of range: {index}")
        self._insert(index, module)
        return self

    def extend(self, sequential: Iterable[Module]) -> Self:
        """Adds several modules at the end."""
        for module in sequential:
            self.append(module)
        return self


def _sequential(other: Any) -> Sequential:
    if not isinstance(other, Sequential):
        raise at_call(
            ValueError, f"add operator supports only objects of Sequential class, but {type(other)!s} is given."
        )
    return other


class ModuleList(_Numbered):
    """A list of modules.

    >>> layers = torch.nn.ModuleList([torch.nn.Linear(2, 3), torch.nn.ReLU()])
    >>> len(layers)
    2
    """

    def __init__(self, modules: Iterable[Module] | None = None) -> None:
        super().__init__()
        if modules is not None:
            self.extend(modules)

    @overload
    def __getitem__(self, idx: int) -> Module: ...
    @overload
    def __getitem__(self, idx: slice) -> ModuleList: ...
    def __getitem__(self, idx: int | slice) -> Any:
        if isinstance(idx, slice):
            return type(self)(list(self._modules.values())[idx])
        return self._modules[self._name_at(idx)]

    def __iadd__(self, modules: Iterable[Module]) -> Self:
        return self.extend(modules)

    def __add__(self, other: Iterable[Module]) -> ModuleList:
        return ModuleList(chain(self, other))

    def insert(self, index: int, module: Module) -> None:
        """Puts a module before the one at `index`."""
        self._insert(index, module)

    def extend(self, modules: Iterable[Module]) -> Self:
        """Adds several modules at the end."""
        if not isinstance(modules, Iterable):
            raise at_call(
                TypeError, f"ModuleList.extend should be called with an iterable, but got {type(modules).__name__}"
            )
        offset = len(self)
        for i, module in enumerate(modules):
            self.add_module(str(offset + i), module)
        return self

    def __repr__(self) -> str:
        runs: list[list] = []  # equal neighbours are printed once: [first, last, text]
        for i, text in enumerate(map(repr, self)):
            if runs and runs[-1][2] == text:
                runs[-1][1] = i
            else:
                runs.append([i, i, text])
        lines = [f"({a}): {t}" if a == b else f"({a}-{b}): {b - a + 1} x {t}" for a, b, t in runs]
        return block(self._get_name(), [indented(line) for line in lines])


class ModuleDict(Module):
    """A dict of modules, in the order of their coming.

    >>> layers = torch.nn.ModuleDict({"first": torch.nn.Linear(2, 3)})
    >>> layers["first"]
    Linear(in_features=2, out_features=3, bias=True)
    """

    def __init__(self, modules: Mapping[str, Module] | Iterable | None = None) -> None:
        super().__init__()
        if modules is not None:
            self.update(modules)

    def __getitem__(self, key: str) -> Module:
        return self._modules[key]

    def __setitem__(self, key: str, module: Module) -> None:
        self.add_module(key, module)

    def __delitem__(self, key: str) -> None:
        del self._modules[key]

    def __len__(self) -> int:
        return len(self._modules)

    def __iter__(self) -> Iterator[str]:
        return iter(self._modules)

    def __contains__(self, key: Any) -> bool:
        return key in self._modules

    def clear(self) -> None:
        """Takes all modules out."""
        self._modules.clear()

    def pop(self, key: str) -> Module:
        """Takes a module out."""
        return self._modules.pop(key)

    def keys(self) -> Any:
        """The names."""
        return self._modules.keys()

    def items(self) -> Any:
        """The names with their modules."""
        return self._modules.items()

    def values(self) -> Any:
        """The modules."""
        return self._modules.values()

    def update(self, modules: Any) -> None:
        """Adds modules from another dict, or from pairs of name and module."""
        ordered = isinstance(modules, (OrderedDict, ModuleDict, Mapping))
        for name, module in modules.items() if ordered else _pairs(modules, "ModuleDict", "ModuleDict"):
            self[name] = module


def _pairs(values: Any, update: str, element: str) -> Iterator[tuple[str, Any]]:
    if not isinstance(values, Iterable):
        raise at_call(
            TypeError,
            f"{update}.update should be called with an iterable of key/value pairs, but got {type(values).__name__}",
        )
    for i, pair in enumerate(values):
        if not isinstance(pair, Iterable):
            raise at_call(
                TypeError, f"{element} update sequence element #{i} should be Iterable; is{type(pair).__name__}"
            )
        pair = tuple(pair)
        if len(pair) != 2:
            raise at_call(ValueError, f"{element} update sequence element #{i} has length {len(pair)}; 2 is required")
        yield pair
