"""What Python adds to an error of the core: which variable it was, and the smallest change that mends it."""

from __future__ import annotations

from _thread import get_ident
from types import TracebackType
from typing import Any

from . import _core

"""Note [Error words]
The core knows shapes and lines, but not what the user calls his tensors. So before it raises, it shows its text here.
First words stay as they are; lines below them are replaced by ones that name things. Nothing here may raise, or take
long for an error that it does not know: some programs try things and catch.
"""

_KNOWN = {  # what a text contains, and the function of explain/culprit.py that retells it
    "has been modified by an inplace operation": "overwritten",
    "Trying to backward through the graph a second time": "second_pass",
    "does not require grad and does not have a grad_fn": "without_graph",
    "grad can be implicitly created only for scalar outputs": "not_scalar",
    "leaf Variable that requires grad is being used in an in-place operation": "leaf_written",
    "must match": "misfit",
    "to match": "misfit",
    "shapes cannot be multiplied": "misfit",
    "do not broadcast": "misfit",
    "is invalid for input of size": "misfit",
    "to be equal size": "misfit",
    "expected each tensor": "misfit",
    "to have the same dtype": "misfit",
    "size mismatch": "misfit",
    "Expected size": "misfit",
    "dimension mismatch": "misfit",
    "inconsistent tensor size": "misfit",
    "but got": "misfit",
}
_answering: set[int] = set()  # threads: an error inside of an answer is not asked about


def retold(text: str, about: Any = None, trace: TracebackType | None = None) -> str:
    """The text of an error with names in it.

    Args:
        about: the node that it is about, if it is about one.
        trace: of an error that was caught, its traceback.
    """
    teller = next((teller for words, teller in _KNOWN.items() if words in text), None)
    if teller is None or get_ident() in _answering:
        return text
    _answering.add(get_ident())
    try:
        from .explain import culprit

        return culprit.tell(teller, text, about, trace)
    except Exception:  # the error itself matters more
        return text
    finally:
        _answering.discard(get_ident())


def retell(error: Exception) -> None:
    """Puts the names into an error that is about to leave a function of chainrule's."""
    if len(error.args) == 1 and isinstance(error.args[0], str):
        error.args = (retold(error.args[0]),)


def at_call(kind: type[Exception], text: str) -> Exception:
    """What a function written in Python raises: with the user's line, as the core's errors have it."""
    return kind(_core.with_line(text))


def name_module(error: Exception, module: Any, args: tuple, kwargs: dict[str, Any]) -> None:
    """Puts the module into an error that leaves its call: its path, what it was given, what would fit."""
    if getattr(error, "_module_named", False) or get_ident() in _answering:
        return
    if type(error) not in (RuntimeError, ValueError, IndexError, TypeError) or len(error.args) != 1:
        return
    _answering.add(get_ident())
    try:
        from .explain.misfit import in_module

        error.__dict__["_module_named"] = True  # the modules around it leave it as it is
        error.args = (in_module(error, module, args, kwargs),)
    except Exception:  # the error itself matters more
        return
    finally:
        _answering.discard(get_ident())
