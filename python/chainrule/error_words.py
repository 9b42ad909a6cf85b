"""What Python adds to an error of the core: which variable it was, and the smallest change that mends it."""

from __future__ import annotations

import functools
import os
import re
import sys
from _thread import get_ident
from collections.abc import Callable
from types import FrameType, TracebackType
from typing import Any, TypeVar, cast

from . import _core

"""The core knows shapes and lines, but not what the user calls his tensors. So before it raises, it shows its text
here. First words stay as they are; lines below them are replaced by ones that name things. Nothing here may raise, or
take long for an error that it does not know: some programs try things and catch.
"""

_KNOWN = {  # what a text contains, and the function of explain/culprit.py that retells it
    "has been modified by an inplace operation": "overwritten",
    "Trying to backward through the graph a second time": "second_pass",
    "does not require grad and does not have a grad_fn": "without_graph",
    "returned an invalid gradient at index": "invalid_gradient",
    "returned an incorrect number of gradients": "invalid_gradient",
    "returned a gradient different than None": "invalid_gradient",
    "expected Variable or None": "invalid_gradient",
    "has changed the size of value": "hook",
    "has changed the type of value": "hook",
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
F = TypeVar("F", bound=Callable[..., Any])
_OWN = os.path.dirname(__file__) + os.sep
_PYTHONS = os.path.dirname(os.__file__) + os.sep
_answering: set[int] = set()  # threads: an error inside of an answer is not asked about


def retold(text: str, about: Any = None, trace: TracebackType | None = None) -> str:
    """The text of an error with names in it.

    Args:
        about: the node that it is about, if it is about one.
        trace: of an error that was caught, its traceback.
    """
    teller = next((teller for words, teller in _KNOWN.items() if words in text), None)
    if get_ident() in _answering:
        return text
    text = text if teller is None else _told(teller, text, about, trace)
    try:
        return in_cells(without_old_text(text))
    except Exception:  # the error itself matters more
        return text


def in_cells(text: str) -> str:
    """In a notebook: with lines called as it calls them."""
    if "IPython" not in sys.modules:
        return text
    from .explain.cells import renamed

    return renamed(text)


def without_old_text(text: str) -> str:
    """Without the text of the line that raised, if its file was changed since it was imported."""
    frame = _users_frame()
    if frame is None or not _is_newer(frame.f_code.co_filename):
        return text
    from .explain.source import CHANGED, is_current

    head, at, line = text.rpartition("\n  at ")
    place = re.match(r".*?:\d+(, in [^:]+)?", line)
    return f"{head}{at}{place[0]}{CHANGED}" if at and place and not is_current(frame.f_code) else text


def _users_frame() -> FrameType | None:
    frame = sys._getframe(1)
    while frame is not None and frame.f_code.co_filename.startswith(_OWN):
        frame = frame.f_back
    return frame


def _is_newer(file: str) -> bool:
    try:
        return os.stat(file).st_mtime > vars(sys.modules["chainrule"])["_imported_at"]
    except (OSError, ValueError):
        return False


def _told(teller: str, text: str, about: Any, trace: TracebackType | None) -> str:
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
    frame = _users_frame()
    if frame is None or not frame.f_code.co_filename.startswith(_PYTHONS):
        return kind(_core.with_line(text))
    while frame.f_back is not None and frame.f_code.co_filename.startswith((_OWN, _PYTHONS)):
        frame = frame.f_back
    from .explain.source import line_at  # copy.deepcopy() and its like called it: the line is that of their caller

    return kind(in_cells(f"{text}\n  at {line_at((frame.f_code, frame.f_lasti))}"))


def telling_the_line(function: F) -> F:
    """For a function whose errors are raised deep inside of it: they get the line of its caller."""

    @functools.wraps(function)
    def told(*args: Any, **kwargs: Any) -> Any:
        try:
            return function(*args, **kwargs)
        except Exception as error:
            text = error.args[0] if len(error.args) == 1 and not isinstance(error, KeyError) else None
            if isinstance(text, str) and "\n  at " not in text:
                error.args = (_core.with_line(text),)
            raise

    return cast(F, told)


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
        before, error.args = error.args, (in_module(error, module, args, kwargs),)
    except Exception:  # the error itself matters more
        return
    finally:
        _answering.discard(get_ident())
    if error.args != before and "\n  at " not in error.args[0]:
        error.args = (_core.with_line(error.args[0]),)
