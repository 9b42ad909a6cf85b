"""Operations written in Python over those of the core; their signatures stand in `table`.

As torch.ops it has PyTorch's operations under the names of its dispatcher: `aten`.
"""

from __future__ import annotations

from typing import Any, NoReturn


def __getattr__(name: str) -> Any:
    if name.startswith("__"):
        raise AttributeError(f"module 'chainrule.ops' has no attribute '{name}'")
    from .dispatcher_names import Namespace

    found = globals()[name] = Namespace(name)
    return found


def load_library(path: str) -> NoReturn:
    """Raises: compiled operations are written for PyTorch's own core."""
    raise OSError(f"torch.ops.load_library: chainrule cannot load operations compiled for PyTorch ({path})")
