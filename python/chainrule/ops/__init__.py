"""Operations written in Python over those of the core; their signatures stand in `table`.

As torch.ops it has PyTorch's operations under the names of its dispatcher: `aten`.
"""

from __future__ import annotations

import os
from typing import Any


def __getattr__(name: str) -> Any:
    if name.startswith("__"):
        raise AttributeError(f"module 'chainrule.ops' has no attribute '{name}'")
    from .dispatcher_names import Namespace

    return globals().setdefault(name, Namespace(name))


def load_library(path: str | os.PathLike) -> None:
    """Notes a library that was compiled for PyTorch: its operations can be named, and raise when they are called."""
    from .dispatcher_names import compiled_libraries

    if not os.path.exists(path):
        raise OSError(f"{path}: cannot open shared object file: No such file or directory")
    compiled_libraries.append(os.fspath(path))
