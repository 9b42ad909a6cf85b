"""Modules around others whose calculation is not kept for the backward pass but done again."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from enum import Enum, auto
from functools import partial
from typing import Any

from ....compat.refusal import refused
from ....nn.modules.module import Module
from ....utils.checkpoint import checkpoint

__all__ = ["CheckpointImpl", "CheckpointWrapper", "apply_activation_checkpointing", "checkpoint_wrapper"]

_CHECKPOINT_WRAPPED_MODULE = "_checkpoint_wrapped_module"
_CHECKPOINT_PREFIX = f"{_CHECKPOINT_WRAPPED_MODULE}."


class CheckpointImpl(Enum):
    """Which of the two ways of checkpoint()."""

    REENTRANT = auto()
    NO_REENTRANT = auto()


class ActivationWrapper(Module):
    """A module around another, whose state dict is that of the other."""

    def __init__(self, mod: Module) -> None:
        super().__init__()
        self._checkpoint_wrapped_module = mod
        self._register_state_dict_hook(self._post_state_dict_hook)
        self.register_load_state_dict_pre_hook(self._pre_load_state_dict_hook)

    def __getattr__(self, name: str) -> Any:
        try:
            return super().__getattr__(name)
        except AttributeError:
            return getattr(self._checkpoint_wrapped_module, name)

    def __getitem__(self, key: Any) -> Any:
        return self._checkpoint_wrapped_module[key]  # type: ignore[index]

    def named_parameters(self, *args: Any, **kwargs: Any) -> Iterator[tuple[str, Any]]:
        """Without the wrapper's own name."""
        for name, parameter in super().named_parameters(*args, **kwargs):
            yield name.replace(_CHECKPOINT_PREFIX, ""), parameter

    @staticmethod
    def _post_state_dict_hook(module: Module, state_dict: dict, prefix: str, *args: Any) -> dict:
        for key in [key for key in state_dict if key.startswith(prefix + _CHECKPOINT_PREFIX)]:
            state_dict[prefix + key.removeprefix(prefix + _CHECKPOINT_PREFIX)] = state_dict.pop(key)
        return state_dict

    @staticmethod
    def _pre_load_state_dict_hook(module: Module, state_dict: dict, prefix: str, *args: Any) -> None:
        for key in [key for key in state_dict if key.startswith(prefix)]:
            state_dict[prefix + _CHECKPOINT_PREFIX + key.removeprefix(prefix)] = state_dict.pop(key)


class CheckpointWrapper(ActivationWrapper):
    """A module that is done again in the backward pass."""

    def __init__(
        self,
        mod: Module,
        checkpoint_impl: CheckpointImpl = CheckpointImpl.NO_REENTRANT,
        checkpoint_fn: Callable | None = None,
        **checkpoint_fn_kwargs: Any,
    ) -> None:
        super().__init__(mod)
        self.checkpoint_impl = checkpoint_impl
        reentrant = checkpoint_impl == CheckpointImpl.REENTRANT
        if checkpoint_fn is None:
            self.checkpoint_fn = partial(checkpoint, use_reentrant=reentrant, **checkpoint_fn_kwargs)
        else:
            self.checkpoint_fn = partial(checkpoint_fn, **checkpoint_fn_kwargs)

    def forward(self, *args: Any, **kwargs: Any) -> Any:
        """What the module gives."""
        inner = self._checkpoint_wrapped_module
        if kwargs and self.checkpoint_impl == CheckpointImpl.REENTRANT:
            return self.checkpoint_fn(
                lambda *a: inner(*a[: len(args)], **dict(zip(kwargs, a[len(args) :], strict=True))),
                *args,
                *kwargs.values(),
            )
        return self.checkpoint_fn(inner, *args, **kwargs)


def checkpoint_wrapper(
    module: Module,
    checkpoint_impl: CheckpointImpl = CheckpointImpl.NO_REENTRANT,
    checkpoint_fn: Callable | None = None,
    **checkpoint_fn_kwargs: Any,
) -> Module:
    """The module, done again in the backward pass."""
    return CheckpointWrapper(module, checkpoint_impl, checkpoint_fn, **checkpoint_fn_kwargs)


def apply_activation_checkpointing(
    model: Module,
    checkpoint_wrapper_fn: Callable[[Module], Module] = checkpoint_wrapper,
    check_fn: Callable[[Module], bool] = lambda _: True,
    auto_wrap_policy: Any = None,
) -> None:
    """Puts a wrapper around each module below `model` of which check_fn is true."""
    if auto_wrap_policy is not None:
        raise NotImplementedError(
            "apply_activation_checkpointing: give check_fn; chainrule has no policies of wrapping"
        )
    for name, child in list(model.named_children()):
        apply_activation_checkpointing(child, checkpoint_wrapper_fn, check_fn)
        if check_fn(child):
            setattr(model, name, checkpoint_wrapper_fn(child))


offload_wrapper = refused(
    "distributed.algorithms._checkpoint.checkpoint_wrapper.offload_wrapper", "everything is in the CPU's memory already"
)
