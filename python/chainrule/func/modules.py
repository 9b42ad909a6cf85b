"""Modules as functions of their parameters."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence
from typing import Any

from .. import _core
from .._core import Tensor

__all__ = ["functional_call", "replace_all_batch_norm_modules_", "stack_module_state"]


def functional_call(
    module: Any,
    parameter_and_buffer_dicts: dict[str, Tensor] | Sequence[dict[str, Tensor]],
    args: Any = None,
    kwargs: dict[str, Any] | None = None,
    *,
    tie_weights: bool = True,
    strict: bool = False,
) -> Any:
    """Calls the module with these tensors in place of its own parameters and buffers.

    Args:
        module: the module, which is as before afterwards.
        parameter_and_buffer_dicts: tensors by name ("layer.weight"), or several such dicts.
        args: its arguments, a tuple or a single one.
        kwargs: its keyword arguments.
        tie_weights: whether a tensor that stands for a shared parameter stands for it under all its names.
        strict: whether every parameter and buffer must be given, and nothing else.

    >>> layer = torch.nn.Linear(2, 1, bias=False)
    >>> torch.func.functional_call(layer, {"weight": torch.ones(1, 2)}, torch.tensor([1., 2.]))
    tensor([3.])
    """
    if isinstance(parameter_and_buffer_dicts, dict):
        given = dict(parameter_and_buffer_dicts)
    elif isinstance(parameter_and_buffer_dicts, Sequence):
        if not all(isinstance(d, dict) for d in parameter_and_buffer_dicts):
            raise ValueError("Expected all elements of parameter_and_buffer_dicts to be dictionaries")
        names = [name for d in parameter_and_buffer_dicts for name in d]
        repeated = sorted({name for name in names if names.count(name) > 1})
        if repeated:
            raise ValueError(f"{repeated} appeared in multiple dictionaries; behavior of functional call is ambiguous")
        given = {name: t for d in parameter_and_buffer_dicts for name, t in d.items()}
    else:
        raise ValueError(
            "Expected parameter_and_buffer_dicts to be a dict, or a list/tuple of dicts, but got "
            f"{type(parameter_and_buffer_dicts)}"
        )
    arguments = () if args is None else args if isinstance(args, tuple) else (args,)
    if tie_weights:
        given = _with_ties(module, given)
    own = {
        **dict(module.named_parameters(remove_duplicate=False)),
        **dict(module.named_buffers(remove_duplicate=False)),
    }
    missing, unknown = sorted(own.keys() - given.keys()), sorted(given.keys() - own.keys())
    if strict and (missing or unknown):
        lists = {"Unexpected": unknown, "Missing": missing}
        said = [f"\n\t{kind} key(s): {', '.join(map(repr, names))}." for kind, names in lists.items() if names]
        raise RuntimeError(f"Error(s) in reparametrizing for {type(module).__name__}:{''.join(said)}")
    with _replaced(module, {name: t for name, t in given.items() if name in own}):
        return module(*arguments, **(kwargs or {}))


def _with_ties(module: Any, given: dict[str, Tensor]) -> dict[str, Tensor]:
    """Names that share one tensor share its stand-in."""
    names: dict[int, list[str]] = {}
    for listing in (module.named_parameters, module.named_buffers):
        for name, tensor in listing(remove_duplicate=False):
            names.setdefault(id(tensor), []).append(name)
    full = dict(given)
    for group in names.values():
        stand_ins = {id(given[name]): given[name] for name in group if name in given}
        if len(stand_ins) > 1:
            raise ValueError(
                f"functional_call got multiple values for keys {sorted(n for n in group if n in given)}, "
                "which are tied. "
                "Consider using tie_weights=False"
            )
        for name in group if stand_ins else ():
            full.setdefault(name, next(iter(stand_ins.values())))
    return full


@contextlib.contextmanager
def _replaced(module: Any, given: dict[str, Tensor]) -> Iterator[None]:
    changed: list[tuple[dict, str, Any]] = []
    try:
        for name, tensor in given.items():
            *path, last = name.split(".")
            owner = module
            for step in path:
                owner = getattr(owner, step)
            store = owner._parameters if last in owner._parameters else owner._buffers
            changed.append((store, last, store[last]))
            store[last] = tensor
        yield
    finally:
        for store, last, before in reversed(changed):
            # A buffer that the module itself wrote stays what the caller gave; its own comes back.
            store[last] = before


def stack_module_state(models: Sequence[Any]) -> tuple[dict[str, Tensor], dict[str, Tensor]]:
    """The parameters and the buffers of several modules of one kind, stacked: for vmap over the modules.

    >>> parameters, buffers = torch.func.stack_module_state([torch.nn.Linear(2, 1), torch.nn.Linear(2, 1)])
    >>> parameters["weight"].shape
    torch.Size([2, 1, 2])
    """
    if not models:
        raise RuntimeError("stack_module_state: Expected at least one model, got 0.")
    if not (all(m.training for m in models) or all(not m.training for m in models)):
        raise RuntimeError("stack_module_state: Expected all models to have the same training/eval mode.")
    if any(type(m) is not type(models[0]) for m in models):
        raise RuntimeError("stack_module_state: Expected all models to be of the same class.")
    parameters: dict[str, Tensor] = {}
    buffers: dict[str, Tensor] = {}
    for name, _ in models[0].named_parameters():
        parameters[name] = _stacked_leaf([dict(m.named_parameters())[name] for m in models], name)
    for name, _ in models[0].named_buffers():
        buffers[name] = _stacked_leaf([dict(m.named_buffers())[name] for m in models], name)
    return parameters, buffers


def _stacked_leaf(tensors: list[Tensor], name: str) -> Tensor:
    together = _core.functions["stack"]([t.detach() for t in tensors])
    if not any(t.requires_grad for t in tensors):
        return together
    if not all(t.requires_grad for t in tensors):
        raise RuntimeError(f"Expected {name} from each model to have the same .requires_grad")
    return together._as_leaf()  # requires_grad_, also inside a transform


def replace_all_batch_norm_modules_(root: Any) -> Any:
    """Takes the running statistics away from all batch norms of a module, which vmap could not update; returns it.

    >>> net = torch.nn.Sequential(torch.nn.Linear(2, 3), torch.nn.BatchNorm1d(3))
    >>> torch.func.replace_all_batch_norm_modules_(net)[1].running_mean is None
    True
    """
    from ..nn.modules.batchnorm import _BatchNorm

    for module in root.modules():
        if isinstance(module, _BatchNorm):
            module.running_mean = module.running_var = module.num_batches_tracked = None
            module.track_running_stats = False
    return root
