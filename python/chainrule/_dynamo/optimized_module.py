"""OptimizedModule: what torch.compile makes of a module. It runs the module; nothing is compiled."""

from __future__ import annotations

from typing import Any

from ..nn.modules.module import Module

__all__ = ["OptimizedModule"]


class OptimizedModule(Module):
    """A module around another, `_orig_mod`; its parameters, state dict and attributes are those of the other.

    >>> model = torch.compile(torch.nn.Linear(2, 1))
    >>> list(model.state_dict())
    ['_orig_mod.weight', '_orig_mod.bias']
    >>> model._orig_mod
    Linear(in_features=2, out_features=1, bias=True)
    """

    def __init__(self, mod: Module, dynamo_ctx: Any = None) -> None:
        super().__init__()
        self._orig_mod = mod
        self.dynamo_ctx = dynamo_ctx
        self.training = mod.training

    def forward(self, *args: Any, **kwargs: Any) -> Any:
        """What the module gives."""
        return self._orig_mod(*args, **kwargs)

    def __getattr__(self, name: str) -> Any:
        if name == "_orig_mod":
            return self._modules["_orig_mod"]
        return getattr(self._orig_mod, name)

    def __setattr__(self, name: str, val: Any) -> None:
        wraps = "_orig_mod" in self.__dict__.get("_modules", ())
        if not wraps or name in ("_orig_mod", "dynamo_ctx", "training", "__class__"):
            super().__setattr__(name, val)
        if wraps and name not in ("_orig_mod", "dynamo_ctx", "__class__"):
            setattr(self._orig_mod, name, val)

    def __delattr__(self, name: str) -> None:
        delattr(self._orig_mod, name)

    def __dir__(self) -> list[str]:
        return sorted({*dir(self._orig_mod), *super().__dir__()})

    def __len__(self) -> int:
        if not hasattr(type(self._orig_mod), "__len__"):
            raise TypeError(f"{type(self._orig_mod).__name__} does not support len()")
        return len(self._orig_mod)  # type: ignore[arg-type]

    def __reduce__(self) -> tuple:
        return type(self), (self._orig_mod, self.dynamo_ctx)
