"""Arguments as text: a call that ends the interpreter can be written down, and run again by itself.

An argument is a leaf, which is the text of an expression, or a list or tuple of arguments. Text is compiled once for
each expression and evaluated anew for each call, so that no call sees what another has written.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from . import hostile

Argument = Any  # str, list[Argument] or tuple[Argument, ...]


@lru_cache(maxsize=1 << 15)
def compiled(text: str) -> Callable[[Any, Any], Any]:
    """The expression as a function of the library and of the call's variables."""
    return eval(f"lambda torch, v: {text}", hostile.__dict__)


def text_of(argument: Argument) -> str:
    if isinstance(argument, str):
        return argument
    inside = ", ".join(map(text_of, argument))
    if isinstance(argument, list):
        return f"[{inside}]"
    return f"({inside},)" if len(argument) == 1 else f"({inside})"


def made(argument: Argument, library: Any, variables: Any) -> Any:
    if isinstance(argument, str):
        return compiled(argument)(library, variables)
    return type(argument)([made(item, library, variables) for item in argument])


@dataclass
class Call:
    """A call with the variables that it begins with, and what is done with its result."""

    target: str
    args: list[Argument]
    kwargs: dict[str, Argument]
    variables: dict[str, str]
    use: str  # the name of a function of uses.py

    @property
    def source(self) -> str:
        """The program, but for its imports."""
        given = [*map(text_of, self.args), *(f"{k}={text_of(a)}" for k, a in self.kwargs.items())]
        lines = [f"    {name!r}: {text!r}," for name, text in self.variables.items()]
        return "\n".join(
            [
                "v = Variables(torch, {",
                *lines,
                "})",
                f"uses.{self.use}(torch, lambda: {self.target}({', '.join(given)}), v)",
            ]
        )


class Variables:
    """The variables of one call, v.a and v.b: made when they are first asked for."""

    def __init__(self, library: Any, texts: dict[str, str]):
        self.__dict__.update(_library=library, _texts=texts)

    def __getattr__(self, name: str) -> Any:
        if name not in self._texts:
            raise AttributeError(name)
        value = self.__dict__[name] = compiled(self._texts[name])(self._library, self)
        return value
