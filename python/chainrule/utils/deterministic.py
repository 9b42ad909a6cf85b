"""torch.utils.deterministic: what new memory holds while deterministic algorithms are asked for."""

from __future__ import annotations

import sys
from types import ModuleType

from ..settings import get_fill_uninitialized_memory, set_fill_uninitialized_memory


class _Deterministic(ModuleType):
    @property
    def fill_uninitialized_memory(self) -> bool:
        """Whether empty() and its kin fill what they make."""
        return get_fill_uninitialized_memory()

    @fill_uninitialized_memory.setter
    def fill_uninitialized_memory(self, mode: bool) -> None:
        set_fill_uninitialized_memory(mode)


sys.modules[__name__].__class__ = _Deterministic
