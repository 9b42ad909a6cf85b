"""One call in this process: made, run, and what it changed for all set back."""

from __future__ import annotations

import contextlib
import io
import warnings
from typing import Any

from . import uses
from .arguments import Call, Variables, compiled, made


def run(call: Call, library: Any) -> Any:
    """What its use gives; exceptions come through."""
    v = Variables(library, call.variables)
    function = compiled(call.target)(library, v)

    def calling() -> Any:
        args = [made(a, library, v) for a in call.args]
        return function(*args, **{name: made(a, library, v) for name, a in call.kwargs.items()})

    return getattr(uses, call.use)(library, calling, v)


def outcome(call: Call, library: Any) -> str:
    """ "ok", or the class of the exception. Those that are no Exception, as a memory's end is, count like others."""
    with warnings.catch_warnings(), contextlib.redirect_stdout(io.StringIO()):
        warnings.simplefilter("ignore")
        try:
            run(call, library)
        except Exception as error:  # any of them is an answer
            return type(error).__name__
        finally:
            restore(library)
    return "ok"


def restore(library: Any) -> None:
    """Settings that functions change for the whole process."""
    if library.is_inference_mode_enabled() or not library.is_grad_enabled():
        library.set_grad_enabled(True)
    if library.get_default_dtype() is not library.float32:
        library.set_default_dtype(library.float32)
    if library.get_default_device() != library.device("cpu"):
        library.set_default_device(None)
    if library.are_deterministic_algorithms_enabled():
        library.use_deterministic_algorithms(False)
    if library.is_anomaly_enabled():
        library.set_anomaly_enabled(False)
    if library.is_autocast_enabled("cpu"):
        library.set_autocast_enabled("cpu", False)
