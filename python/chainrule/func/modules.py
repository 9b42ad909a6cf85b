"""Modules as functions of their parameters."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

from .. import _core
from .._core import Tensor
from ..error_words import at_call

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
    from ..nn.utils.stateless import call_with

    given: Any = parameter_and_buffer_dicts
    if not isinstance(given, dict):
        given = _joined(given)
    return call_with(module, given, args, kwargs, tie_weights=tie_weights, strict=strict)


def _joined(dicts: Any) -> dict[str, Tensor]:
    if not isinstance(dicts, Sequence):
        raise at_call(
            ValueError,
            f"Expected parameter_and_buffer_dicts to be a dict, or a list/tuple of dicts, but got {type(dicts)}",
        )
    if not all(isinstance(d, dict) for d in dicts):
        raise at_call(ValueError, "Expected all elements of parameter_and_buffer_dicts to be dictionaries")
    names = Counter(name for d in dicts for name in d)
    repeated = [name for name, times in names.items() if times > 1]
    if repeated:
        raise at_call(
            ValueError, f"{repeated} appeared in multiple dictionaries; behavior of functional call is ambiguous"
        )
    return {name: t for d in dicts for name, t in d.items()}


def stack_module_state(models: Sequence[Any]) -> tuple[dict[str, Tensor], dict[str, Tensor]]:
    """The parameters and the buffers of several modules of one kind, stacked: for vmap over the modules.

    >>> parameters, buffers = torch.func.stack_module_state([torch.nn.Linear(2, 1), torch.nn.Linear(2, 1)])
    >>> parameters["weight"].shape
    torch.Size([2, 1, 2])
    """
    if not models:
        raise at_call(RuntimeError, "stack_module_state: Expected at least one model, got 0.")
    if not (all(m.training for m in models) or all(not m.training for m in models)):
        raise at_call(RuntimeError, "stack_module_state: Expected all models to have the same training/eval mode.")
    if any(type(m) is not type(models[0]) for m in models):
        raise at_call(RuntimeError, "stack_module_state: Expected all models to be of the same class.")
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
        raise at_call(RuntimeError, f"Expected {name} from each model to have the same .requires_grad")
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
