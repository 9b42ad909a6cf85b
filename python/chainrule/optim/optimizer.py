"""The base of all optimisers: parameter groups, state dicts, hooks, zero_grad."""

from __future__ import annotations

import functools
from collections import OrderedDict, defaultdict
from collections.abc import Callable, Hashable, Iterable
from copy import deepcopy
from itertools import chain
from typing import Any, TypeAlias

from .. import _core
from .._core import Tensor
from ..error_words import at_call
from ..happenings import remember
from ..tensor_methods import RemovableHandle
from ..type_name import typename
from ..user_warning import warn_user

__all__ = ["Optimizer", "register_optimizer_step_post_hook", "register_optimizer_step_pre_hook"]

ParamsT: TypeAlias = Iterable[Tensor] | Iterable[dict[str, Any]] | Iterable[tuple[str, Tensor]]
_params_t: TypeAlias = ParamsT  # its older name
StateDict: TypeAlias = dict[str, Any]
Hooks: TypeAlias = OrderedDict[int, Callable[..., Any]]

_global_pre_hooks: Hooks = OrderedDict()
_global_post_hooks: Hooks = OrderedDict()
_HOOKS = (
    "_optimizer_step_pre_hooks",
    "_optimizer_step_post_hooks",
    "_optimizer_state_dict_pre_hooks",
    "_optimizer_state_dict_post_hooks",
    "_optimizer_load_state_dict_pre_hooks",
    "_optimizer_load_state_dict_post_hooks",
)


class _Required:
    """Stands for an option that each parameter group has to give."""

    def __repr__(self) -> str:
        return "<required parameter>"


required = _Required()


def _add_hook(hooks: Hooks, hook: Callable[..., Any], prepend: bool = False) -> RemovableHandle:
    handle = RemovableHandle(hooks)
    hooks[handle.id] = hook
    if prepend:
        hooks.move_to_end(handle.id, last=False)
    return handle


def register_optimizer_step_pre_hook(hook: Callable[..., Any]) -> RemovableHandle:
    """Calls `hook(optimizer, args, kwargs)` before each step of any optimiser; it may return new (args, kwargs)."""
    return _add_hook(_global_pre_hooks, hook)


def register_optimizer_step_post_hook(hook: Callable[..., None]) -> RemovableHandle:
    """Calls `hook(optimizer, args, kwargs)` after each step of any optimiser."""
    return _add_hook(_global_post_hooks, hook)


def _step_with_hooks(step: Callable[..., Any], optimizer: Optimizer, args: tuple, kwargs: dict[str, Any]) -> Any:
    for hook in (*_global_pre_hooks.values(), *optimizer._optimizer_step_pre_hooks.values()):
        changed = hook(optimizer, args, kwargs)
        if changed is None:
            continue
        if not (isinstance(changed, tuple) and len(changed) == 2):
            raise at_call(
                RuntimeError, f"{step} must return None or a tuple of (new_args, new_kwargs), but got {changed}."
            )
        args, kwargs = changed
    result = step(*args, **kwargs)
    for hook in (*optimizer._optimizer_step_post_hooks.values(), *_global_post_hooks.values()):
        hook(optimizer, args, kwargs)
    return result


def _use_grad_for_differentiable(step: Callable[..., Any]) -> Callable[..., Any]:
    """Decorates a step: it is recorded if the optimiser is differentiable, and not otherwise."""

    @functools.wraps(step)
    def wrapper(self: Optimizer, *args: Any, **kwargs: Any) -> Any:
        recording = _core.is_grad_enabled()
        _core.set_grad_enabled(self.defaults.get("differentiable", False))
        try:
            return step(self, *args, **kwargs)
        finally:
            _core.set_grad_enabled(recording)

    return wrapper


def _get_value(x: Any) -> Any:
    """The number in a tensor of one element; a number as it is."""
    return x.item() if isinstance(x, Tensor) else x


