"""functorch, the package that torch.func was before: its transforms, and modules as functions of a tuple of tensors."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from copy import deepcopy
from typing import Any

from ._core import Tensor, functions
from .error_words import at_call
from .func import functionalize as functionalize
from .func import grad as grad
from .func import grad_and_value as grad_and_value
from .func import hessian as hessian
from .func import jacfwd as jacfwd
from .func import jacrev as jacrev
from .func import jvp as jvp
from .func import vjp as vjp
from .func import vmap as vmap
from .func.modules import functional_call
from .fx.experimental.proxy_tensor import make_fx as make_fx
from .nn import Module
from .torch_version import __version__ as __version__

_Tensors = tuple[Tensor, ...]


class FunctionalModuleWithBuffers(Module):
    """A module as a function of its parameters, its buffers and its arguments."""

    def __init__(self, model: Module):
        super().__init__()
        self.stateless_model = deepcopy(model).to("meta")
        self.param_names = tuple(name for name, _ in model.named_parameters())
        self.buffer_names = tuple(name for name, _ in model.named_buffers())

    def forward(self, params: Sequence[Tensor], buffers: Sequence[Tensor], *args: Any, **kwargs: Any) -> Any:
        names, values = (*self.param_names, *self.buffer_names), (*params, *buffers)
        return functional_call(self.stateless_model, dict(zip(names, values, strict=False)), args, kwargs)


class FunctionalModule(FunctionalModuleWithBuffers):
    """A module without buffers as a function of its parameters and its arguments."""

    def forward(self, params: Sequence[Tensor], *args: Any, **kwargs: Any) -> Any:
        return super().forward(params, (), *args, **kwargs)


def make_functional(
    model: Module, disable_autograd_tracking: bool = False
) -> tuple[Callable[..., Any], tuple[Tensor, ...]]:
    """The module as a function of a tuple of parameters, and copies of its own.

    Args:
        disable_autograd_tracking: whether the copies do without gradients.

    >>> from chainrule.functorch import make_functional
    >>> function, parameters = make_functional(torch.nn.Linear(2, 1))
    >>> function((torch.ones(1, 2), torch.zeros(1)), torch.tensor([1., 2.]))
    tensor([3.])
    """
    if any(True for _ in model.buffers()):
        raise at_call(
            RuntimeError,
            "make_functional(model): `model` has buffers. Please use make_functional_with_buffers(model) instead.",
        )
    return FunctionalModule(model), _copies(model, disable_autograd_tracking)[0]


def make_functional_with_buffers(
    model: Module, disable_autograd_tracking: bool = False
) -> tuple[Callable[..., Any], tuple[Tensor, ...], tuple[Tensor, ...]]:
    """The module as a function of a tuple of parameters and one of buffers, and copies of its own.

    Args:
        disable_autograd_tracking: whether the copies do without gradients.
    """
    return FunctionalModuleWithBuffers(model), *_copies(model, disable_autograd_tracking)


def _copies(model: Module, disable_autograd_tracking: bool) -> tuple[_Tensors, _Tensors]:
    copy = deepcopy(model)
    if disable_autograd_tracking:
        copy.requires_grad_(False)
    return tuple(copy.parameters()), tuple(copy.buffers())


def combine_state_for_ensemble(models: Sequence[Module]) -> tuple[Callable[..., Any], _Tensors, _Tensors]:
    """One module as a function, and the parameters and buffers of all, stacked: for vmap over the modules."""
    if not models:
        raise at_call(RuntimeError, "combine_state_for_ensemble: Expected at least one model, got 0.")
    if len({m.training for m in models}) > 1:
        raise at_call(
            RuntimeError, "combine_state_for_ensemble: Expected all models to have the same training/eval mode."
        )
    if len({type(m) for m in models}) > 1:
        raise at_call(RuntimeError, "combine_state_for_ensemble: Expected all models to be of the same class.")
    states = [_copies(model, True) for model in models]
    parameters, buffers = (
        tuple(functions["stack"](together).detach() for together in zip(*kind, strict=True))
        for kind in zip(*states, strict=True)
    )
    return FunctionalModuleWithBuffers(models[0]), parameters, buffers
