"""Weight normalisation by a hook: length and direction of a weight as two parameters."""

from __future__ import annotations

from typing import Any, TypeVar

from ..._core import Tensor
from ...error_words import at_call
from ...user_warning import warn_user
from ..modules.module import Module
from ..parameter import Parameter, is_lazy

__all__ = ["WeightNorm", "norm_except_dim", "remove_weight_norm", "weight_norm"]

T = TypeVar("T", bound=Module)


def norm_except_dim(v: Tensor, pow: int = 2, dim: int = 0) -> Tensor:
    """The norm over all dimensions but one, which -1 means: over all."""
    if dim == -1:
        return v.norm(pow)
    shape = [1] * v.dim()
    shape[dim] = v.shape[dim]
    return v.transpose(0, dim).reshape(v.shape[dim], -1).norm(pow, 1).reshape(shape)


def normalised(v: Tensor, g: Tensor, dim: int = 0) -> Tensor:
    """The direction of v with the length g."""
    return v * (g / norm_except_dim(v, 2, dim))


class WeightNorm:
    """The hook that calculates the weight before each forward."""

    def __init__(self, name: str, dim: int | None):
        self.name, self.dim = name, -1 if dim is None else dim

    def compute_weight(self, module: Module) -> Tensor:
        """The weight from its length and direction."""
        return normalised(getattr(module, self.name + "_v"), getattr(module, self.name + "_g"), self.dim)

    def __call__(self, module: Module, inputs: Any) -> None:
        setattr(module, self.name, self.compute_weight(module))

    def remove(self, module: Module) -> None:
        """Makes the weight a parameter again."""
        weight = self.compute_weight(module)
        for name in (self.name, self.name + "_g", self.name + "_v"):
            delattr(module, name)
        setattr(module, self.name, Parameter(weight.data))


def weight_norm(module: T, name: str = "weight", dim: int = 0) -> T:
    """Replaces a parameter by its length, name_g, and its direction, name_v.

    Args:
        dim: the dimension along which lengths are kept apart; None: one length for all.

    >>> layer = torch.nn.utils.weight_norm(torch.nn.Linear(2, 1))
    >>> [name for name, _ in layer.named_parameters()]
    ['bias', 'weight_g', 'weight_v']
    """
    warn_user(
        "`torch.nn.utils.weight_norm` is deprecated in favor of `torch.nn.utils.parametrizations.weight_norm`.",
        FutureWarning,
    )
    for hook in module._forward_pre_hooks.values():
        if isinstance(hook, WeightNorm) and hook.name == name:
            raise at_call(RuntimeError, f"Cannot register two weight_norm hooks on the same parameter {name}")
    hook = WeightNorm(name, dim)
    weight = getattr(module, name)
    if is_lazy(weight):
        raise at_call(
            ValueError,
            "The module passed to `WeightNorm` can't have uninitialized parameters. Make sure to run the dummy "
            "forward before applying weight normalization",
        )
    del module._parameters[name]
    module.register_parameter(name + "_g", Parameter(norm_except_dim(weight, 2, hook.dim).data))
    module.register_parameter(name + "_v", Parameter(weight.data))
    setattr(module, name, hook.compute_weight(module))
    module.register_forward_pre_hook(hook)
    return module


def remove_weight_norm(module: T, name: str = "weight") -> T:
    """Takes weight_norm back.

    >>> layer = torch.nn.utils.weight_norm(torch.nn.Linear(2, 1))
    >>> sorted(name for name, _ in torch.nn.utils.remove_weight_norm(layer).named_parameters())
    ['bias', 'weight']
    """
    for id, hook in module._forward_pre_hooks.items():
        if isinstance(hook, WeightNorm) and hook.name == name:
            hook.remove(module)
            del module._forward_pre_hooks[id]
            return module
    raise at_call(ValueError, f"weight_norm of '{name}' not found in {module}")
