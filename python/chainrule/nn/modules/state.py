"""A module's state as a dict of tensors by name, and back."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from ..._core import Tensor
from ...autograd.grad_mode import no_grad
from ...error_words import at_call
from ...tensor_methods import RemovableHandle
from ...user_warning import warn_user
from ..parameter import Parameter, is_lazy
from .hooks import BoundHook, Hooks, add_hook
from .members import Members  # at run time, for typing.get_type_hints of modules

_EXTRA_STATE_KEY_SUFFIX = "_extra_state"


class _Incompatible(NamedTuple):
    missing_keys: list[str]
    unexpected_keys: list[str]


class _IncompatibleKeys(_Incompatible):
    __slots__ = ()

    def __repr__(self) -> str:
        if not self.missing_keys and not self.unexpected_keys:
            return "<All keys matched successfully>"
        return super().__repr__().replace("_Incompatible(", "_IncompatibleKeys(", 1)

    __str__ = __repr__


class StateMethods:
    """What Module has to do with its state."""

    _version: int = 1
    _parameters: Members
    _buffers: Members
    _modules: Members
    _non_persistent_buffers_set: set[str]
    _state_dict_pre_hooks = Hooks(in_call=False)
    _state_dict_hooks = Hooks(in_call=False)
    _load_state_dict_pre_hooks = Hooks(in_call=False)
    _load_state_dict_post_hooks = Hooks(in_call=False)

    # ---- hooks

    def register_state_dict_pre_hook(self, hook: Callable) -> RemovableHandle:
        """Calls hook(module, prefix, keep_vars) before the state is collected."""
        return add_hook(self._state_dict_pre_hooks, hook)

    def register_state_dict_post_hook(self, hook: Any) -> RemovableHandle:
        """Calls hook(module, state_dict, prefix, local_metadata) after it; the hook may change the dict in place."""
        hook._from_public_api = True
        return add_hook(self._state_dict_hooks, hook)

    def _register_state_dict_hook(self, hook: Callable) -> RemovableHandle:
        if getattr(hook, "_from_public_api", False):
            raise at_call(
                RuntimeError,
                "Cannot register the same function as the state dict post hook that was "
                "previously registered via register_state_dict_post_hook",
            )
        return add_hook(self._state_dict_hooks, hook)

    def register_load_state_dict_pre_hook(self, hook: Callable) -> RemovableHandle:
        """Calls hook(module, state_dict, prefix, metadata, strict, missing, unexpected, errors) before loading."""
        return self._register_load_state_dict_pre_hook(hook, with_module=True)

    def _register_load_state_dict_pre_hook(self, hook: Callable, with_module: bool = False) -> RemovableHandle:
        return add_hook(self._load_state_dict_pre_hooks, BoundHook(hook, self if with_module else None))  # type: ignore[arg-type]

    def register_load_state_dict_post_hook(self, hook: Callable) -> RemovableHandle:
        """Calls hook(module, incompatible_keys) after loading; the hook may change the keys in place."""
        return add_hook(self._load_state_dict_post_hooks, hook)

    # ---- extra state

    def get_extra_state(self) -> Any:
        """What a module wants to keep beside its tensors; for subclasses to define."""
        raise at_call(RuntimeError, f"{type(self).__name__} defines set_extra_state() but no get_extra_state().")

    def set_extra_state(self, state: Any) -> None:
        """Takes back what get_extra_state() gave; for subclasses to define."""
        raise at_call(RuntimeError, f"{type(self).__name__} defines get_extra_state() but no set_extra_state().")

    def _defines(self, name: str) -> bool:
        return getattr(type(self), name) is not getattr(StateMethods, name)

    # ---- saving

    def state_dict(self, *args: Any, destination: Any = None, prefix: str = "", keep_vars: bool = False) -> Any:
        """Parameters and persistent buffers by name, this module's and those of all below it.

        Args:
            destination: the dict to fill; a new one if there is none.
            prefix: put in front of every name.
            keep_vars: give the parameters themselves, not tensors that share their memory.
        """
        if args:
            warn_user(
                "Positional args are being deprecated, use kwargs instead. Refer to "
                "https://pytorch.org/docs/main/generated/torch.nn.Module.html#torch.nn.Module.state_dict"
                " for details.",
                FutureWarning,
            )
            given = [destination, prefix, keep_vars]
            destination, prefix, keep_vars = (
                old or new for old, new in zip(given, [*args, *given[len(args) :]], strict=True)
            )
        if destination is None:
            destination = OrderedDict()
            destination._metadata = OrderedDict()  # type: ignore[attr-defined]
        local_metadata = {"version": self._version}
        if hasattr(destination, "_metadata"):
            destination._metadata[prefix[:-1]] = local_metadata
        for hook in self._state_dict_pre_hooks.values():
            hook(self, prefix, keep_vars)
        self._save_to_state_dict(destination, prefix, keep_vars)
        for name, module in self._modules.items():
            if module is not None:
                module.state_dict(destination=destination, prefix=f"{prefix}{name}.", keep_vars=keep_vars)
        for hook in self._state_dict_hooks.values():
            result = hook(self, destination, prefix, local_metadata)
            if result is None:
                continue
            if getattr(hook, "_from_public_api", False):
                raise at_call(RuntimeError, "state_dict post-hook must return None")
            destination = result
        return destination

    def _save_to_state_dict(self, destination: Any, prefix: str, keep_vars: bool) -> None:
        for name, tensor in self._own_state().items():
            destination[prefix + name] = tensor if keep_vars else tensor.detach()
        if self._defines("get_extra_state"):
            destination[prefix + _EXTRA_STATE_KEY_SUFFIX] = self.get_extra_state()

    def _own_state(self) -> dict[str, Tensor]:
        state = {name: p for name, p in self._parameters.items() if p is not None}
        for name, buffer in self._buffers.items():
            if buffer is not None and name not in self._non_persistent_buffers_set:
                state[name] = buffer
        return state

    # ---- loading

    def load_state_dict(
        self, state_dict: Mapping[str, Any], strict: bool = True, assign: bool = False
    ) -> _IncompatibleKeys:
        """Copies a state into this module and those below it.

        Args:
            state_dict: tensors by name, as state_dict() gives them.
            strict: raise if the names are not exactly the module's own.
            assign: take the tensors themselves instead of copying their values.
        """
        if not isinstance(state_dict, Mapping):
            raise at_call(TypeError, f"Expected state_dict to be dict-like, got {type(state_dict)}.")
        missing: list[str] = []
        unexpected: list[str] = []
        errors: list[str] = []
        metadata = getattr(state_dict, "_metadata", None)
        state = OrderedDict(state_dict)
        if metadata is not None:
            state._metadata = metadata  # type: ignore[attr-defined]
        _load(self, state, "", metadata or {}, assign, (missing, unexpected, errors))
        if strict:
            for what, keys in (("Unexpected", unexpected), ("Missing", missing)):
                if keys:
                    listed = ", ".join(f'"{key}"' for key in keys)
                    errors.insert(0, f"{what} key(s) in state_dict: {listed}. ")
        if errors:
            told = "\n\t".join(errors)
            raise at_call(RuntimeError, f"Error(s) in loading state_dict for {type(self).__name__}:\n\t{told}")
        return _IncompatibleKeys(missing, unexpected)

    def _load_from_state_dict(
        self,
        state_dict: Any,
        prefix: str,
        local_metadata: dict,
        strict: bool,
        missing_keys: list[str],
        unexpected_keys: list[str],
        error_msgs: list[str],
    ) -> None:
        """Takes this module's own part of the state, without the modules below."""
        for hook in self._load_state_dict_pre_hooks.values():
            hook(state_dict, prefix, local_metadata, strict, missing_keys, unexpected_keys, error_msgs)
        own = self._own_state()
        assign = local_metadata.get("assign_to_params_buffers", False)
        for name, tensor in own.items():
            key = prefix + name
            if key in state_dict:
                error = self._take(name, tensor, key, state_dict[key], assign)
                if error:
                    error_msgs.append(error)
            elif strict:
                missing_keys.append(key)
        extra = prefix + _EXTRA_STATE_KEY_SUFFIX
        if self._defines("set_extra_state"):
            if extra in state_dict:
                self.set_extra_state(state_dict[extra])
            elif strict:
                missing_keys.append(extra)
        elif strict and extra in state_dict:
            unexpected_keys.append(extra)
        if strict:
            unexpected_keys += [key for key in state_dict if key != extra and self._is_unexpected(key, prefix, own)]

    def _is_unexpected(self, key: str, prefix: str, own: dict) -> bool:
        if not key.startswith(prefix):
            return False
        first, dot, _ = key[len(prefix) :].partition(".")
        return first not in (self._modules if dot else own)

    def _take(self, name: str, own: Tensor, key: str, given: Any, assign: bool) -> str | None:
        """Loads one tensor; what went wrong, if anything did."""
        if not isinstance(given, Tensor):
            return (
                f'While copying the parameter named "{key}", expected torch.Tensor or Tensor-like object from '
                f"checkpoint but received {type(given)}"
            )
        if not is_lazy(own):
            if own.ndim == 0 and given.shape == (1,):
                given = given[0]  # once saved by a version that had no 0-d tensors
            if given.shape != own.shape:
                return (
                    f"size mismatch for {key}: copying a param with shape {given.shape} from checkpoint, "
                    f"the shape in current model is {own.shape}."
                )
        try:
            with no_grad():
                if not assign:
                    _warn_of_no_copy(key, own, given)
                    own.copy_(given)
                    return None
                if isinstance(own, Parameter):
                    if isinstance(given, Parameter):
                        given._as_leaf(own.requires_grad)
                    else:
                        given = Parameter(given, own.requires_grad)
                setattr(self, name, given)
        except Exception as error:
            return (
                f'While copying the parameter named "{key}", whose dimensions in the model are {own.size()} and '
                f"whose dimensions in the checkpoint are {given.size()}, an exception occurred : {error.args}."
            )
        return None


