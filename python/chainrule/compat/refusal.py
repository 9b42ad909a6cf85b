"""Functions that exist so that they can be imported, and raise when they are called."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable
from types import ModuleType
from typing import Any, NoReturn

from ..error_words import at_call

# Why, where several modules say it.
ON_THE_CPU = "chainrule runs on the CPU"
DENSE = "chainrule has dense tensors only"
UNQUANTISED = "chainrule has no quantisation; float16 and bfloat16 take half the memory"


def refused(name: str, reason: str, error: type[Exception] = RuntimeError) -> Callable[..., NoReturn]:
    """A function that raises, saying why; `chainrule check` reports it beforehand.

    Args:
        name: in PyTorch.
        reason: a sentence without its end.
        error: the class of what is raised.
    """

    def function(*args: Any, **kwargs: Any) -> NoReturn:
        raise at_call(error, f"torch.{name}: {reason}")

    function.__name__ = function.__qualname__ = name.rpartition(".")[2]
    function.__doc__ = f"Raises: {reason}."
    setattr(function, "refusal", reason)  # noqa: B010  (functions have no such attribute, as far as types know)
    return function


class _Refused(type):
    """The class of classes that are left out: their public members are there, too, and raise when they are called."""

    def __getattr__(cls, name: str) -> Any:
        if name.startswith("_") or "refusal" not in vars(cls):  # a program's own class below it
            raise AttributeError(f"type object '{cls.__name__}' has no attribute '{name}'")
        return refused(f"{vars(cls)['_full_name']}.{name}", vars(cls)["refusal"])


def refused_class(
    name: str, reason: str, error: type[Exception] = RuntimeError, base: type = object, words: str = ""
) -> type:
    """A class that can be named in isinstance() and except clauses and derived from, but not instantiated.

    Args:
        words: what PyTorch says, where that is not the name and the reason.
    """

    def __init__(self: Any, *args: Any, **kwargs: Any) -> None:  # noqa: N807
        raise at_call(error, words or f"torch.{name}: {reason}")

    members = {"__init__": __init__, "__doc__": f"Raises: {reason}.", "refusal": reason, "_full_name": name}
    return (_Refused if base is object else type)(name.rpartition(".")[2], (base,), members)


def refuses_all(module: str, reason: str, there: Callable[[str], Any] | None = None) -> Callable[[str], Any]:
    """`__getattr__` of a module that chainrule leaves out as a whole: each name is there and raises at its use.

    Args:
        there: gives the few names that do something, and None for the others.
    """

    def getattribute(name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(f"module '{module}' has no attribute '{name}'")
        found = there(name) if there is not None else None
        if found is not None:
            return found
        make = refused_class if name.lstrip("_")[:1].isupper() else refused
        return make(f"{module}.{name}", reason)

    return getattribute


def leave_out(package: str, submodules: Iterable[str], reason: str, there: Callable[[str], Any] | None = None) -> None:
    """Submodules that chainrule leaves out as a whole become importable: each of their names raises at its use.

    Args:
        package: the module that they belong to, as Python knows it.
        submodules: their names below it, parents first: "tensor", "tensor.parallel".
        there: gives the few names that do something, and None for the others.
    """
    for name in submodules:
        known_as = f"{package}.{name}".partition(".")[2]
        module = ModuleType(f"{package}.{name}", f"torch.{known_as}: {reason}.")
        module.__file__, module.__path__ = sys.modules[package].__file__, []
        setattr(module, "__getattr__", refuses_all(known_as, reason, there))  # noqa: B010
        parent, _, last = module.__name__.rpartition(".")
        sys.modules[module.__name__] = module
        setattr(sys.modules[parent], last, module)
