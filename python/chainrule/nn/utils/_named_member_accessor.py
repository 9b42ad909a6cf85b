"""torch.nn.utils._named_member_accessor: a tensor of a module is replaced, and the old one given back."""

from __future__ import annotations

from typing import Any

from ...error_words import at_call
from ..modules.module import Module

__all__: list[str] = []
_MISSING = object()


def swap_tensor(module: Module, name: str, tensor: Any, allow_missing: bool = False) -> Any:
    """Puts another tensor in the place of a parameter, buffer or attribute, and gives what was there."""
    if not isinstance(module, Module):
        raise at_call(TypeError, f"{module} is not an instance of torch.nn.Module")
    if "." in name:
        raise KeyError('tensor name can\'t contain "."')
    if name == "":
        raise KeyError('tensor name can\'t be empty string ""')
    for members in (module._parameters, module._buffers):
        if name in members:
            before = members[name]
            if tensor is _MISSING:
                del members[name]
            else:
                members[name] = tensor
            return before
    before = getattr(module, name, _MISSING)
    if before is _MISSING and not allow_missing:
        raise AttributeError(f"{module._get_name()} has no attribute `{name}`")
    if tensor is _MISSING:
        delattr(module, name)
    else:
        setattr(module, name, tensor)
    return before