def _warn_of_no_copy(key: str, own: Tensor, given: Tensor) -> None:
    if own.is_meta and not given.is_meta:
        warn_user(
            f"for {key}: copying from a non-meta parameter in the checkpoint to a meta parameter in the current model, "
            "which is a no-op. (Did you mean to pass `assign=True` to assign items in the state dictionary to their "
            "corresponding key in the module instead of copying them in place?)"
        )


def _load(module: Any, state: Any, prefix: str, metadata: Mapping, assign: bool, problems: tuple) -> None:
    missing, unexpected, errors = problems
    local = metadata.get(prefix[:-1], {})
    if assign:
        local["assign_to_params_buffers"] = assign
    module._load_from_state_dict(state, prefix, local, True, missing, unexpected, errors)
    for name, child in module._modules.items():
        if child is not None:
            below = f"{prefix}{name}."
            part = {key: value for key, value in state.items() if key.startswith(below)}
            _load(child, part, below, metadata, assign, problems)
    for hook in module._load_state_dict_post_hooks.values():
        if hook(module, _IncompatibleKeys(missing, unexpected)) is not None:
            raise AssertionError(
                "Hooks registered with ``register_load_state_dict_post_hook`` are not expected to return new values, "
                "if incompatible_keys need to be modified, it should be done inplace."
            )
