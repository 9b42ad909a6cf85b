"""Which functions classes can take over by __torch_function__, and what they are called."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from functools import cache
from typing import Any

from . import _core
from ._core import Tensor

# What makes tensors from no tensor has no class to ask.
_MAKERS = (
    *("arange", "as_tensor", "asarray", "empty", "empty_permuted", "empty_strided", "eye", "from_file", "frombuffer"),
    *("full", "linspace", "logspace", "ones", "rand", "randint", "randn", "randperm", "range", "scalar_tensor"),
    *("tensor", "tril_indices", "triu_indices", "zeros", "complex"),
)
_PLACES = ("chainrule", "chainrule.nn.functional", "chainrule.linalg", "chainrule.fft", "chainrule.special")


@cache
def _named() -> dict[Any, str]:
    """Every function that can be taken over, with its name from torch on."""
    names: dict[Any, str] = {}
    for place in _PLACES:
        module = importlib.import_module(place)
        for name in _core.functions if place == "chainrule" else module.__all__:
            value = getattr(module, name, None)
            if callable(value) and not isinstance(value, type) and name not in _MAKERS:
                names.setdefault(value, f"{place.replace('chainrule', 'torch', 1)}.{name}")
    for name in dir(Tensor):
        value = getattr(Tensor, name)
        if hasattr(value, "__set__") or type(value).__name__ == "getset_descriptor":
            names.setdefault(value.__get__, f"torch.Tensor.{name}.__get__")
        elif callable(value) and not isinstance(value, type) and getattr(object, name, None) is not value:
            names.setdefault(value, f"torch.Tensor.{name}")
    return names


def get_overridable_functions() -> dict[Any, list[Callable]]:
    """Functions that a class's __torch_function__ is asked about, by the module or class that they belong to.

    >>> torch.Tensor.add in torch.overrides.get_overridable_functions()[torch.Tensor]
    True
    """
    places = {place.replace("chainrule", "torch", 1): importlib.import_module(place) for place in _PLACES}
    found: dict[Any, list[Callable]] = {owner: [] for owner in (*places.values(), Tensor)}
    for function, name in _named().items():
        owner = Tensor if name.startswith("torch.Tensor.") else places[name.rpartition(".")[0]]
        found[owner].append(function)
    return found


def get_ignored_functions() -> set[Callable]:
    """Functions that no class is asked about, because no tensor is among their arguments.

    >>> torch.ones in torch.overrides.get_ignored_functions()
    True
    """
    module = importlib.import_module("chainrule")
    return {getattr(module, name) for name in _MAKERS if hasattr(module, name)}


def get_testing_overrides() -> dict[Callable, Callable]:
    """For each function that can be taken over one that takes any arguments and gives -1.

    >>> torch.overrides.get_testing_overrides()[torch.add](1, 2)
    -1
    """
    return {function: lambda *args, **kwargs: -1 for function in _named()}


def resolve_name(f: Any) -> str | None:
    """What a function that can be taken over is called, from torch on.

    >>> torch.overrides.resolve_name(torch.Tensor.add)
    'torch.Tensor.add'
    """
    return _named().get(f)
