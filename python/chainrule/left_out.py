"""Functions of torch for tensors that chainrule has none of: they can be imported, and raise when they are called."""

from __future__ import annotations

from typing import Any

from .refusal import refused

_DENSE = "chainrule has dense tensors only"
_PLAIN = "chainrule has no quantisation; float16 and bfloat16 take half the memory"


def __getattr__(name: str) -> Any:
    if name.startswith("__"):
        raise AttributeError(f"module '{__name__}' has no attribute '{name}'")
    return refused(name, _DENSE if name.startswith("sparse") or name.endswith("mm") else _PLAIN)
