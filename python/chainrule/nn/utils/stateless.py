"""Calling a module with other parameters than its own."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from ..._core import Tensor
from ...error_words import at_call
from ...user_warning import warn_user
from ..modules.module import Module

__all__ = ["functional_call"]


def functional_call(
    module: Module,
    parameters_and_buffers: dict[str, Tensor],
    args: Any = None,
    kwargs: dict[str, Any] | None = None,
    *,
    tie_weights: bool = True,
    strict: bool = False,
) -> Any:
    """The old place of func.functional_call."""
    warn_user(
        "`torch.nn.utils.stateless.functional_call` is deprecated as of PyTorch 2.0 and will be removed in a future "
        "version of PyTorch. Please use `torch.func.functional_call` instead which is a drop-in replacement.",
        FutureWarning,
    )
    return call_with(module, parameters_and_buffers, args, kwargs, tie_weights=tie_weights, strict=strict)


def call_with(
    module: Module,
    parameters_and_buffers: dict[str, Tensor],
    args: Any = None,
    kwargs: dict[str, Any] | None = None,
    *,
    tie_weights: bool = True,
    strict: bool = False,
) -> Any:
    """module(*args, **kwargs) with the given tensors in the places of its parameters and buffers.

    Args:
        parameters_and_buffers: by dotted name; buffers that the call changes are changed in this dict.
        tie_weights: a tensor given for one name of a parameter takes all its names.
        strict: raise unless exactly the module's names are given.
    """
    positional = () if args is None else args if isinstance(args, tuple) else (args,)
    with replaced(module, parameters_and_buffers, tie_weights=tie_weights, strict=strict):
        return module(*positional, **(kwargs or {}))


@contextmanager
def replaced(
    module: Module, parameters_and_buffers: dict[str, Tensor], *, tie_weights: bool = True, strict: bool = False
) -> Iterator[None]:
    """Inside, the module's parameters, buffers and other tensors are the given ones.

    What the module has put in their places meanwhile is in the dict afterwards.
    """
    given = _for_all_names(module, parameters_and_buffers) if tie_weights else dict(parameters_and_buffers)
    if strict:
        _check_names(module, given)
    places = {name: _Place(module, name) for name in given}
    before: dict[str, Any] = {}
    try:
        for name, tensor in given.items():
            before[name] = places[name].swap(tensor)
        yield
    finally:
        after = {name: places[name].swap(tensor) for name, tensor in before.items()}
        parameters_and_buffers.update({name: after[name] for name in parameters_and_buffers if name in after})


_MISSING = object()


class _Place:
    """Where a dotted name leads: a module and an attribute of it, which need not be there."""

    def __init__(self, module: Any, name: str):
        path, _, self.name = name.rpartition(".")
        self.owner: Any = module
        for step in path.split(".") if path else ():
            if not hasattr(self.owner, step):
                raise AttributeError(f"{self.owner._get_name()} has no attribute `{step}`")
            self.owner = getattr(self.owner, step)
            if not isinstance(self.owner, Module):
                raise at_call(TypeError, f"submodule `{path}`: {self.owner} is not an instance of torch.nn.Module")
        if self.name == "":
            raise KeyError('tensor name can\'t be empty string ""')

    def swap(self, tensor: Any) -> Any:
        """Puts a tensor there, or takes away what is there; gives what was there before."""
        if not isinstance(tensor, Tensor) and tensor is not None and tensor is not _MISSING:
            raise at_call(TypeError, f"{tensor} is not an instance of torch.Tensor")
        for members in (self.owner._parameters, self.owner._buffers):
            if self.name in members:
                before = members.pop(self.name) if tensor is _MISSING else members[self.name]
                if tensor is not _MISSING:
                    members[self.name] = tensor
                return before
        return self._swap_attribute(tensor)

    def _swap_attribute(self, tensor: Any) -> Any:
        before = getattr(self.owner, self.name, _MISSING)
        if not isinstance(before, Tensor) and before is not None and before is not _MISSING:
            raise at_call(TypeError, f"attribute `{self.name}`: {before} is not an instance of torch.Tensor")
        if tensor is not _MISSING:
            setattr(self.owner, self.name, tensor)
        elif before is not _MISSING:
            delattr(self.owner, self.name)
        return before


def _named(module: Module) -> dict[str, Tensor]:
    return {
        **dict(module.named_parameters(remove_duplicate=False)),
        **dict(module.named_buffers(remove_duplicate=False)),
    }


def _for_all_names(module: Module, given: dict[str, Tensor]) -> dict[str, Tensor]:
    names: dict[Tensor, list[str]] = {}
    for name, tensor in _named(module).items():
        names.setdefault(tensor, []).append(name)
    result = dict(given)
    for tied in names.values():
        values = {id(given[name]): given[name] for name in tied if name in given}
        if len(values) > 1:
            raise at_call(
                ValueError,
                f"functional_call got multiple values for keys {sorted(tied)}, which are tied. "
                "Consider using tie_weights=False",
            )
        for value in values.values():
            result.update(dict.fromkeys(tied, value))
    return result


def _check_names(module: Module, given: dict[str, Tensor]) -> None:
    own = set(_named(module))
    unexpected, missing = sorted(set(given) - own), sorted(own - set(given))
    messages = []
    if unexpected:
        messages.append(f"Unexpected key(s): {', '.join(map(repr, unexpected))}.")
    if missing:
        messages.append(f"Missing key(s): {', '.join(map(repr, missing))}.")
    if messages:
        listed = "\n\t".join(messages)
        raise at_call(RuntimeError, f"Error(s) in reparametrizing for {module._get_name()}:\n\t{listed}")