class Optimizer:
    """Parameters in groups, each with its options, and a state for each parameter. Subclasses write `step`.

    Args:
        params: tensors, pairs of names and tensors, or dicts with the key "params" and options of their own.
        defaults: options of the groups that do not give them.

    >>> optimizer = torch.optim.SGD([torch.ones(2, requires_grad=True)], lr=0.1)
    >>> optimizer.param_groups[0]["lr"]
    0.1
    """

    _optimizer_step_pre_hooks: Hooks
    _optimizer_step_post_hooks: Hooks
    _optimizer_state_dict_pre_hooks: Hooks
    _optimizer_state_dict_post_hooks: Hooks
    _optimizer_load_state_dict_pre_hooks: Hooks
    _optimizer_load_state_dict_post_hooks: Hooks

    def __init__(self, params: ParamsT, defaults: dict[str, Any]) -> None:
        self.defaults = defaults
        self._make_hooks()
        self._patch_step_function()
        remember(self)
        if isinstance(params, Tensor):
            raise at_call(
                TypeError,
                "params argument given to the optimizer should be an iterable of Tensors or dicts, but got "
                + typename(params),
            )
        self.state: defaultdict[Any, Any] = defaultdict(dict)
        self.param_groups: list[dict[str, Any]] = []
        groups: list[Any] = list(params)
        if not groups:
            raise at_call(ValueError, "optimizer got an empty parameter list")
        if not isinstance(groups[0], dict):
            groups = [{"params": groups}]
        for group in groups:
            self.add_param_group(group)

    def __getstate__(self) -> dict[str, Any]:
        return {"defaults": self.defaults, "state": self.state, "param_groups": self.param_groups}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._make_hooks()
        self._patch_step_function()
        self.defaults.setdefault("differentiable", False)

    def __repr__(self) -> str:
        groups = []
        for i, group in enumerate(self.param_groups):
            options = (f"    {key}: {group[key]}\n" for key in sorted(group) if key != "params")
            groups.append(f"\nParameter Group {i}\n" + "".join(options))
        return f"{type(self).__name__} ({''.join(groups)})"

    # ---- hooks

    def _make_hooks(self) -> None:
        for name in _HOOKS:
            self.__dict__.setdefault(name, OrderedDict())

    @staticmethod
    def profile_hook_step(step: Callable[..., Any]) -> Callable[..., Any]:
        """A step that runs the hooks, where there are any."""

        @functools.wraps(step)
        def wrapper(self: Optimizer, *args: Any, **kwargs: Any) -> Any:
            if (
                self._optimizer_step_pre_hooks
                or self._optimizer_step_post_hooks
                or _global_pre_hooks
                or _global_post_hooks
            ):
                return _step_with_hooks(step, self, (self, *args), kwargs)
            return step(self, *args, **kwargs)

        return wrapper

    def _patch_step_function(self) -> None:
        # Once per class, when its first instance is made: the class may define a step of its own.
        cls: Any = type(self)
        if not getattr(cls.step, "hooked", False):
            step: Any = self.profile_hook_step(cls.step)
            step.hooked = True
            cls.step = step

    @staticmethod
    def _group_tensors_by_device_and_dtype(tensorlistlist: list[list[Any]], with_indices: bool = False) -> dict:
        """Lists of tensors by device and dtype, as packages with optimisers of their own take them apart."""
        from ..utils._foreach_utils import _group_tensors_by_device_and_dtype

        return _group_tensors_by_device_and_dtype(tensorlistlist, with_indices)

    def register_step_pre_hook(self, hook: Callable[..., Any]) -> RemovableHandle:
        """Calls `hook(optimizer, args, kwargs)` before each step; it may return new (args, kwargs)."""
        return _add_hook(self._optimizer_step_pre_hooks, hook)

    def register_step_post_hook(self, hook: Callable[..., None]) -> RemovableHandle:
        """Calls `hook(optimizer, args, kwargs)` after each step."""
        return _add_hook(self._optimizer_step_post_hooks, hook)

    def register_state_dict_pre_hook(self, hook: Callable[[Optimizer], None], prepend: bool = False) -> RemovableHandle:
        """Calls `hook(optimizer)` before a state dict is made."""
        return _add_hook(self._optimizer_state_dict_pre_hooks, hook, prepend)

    def register_state_dict_post_hook(
        self, hook: Callable[[Optimizer, StateDict], StateDict | None], prepend: bool = False
    ) -> RemovableHandle:
        """Calls `hook(optimizer, state_dict)` with each state dict made; it may change it or return another."""
        return _add_hook(self._optimizer_state_dict_post_hooks, hook, prepend)

    def register_load_state_dict_pre_hook(
        self, hook: Callable[[Optimizer, StateDict], StateDict | None], prepend: bool = False
    ) -> RemovableHandle:
        """Calls `hook(optimizer, state_dict)` before a state dict is loaded; it may change it or return another."""
        return _add_hook(self._optimizer_load_state_dict_pre_hooks, hook, prepend)

    def register_load_state_dict_post_hook(
        self, hook: Callable[[Optimizer], None], prepend: bool = False
    ) -> RemovableHandle:
        """Calls `hook(optimizer)` after a state dict was loaded."""
        return _add_hook(self._optimizer_load_state_dict_post_hooks, hook, prepend)

    # ---- state dicts

    def state_dict(self) -> StateDict:
        """The state by parameter number, and the groups with numbers for parameters. Tensors are not copied."""
        for hook in self._optimizer_state_dict_pre_hooks.values():
            hook(self)
        numbers: dict[int, int] = {}
        groups = []
        begin = 0
        for group in self.param_groups:
            params = group["params"]
            for i, p in enumerate(params, begin):
                numbers.setdefault(id(p), i)
            begin += len(params)
            options = {key: value for key, value in group.items() if key != "params"}
            groups.append({**options, "params": [numbers[id(p)] for p in params]})
        state = {numbers[id(key)] if isinstance(key, Tensor) else key: value for key, value in self.state.items()}
        packed: StateDict = {"state": state, "param_groups": groups}
        for hook in self._optimizer_state_dict_post_hooks.values():
            packed = _replaced(packed, hook(self, packed))
        return packed

    def load_state_dict(self, state_dict: StateDict) -> None:
        """Takes options and state over from a state dict; the parameters stay this optimiser's own."""
        state_dict = state_dict.copy()
        for hook in self._optimizer_load_state_dict_pre_hooks.values():
            state_dict = _replaced(state_dict, hook(self, state_dict))
        groups, loaded = self.param_groups, deepcopy(state_dict["param_groups"])
        if len(groups) != len(loaded):
            raise at_call(ValueError, "loaded state dict has a different number of parameter groups")
        if any(len(mine["params"]) != len(other["params"]) for mine, other in zip(groups, loaded, strict=True)):
            raise at_call(
                ValueError,
                "loaded state dict contains a parameter group that doesn't match the size of optimizer's group",
            )
        numbers = chain.from_iterable(group["params"] for group in loaded)
        params = dict(zip(numbers, chain.from_iterable(group["params"] for group in groups), strict=True))
        state: defaultdict[Any, Any] = defaultdict(dict)
        for key, value in state_dict["state"].items():
            if key in params:
                state[params[key]] = _fitted(params[key], value, key, state_dict["param_groups"])
            else:
                state[key] = value
        for mine, other in zip(groups, loaded, strict=True):
            other["params"] = mine["params"]
            if "param_names" in mine:
                other.setdefault("param_names", mine["param_names"])
        self.__setstate__({"state": state, "param_groups": loaded})
        for hook in self._optimizer_load_state_dict_post_hooks.values():
            hook(self)

    @staticmethod
    def _process_value_according_to_param_policy(
        param: Tensor, value: Tensor, param_id: int, param_groups: list[dict[str, Any]], key: Hashable = None
    ) -> Tensor:
        """A loaded tensor in the dtype that the parameter asks for; a step count keeps its own."""
        if key == "step":
            group = next((g for g in param_groups if param_id in g["params"]), {})
            single = group.get("capturable", False) or group.get("fused", False)
            return value.to(dtype=_core.float32, device=param.device) if single else value
        if param.is_floating_point():
            return value.to(dtype=param.dtype, device=param.device)
        return value.to(device=param.device)

    # ---- parameters

    def zero_grad(self, set_to_none: bool = True) -> None:
        """Forgets the gradients of all parameters, or fills them with zeros."""
        for group in self.param_groups:
            for p in group["params"]:
                if set_to_none:
                    p.grad = None
                elif (grad := p.grad) is not None:
                    if grad.grad_fn is not None:
                        grad.detach_()
                    else:
                        grad.requires_grad_(False)
                    grad.zero_()

    def step(self, closure: Callable[[], Any] | None = None) -> Any:
        """Changes the parameters once. `closure` calculates the loss and its gradients anew."""
        raise NotImplementedError

    def add_param_group(self, param_group: dict[str, Any]) -> None:
        """Adds parameters with options of their own, for example layers that are trained from now on."""
        if not isinstance(param_group, dict):
            raise at_call(TypeError, f"param_group must be a dict, but got {type(param_group)}")
        self._list_params(param_group)
        params = param_group["params"]
        for p in params:
            if not isinstance(p, Tensor):
                raise at_call(TypeError, f"optimizer can only optimize Tensors, but one of the params is {typename(p)}")
            if not self.defaults.get("differentiable") and not (p.is_leaf or p.retains_grad):
                raise at_call(ValueError, "can't optimize a non-leaf Tensor")
        for name, default in self.defaults.items():
            if default is required and name not in param_group:
                raise at_call(
                    ValueError, f"parameter group didn't specify a value of required optimization parameter {name}"
                )
            param_group.setdefault(name, default)
        if len(params) != len(set(params)):
            warn_user(
                "optimizer contains a parameter group with duplicate parameters; in future, this will cause an error; "
                "see github.com/pytorch/pytorch/issues/40967 for more information"
            )
        self._check_beside_other_groups(param_group)
        self.param_groups.append(param_group)

    @staticmethod
    def _list_params(group: dict[str, Any]) -> None:
        """Makes a list of a group's parameters, and a list of their names if they have any."""
        params = group["params"]
        if isinstance(params, set):
            raise at_call(
                TypeError,
                "optimizer parameters need to be organized in ordered collections, but the ordering of tensors in sets "
                "will change between runs. Please use a list instead.",
            )
        params = [params] if isinstance(params, Tensor) else list(params)
        names = [p[0] for p in params if isinstance(p, tuple)]
        if names and len(names) != len(params):
            raise at_call(ValueError, "all optimizer params should be with/without names. Some param names are missing")
        if names:
            group["param_names"] = names
        group["params"] = [p[1] for p in params] if names else params

    def _check_beside_other_groups(self, new: dict[str, Any]) -> None:
        known: set[Tensor] = set()
        for group in self.param_groups:
            known.update(group["params"])
            if ("param_names" in new) != ("param_names" in group):
                kind = "with names" if "param_names" in new else "without names"
                raise at_call(
                    ValueError,
                    "all optimizer param groups should be with/without names. "
                    f"cannot add param group {kind} to the optimizer",
                )
        if not known.isdisjoint(new["params"]):
            raise at_call(ValueError, "some parameters appear in more than one parameter group")


def _replaced(value: Any, by: Any) -> Any:
    return value if by is None else by


def _fitted(param: Tensor, value: Any, number: int, groups: list[dict[str, Any]], key: Hashable = None) -> Any:
    """A loaded value with all tensors in it brought to the parameter's dtype."""
    if isinstance(value, Tensor):
        return Optimizer._process_value_according_to_param_policy(param, value, number, groups, key)
    if isinstance(value, dict):
        return {k: _fitted(param, v, number, groups, k) for k, v in value.items()}
    if isinstance(value, Iterable):
        kind: Any = type(value)
        return kind(_fitted(param, v, number, groups) for v in value)
    return value


def _default_to_fused_or_foreach(
    params: list[Tensor], differentiable: bool, use_fused: bool = False
) -> tuple[bool, bool]:
    """Neither: one step is one call for all parameters in any case."""
    return False, False


def _get_capturable_supported_devices(supports_xla: bool = True) -> list[str]:
    """Devices whose steps PyTorch records as graphs; packages ask before they check their options."""
    return ["cuda", "xpu", "hpu", "privateuseone", *(["xla"] if supports_xla else [])]
