"""skip_init: a module without the work of drawing its parameters."""

from __future__ import annotations

import inspect
from typing import Any, TypeVar

from ...error_words import at_call
from ..modules.module import Module

__all__ = ["skip_init"]

T = TypeVar("T", bound=Module)


def skip_init(module_cls: type[T], *args: Any, **kwargs: Any) -> T:
    """An instance whose parameters are not initialised; nothing is drawn for them.

    >>> torch.nn.utils.skip_init(torch.nn.Linear, 2, 3)
    Linear(in_features=2, out_features=3, bias=True)
    """
    if not issubclass(module_cls, Module):
        raise at_call(RuntimeError, f"Expected a Module; got {module_cls}")
    if "device" not in inspect.signature(module_cls).parameters:
        raise at_call(RuntimeError, "Module must support a 'device' arg to skip initialization")
    device = kwargs.pop("device", "cpu")
    return module_cls(*args, device="meta", **kwargs).to_empty(device=device)
