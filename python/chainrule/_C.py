"""The few names of PyTorch's compiled part that other packages call in passing."""  # noqa: N999  (PyTorch's name)

from __future__ import annotations


def _log_api_usage_once(event: str) -> None:
    """Does nothing: chainrule reports nobody's use."""


def _get_tracing_state() -> None:
    """None: nothing is traced."""
    return
