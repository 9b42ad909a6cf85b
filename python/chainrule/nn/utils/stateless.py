"""Calling a module with other parameters than its own."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from ..._core import Tensor
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
    warnings.warn(
        "`torch.nn.utils.stateless.functional_call` is deprecated as of PyTorch 2.0 and will be removed in a future "
        "version of PyTorch. Please use `torch.func.functional_call` instead which is a drop-in replacement.",
        FutureWarning,
        stacklevel=2,
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
    """Inside, the module's parameters and buffers are the given tensors."""
    given = _for_all_names(module, parameters_and_buffers) if tie_weights else dict(parameters_and_buffers)
    if strict:
        _check_names(module, given)
    places = {name: _place(module, name) for name in given}
    before = {name: members[last] for name, (members, last) in places.items()}
    try:
        for name, (members, last) in places.items():
            members[last] = given[name]
        yield
    finally:
        for name, (members, last) in places.items():
            if name in parameters_and_buffers:
                parameters_and_buffers[name] = members[last]  # the call may have put another buffer there
            members[last] = before[name]


def _place(module: Module, name: str) -> tuple[dict, str]:
    """The dict of parameters or buffers that holds a dotted name, and its last part."""
    path, _, last = name.rpartition(".")
    owner = module.get_submodule(path)
    for members in (owner._parameters, owner._buffers):
        if last in members:
            return members, last
    raise AttributeError(f"{owner._get_name()} has no attribute `{last}`")


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
            raise ValueError(
                f"functional_call got multiple values for keys {sorted(tied)}, which are tied. "
                "Consider using tie_weights=False"
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
        raise RuntimeError(f"Error(s) in reparametrizing for {module._get_name()}:\n\t{listed}")
