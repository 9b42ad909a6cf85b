"""What a misspelt name was meant to be."""

from __future__ import annotations

from collections.abc import Callable, Iterable


def nearest(name: str, known: Iterable[str]) -> str | None:
    """The public name that is most like this one; None if none is."""
    from difflib import get_close_matches

    found = get_close_matches(name, [other for other in known if other[:1] != "_"], 1, 0.75)
    return found[0] if found else None


class MissingName(AttributeError):  # noqa: N818  (it passes for an AttributeError)
    """An AttributeError that looks for the right name when it is printed, so that who only asks does not pay for it."""

    def __init__(self, words: str, name: str, known: Callable[[], Iterable[str]]):
        super().__init__(words, name=name)
        self._words, self._name, self._known = words, name, known

    def __str__(self) -> str:
        found = nearest(self._name, self._known())
        return f"{self._words}. Did you mean: '{found}'?" if found else self._words

    def __reduce__(self) -> tuple:
        return AttributeError, (str(self),)


# A traceback shows an AttributeError.
MissingName.__module__, MissingName.__name__, MissingName.__qualname__ = "builtins", "AttributeError", "AttributeError"
