"""The modules that are running, and the batch that the outermost of them was given."""

from __future__ import annotations

from typing import Any

__all__ = ["ModuleCalls"]


class ModuleCalls:
    """Follows the calls of modules between start() and stop()."""

    def __init__(self) -> None:
        self.running: list[Any] = []  # the outermost first
        self.batch: tuple = ()  # arguments of the last outermost call
        self._handles: list[Any] = []

    def start(self) -> None:
        from ..nn.modules.module import register_module_forward_hook, register_module_forward_pre_hook

        self._handles = [
            register_module_forward_pre_hook(self._enter),
            register_module_forward_hook(self._leave, always_call=True),
        ]

    def stop(self) -> None:
        for handle in self._handles:
            handle.remove()
        self.running.clear()
        self._handles, self.batch = [], ()

    def _enter(self, module: Any, args: tuple) -> None:
        if not self.running:
            self.batch = args
        self.running.append(module)

    def _leave(self, module: Any, args: tuple, result: Any) -> None:
        if self.running:
            self.running.pop()
