"""Stepping an optimiser on other parameters and another state for a while."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from .._core import Tensor
from ..error_words import at_call
from .optimizer import Optimizer

__all__ = ["swap_in_optimizer_params_and_state"]

_NAME = "swap_in_optimizer_params_and_state"


@contextmanager
def swap_in_optimizer_params_and_state(
    optimizer: Optimizer, swapin_parameters: dict[str, Tensor], swapin_optim_state: dict[str, Any]
) -> Iterator[None]:
    """Within it, the optimiser has the given parameters, and options and state from a dict as state_dict() gives it.

    What a step makes new within it is lost at the end; tensors of the given state are changed in place.
    """
    state, groups = _checked(optimizer, swapin_optim_state)
    shares = _shared_out(list(swapin_parameters.values()), groups)
    before, snapshots = optimizer.state, [dict(group) for group in optimizer.param_groups]
    try:
        swapped: defaultdict[Any, Any] = defaultdict(dict)
        for live, group, params in zip(optimizer.param_groups, groups, shares, strict=True):
            live.update({**group, "params": params})
            for p, number in zip(params, group["params"], strict=True):
                swapped[p] = dict(state.get(number, {}))
        optimizer.state = swapped
        yield
    finally:
        for group, snapshot in zip(optimizer.param_groups, snapshots, strict=True):
            group.clear()
            group.update(snapshot)
        optimizer.state = before


def _checked(optimizer: Optimizer, packed: Any) -> tuple[dict[Any, Any], list[dict[str, Any]]]:
    """State and groups of the given dict, which have to fit the optimiser."""
    if not optimizer.state:
        raise at_call(RuntimeError, f"{_NAME} requires initialized optimizer state.")
    if not isinstance(packed, dict):
        raise at_call(RuntimeError, f"{_NAME} requires a DCP-style optimizer state_dict.")
    state, groups = packed.get("state"), packed.get("param_groups")
    if not isinstance(state, dict):
        raise at_call(
            RuntimeError,
            f"{_NAME} requires swapin_optim_state['state'] to be a dict mapping packed parameter ids to per-param "
            f"state dicts, got {type(state).__name__}.",
        )
    if any(isinstance(key, Tensor) for key in state):
        raise at_call(
            RuntimeError, f"{_NAME} requires optimizer.state_dict()-style state keyed by packed parameter ids."
        )
    if any(isinstance(key, int) and not isinstance(value, dict) for key, value in state.items()):
        raise at_call(RuntimeError, f"{_NAME} requires per-parameter optimizer state entries to be dictionaries.")
    if not isinstance(groups, list):
        raise at_call(
            RuntimeError,
            f"{_NAME} requires swapin_optim_state['param_groups'] to be a list of param-group dicts, got "
            f"{type(groups).__name__}.",
        )
    if len(optimizer.param_groups) != len(groups):
        raise at_call(
            RuntimeError, "swapin_optim_state has a different number of parameter groups than the live optimizer."
        )
    for i, (live, group) in enumerate(zip(optimizer.param_groups, groups, strict=True)):
        _check_group(i, live, group)
    known = {number for group in groups for number in group["params"]}
    extra = [key for key in state if key not in known]
    if extra:
        raise at_call(
            RuntimeError,
            f"{_NAME} requires swapin_optim_state['state'] to be keyed only by packed parameter ids from "
            f"param_groups[*]['params']; got extra keys {extra!r}.",
        )
    return state, groups


def _check_group(i: int, live: dict[str, Any], group: Any) -> None:
    if not isinstance(group, dict):
        raise at_call(RuntimeError, f"{_NAME} requires each optimizer param group to be a dictionary.")
    numbers = group.get("params")
    if not isinstance(numbers, list) or not all(isinstance(number, int) for number in numbers):
        raise at_call(
            RuntimeError,
            f"{_NAME} requires optimizer.state_dict()-style param_groups[*]['params'] entries keyed by packed "
            "parameter ids.",
        )
    if len(live["params"]) != len(numbers):
        raise at_call(
            RuntimeError,
            f"swapin_optim_state param group {i} has a different number of params than the live optimizer param group.",
        )
    only_given, only_live = [key for key in group if key not in live], [key for key in live if key not in group]
    if only_given or only_live:
        raise at_call(
            RuntimeError,
            f"{_NAME} requires optimizer.state_dict()-style param group keys to exactly match the live optimizer group "
            f"keys for group {i}. Keys only in swap-in: {only_given}. Keys only in live: {only_live}.",
        )


def _shared_out(params: list[Tensor], groups: list[dict[str, Any]]) -> list[list[Tensor]]:
    """The parameters by group, in order."""
    shares, begin = [], 0
    for group in groups:
        end = begin + len(group["params"])
        if end > len(params):
            raise at_call(
                RuntimeError, f"{_NAME} requires the explicit parameter state to match optimizer.param_groups ordering."
            )
        shares.append(params[begin:end])
        begin = end
    return shares
