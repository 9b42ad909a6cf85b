"""Parameters that a model does not know of: in plain lists and dicts, or plain tensors."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .._core import Tensor
from .assigned import attribute_of
from .causes import Cause
from .names import Names

__all__ = ["unregistered"]


def unregistered(model: Any, names: Names) -> list[Cause]:
    """Tensors with gradients, and modules, that stand in plain lists and dicts, where the model does not see them."""
    known = {id(p) for p in model.parameters()}
    found = []
    prefix = names.of_modules.get(id(model), type(model).__name__)
    for path, module in model.named_modules(prefix=prefix):
        for key, value in list(vars(module).items()):
            if key.startswith("_") or not isinstance(value, list | tuple | dict | Tensor):
                continue
            items = value.values() if isinstance(value, dict) else [value] if isinstance(value, Tensor) else value
            hidden = [p for item in items for p in _parameters(item) if id(p) not in known]
            if hidden:
                text = _whereabouts(value, len(hidden))
                found.append(Cause("not registered", f"{path}.{key}", text, attribute_of(module, key)))
    return found


def _whereabouts(value: Any, count: int) -> str:
    if isinstance(value, Tensor):
        return "it requires a gradient but is a plain tensor, which model.parameters() does not find"
    parameters = "1 parameter is" if count == 1 else f"{count} parameters are"
    return f"{parameters} in a plain {type(value).__name__}, where model.parameters() does not find them"


def _parameters(item: Any) -> list[Tensor]:
    if isinstance(item, Tensor):
        return [item] if item.requires_grad and item.is_leaf else []
    found: Callable[[], Any] | None = getattr(item, "parameters", None)
    return list(found()) if found is not None else []
