"""torch._guards: what a compiler knows while it traces a program. chainrule traces none, and says so."""

from __future__ import annotations

from typing import Any

from .compat.refusal import refused

tracing = refused("_guards.tracing", "chainrule does not compile, and traces no programs for a compiler")


class TracingContext:
    """What is traced at the moment: nothing."""

    @staticmethod
    def try_get() -> None:
        """None."""
        return


def active_fake_mode() -> None:
    """None: no program is traced with tensors that only have shapes."""
    return


def detect_fake_mode(inputs: Any = None) -> None:
    """None."""
    return
