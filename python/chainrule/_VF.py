"""torch._VF: recurrent networks as functions."""  # noqa: N999  (PyTorch's name)

from __future__ import annotations

from typing import Any

from . import _core


def __getattr__(name: str) -> Any:
    if name in _core.functions:
        return _core.functions[name]
    raise AttributeError(f"module '{__name__}' has no attribute '{name}'")
