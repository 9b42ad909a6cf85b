"""Pruning: parameters multiplied by masks of zeros and ones, as torch.nn.utils.prune."""

from __future__ import annotations

import numbers
from abc import ABC, abstractmethod
from collections.abc import Iterable
from typing import Any

from ... import _core
from ..._core import Tensor
from ...error_words import at_call as _at_call
from ..modules.module import Module

_functions = _core.functions


class BasePruningMethod(ABC):
    """A way to choose what is pruned. A subclass says in `compute_mask` which elements stay.

    >>> from torch.nn.utils import prune
    >>> issubclass(prune.L1Unstructured, prune.BasePruningMethod)
    True
    """

    PRUNING_TYPE: str
    _tensor_name: str

    def __call__(self, module: Module, inputs: Any) -> None:
        """Before each call of the module: its parameter is the original one times the mask."""
        setattr(module, self._tensor_name, self.apply_mask(module))

    @abstractmethod
    def compute_mask(self, t: Tensor, default_mask: Tensor) -> Tensor:
        """The mask for `t`; what `default_mask` has pruned stays so."""

    def apply_mask(self, module: Module) -> Tensor:
        """The original parameter times the mask."""
        if self._tensor_name is None:
            raise _at_call(AssertionError, f"Module {module} has to be pruned")
        mask = getattr(module, self._tensor_name + "_mask")
        original = getattr(module, self._tensor_name + "_orig")
        return mask.to(dtype=original.dtype) * original

    @classmethod
    def apply(cls, module: Module, name: str, *args: Any, importance_scores: Any = None, **kwargs: Any) -> Any:
        """Prunes a parameter: it becomes `name`_orig, with the buffer `name`_mask, and `name` is their product."""
        old = [
            (key, hook)
            for key, hook in module._forward_pre_hooks.items()
            if isinstance(hook, BasePruningMethod) and hook._tensor_name == name
        ]
        if len(old) > 1:
            raise _at_call(
                AssertionError, f"Avoid adding multiple pruning hooks to the same tensor {name} of module {module}."
            )
        method: BasePruningMethod = cls(*args, **kwargs)
        method._tensor_name = name
        if old:
            key, before = old[0]
            del module._forward_pre_hooks[key]
            container = before if isinstance(before, PruningContainer) else PruningContainer(before)
            container.add_pruning_method(method)
            method = container
        original = getattr(module, name)
        scores = original if importance_scores is None else importance_scores
        if scores.shape != original.shape:
            raise _at_call(
                AssertionError, f"importance_scores should have the same shape as parameter {name} of {module}"
            )
        if not old:
            module.register_parameter(name + "_orig", original)
            del module._parameters[name]
            default_mask = _functions["ones_like"](original)
        else:
            default_mask = getattr(module, name + "_mask").detach().clone()
        try:
            mask = method.compute_mask(scores, default_mask)
        except Exception:
            if not old:  # as it was
                module.register_parameter(name, getattr(module, name + "_orig"))
                del module._parameters[name + "_orig"]
            raise
        module.register_buffer(name + "_mask", mask)
        setattr(module, name, method.apply_mask(module))
        module.register_forward_pre_hook(method)
        return method

    def prune(self, t: Tensor, default_mask: Tensor | None = None, importance_scores: Tensor | None = None) -> Tensor:
        """A pruned copy of `t`."""
        if importance_scores is not None and importance_scores.shape != t.shape:
            raise _at_call(AssertionError, "importance_scores should have the same shape as tensor t")
        scores = t if importance_scores is None else importance_scores
        default = _functions["ones_like"](t) if default_mask is None else default_mask
        return t * self.compute_mask(scores, default_mask=default)

    def remove(self, module: Module) -> None:
        """Makes the pruned values the parameter again; the mask is forgotten."""
        name = self._tensor_name
        if name is None:
            raise _at_call(AssertionError, f"Module {module} has to be pruned before pruning can be removed")
        weight = self.apply_mask(module)
        if hasattr(module, name):
            delattr(module, name)
        original = module._parameters[name + "_orig"]
        assert original is not None
        original.data = weight.data
        del module._parameters[name + "_orig"]
        del module._buffers[name + "_mask"]
        setattr(module, name, original)


class PruningContainer(BasePruningMethod):
    """Several methods, one after the other: each prunes what those before it have left.

    >>> from torch.nn.utils import prune
    >>> len(prune.PruningContainer())
    0
    """

    def __init__(self, *args: Any) -> None:
        self._pruning_methods: tuple[BasePruningMethod, ...] = ()
        methods = args[0] if len(args) == 1 and isinstance(args[0], Iterable) else args
        for method in methods:
            if not self._pruning_methods:
                self._tensor_name = method._tensor_name
            self.add_pruning_method(method)

    def add_pruning_method(self, method: BasePruningMethod | None) -> None:
        """One more at the end."""
        if not isinstance(method, BasePruningMethod) and method is not None:
            raise _at_call(TypeError, f"{type(method)} is not a BasePruningMethod subclass")
        if method is not None and self._tensor_name != method._tensor_name:
            raise _at_call(
                ValueError,
                "Can only add pruning methods acting on the parameter named "
                f"'{self._tensor_name}' to PruningContainer {self}. Found '{method._tensor_name}'",
            )
        self._pruning_methods += (method,)  # type: ignore[operator]

    def __len__(self) -> int:
        return len(self._pruning_methods)

    def __iter__(self) -> Any:
        return iter(self._pruning_methods)

    def __getitem__(self, index: Any) -> Any:
        return self._pruning_methods[index]

    def compute_mask(self, t: Tensor, default_mask: Tensor) -> Tensor:
        method = self._pruning_methods[-1]
        mask = default_mask.to(dtype=t.dtype)
        if method.PRUNING_TYPE == "unstructured":
            chosen: Any = mask == 1
        elif method.PRUNING_TYPE == "structured":
            dim = method.dim if method.dim >= 0 else t.dim() + method.dim  # type: ignore[attr-defined]
            kept = mask.sum([d for d in range(t.dim()) if d != dim]) != 0
            chosen = (*(slice(None),) * dim, kept)
        elif method.PRUNING_TYPE == "global":
            chosen = (slice(None),) * t.dim()
        else:
            raise _at_call(ValueError, f"Unrecognized PRUNING_TYPE {method.PRUNING_TYPE}")
        new = mask.clone()
        new[chosen] = method.compute_mask(t[chosen], default_mask=mask[chosen]).to(dtype=new.dtype)
        return new


class Identity(BasePruningMethod):
    """Prunes nothing, but makes the mask.

    >>> from torch.nn.utils import prune
    >>> prune.Identity().prune(torch.tensor([5., 6.]))
    tensor([5., 6.])
    """

    PRUNING_TYPE = "unstructured"

    def compute_mask(self, t: Tensor, default_mask: Tensor) -> Tensor:
        return default_mask


class _ByAmount(BasePruningMethod):
    """A share of the elements (a float from 0 to 1), or a number of them."""

    def __init__(self, amount: float) -> None:
        if not isinstance(amount, numbers.Real):
            raise _at_call(TypeError, f"Invalid type for amount: {amount}. Must be int or float.")
        if (isinstance(amount, numbers.Integral) and amount < 0) or (
            not isinstance(amount, numbers.Integral) and not 0.0 <= float(amount) <= 1.0
        ):
            raise _at_call(
                ValueError, f"amount={amount} should either be a float in the range [0, 1] or a non-negative integer"
            )
        self.amount = amount

    def _count(self, size: int) -> int:
        if isinstance(self.amount, numbers.Integral):
            if self.amount > size:
                raise _at_call(
                    ValueError, f"amount={self.amount} should be smaller than the number of parameters to prune={size}"
                )
            return int(self.amount)
        return round(float(self.amount) * size)


class RandomUnstructured(_ByAmount):
    """Prunes elements by chance.

    >>> from torch.nn.utils import prune
    >>> int((prune.RandomUnstructured(amount=1).prune(torch.ones(2)) == 0).sum())
    1
    """

    PRUNING_TYPE = "unstructured"

    def compute_mask(self, t: Tensor, default_mask: Tensor) -> Tensor:
        count = self._count(t.nelement())
        mask = default_mask.clone()
        if count:
            lowest = _functions["topk"](_functions["rand_like"](t).view(-1), k=count)
            mask.view(-1)[lowest.indices] = 0
        return mask


class L1Unstructured(_ByAmount):
    """Prunes the elements with the smallest absolute values.

    >>> from torch.nn.utils import prune
    >>> prune.L1Unstructured(amount=1).prune(torch.tensor([5., 6.]))
    tensor([0., 6.])
    """

    PRUNING_TYPE = "unstructured"

    def compute_mask(self, t: Tensor, default_mask: Tensor) -> Tensor:
        count = self._count(t.nelement())
        mask = default_mask.clone()
        if count:
            mask.view(-1)[_functions["topk"](t.abs().view(-1), k=count, largest=False).indices] = 0
        return mask


class _Structured(_ByAmount):
    PRUNING_TYPE = "structured"

    def __init__(self, amount: float, dim: int = -1) -> None:
        super().__init__(amount)
        self.dim = dim

    def _check(self, t: Tensor) -> None:
        if t.dim() <= 1:
            raise _at_call(
                ValueError,
                "Structured pruning can only be applied to multidimensional tensors. Found tensor of shape "
                f"{t.shape} with {t.dim()} dims",
            )
        if self.dim >= t.dim():
            raise _at_call(IndexError, f"Invalid index {self.dim} for tensor of size {t.shape}")

    def _keep(self, t: Tensor, kept: Tensor, default_mask: Tensor) -> Tensor:
        mask = _functions["zeros_like"](t)
        mask.index_fill_(self.dim, kept, 1)
        return mask * default_mask.to(dtype=mask.dtype)


class RandomStructured(_Structured):
    """Prunes whole slices of a dimension by chance.

    >>> from torch.nn.utils import prune
    >>> int((prune.RandomStructured(amount=1, dim=0).prune(torch.ones(2, 3)) == 0).sum())
    3
    """

    def compute_mask(self, t: Tensor, default_mask: Tensor) -> Tensor:
        self._check(t)
        size = t.shape[self.dim]
        count = self._count(size)
        if count == 0:
            return default_mask
        threshold = _functions["kthvalue"](scores := _functions["rand"](size), k=count).values
        return self._keep(t, (scores > threshold).nonzero().view(-1), default_mask)


class LnStructured(_Structured):
    """Prunes the slices of a dimension with the smallest norms.

    >>> from torch.nn.utils import prune
    >>> prune.LnStructured(amount=1, n=2, dim=0).prune(torch.tensor([[5., 5.], [1., 1.]]))
    tensor([[5., 5.],
            [0., 0.]])
    """

    def __init__(self, amount: float, n: Any, dim: int = -1) -> None:
        super().__init__(amount, dim)
        self.n = n

    def compute_mask(self, t: Tensor, default_mask: Tensor) -> Tensor:
        self._check(t)
        size = t.shape[self.dim]
        count = self._count(size)
        if count == 0:
            return default_mask
        own = self.dim if self.dim >= 0 else t.dim() + self.dim
        norms = _functions["norm"](t, p=self.n, dim=[d for d in range(t.dim()) if d != own])
        return self._keep(t, _functions["topk"](norms, k=size - count, largest=True).indices, default_mask)


class CustomFromMask(BasePruningMethod):
    """Prunes what a given mask says.

    >>> from torch.nn.utils import prune
    >>> prune.CustomFromMask(torch.tensor([1., 0.])).compute_mask(torch.ones(2), torch.ones(2))
    tensor([1., 0.])
    """

    PRUNING_TYPE = "global"

    def __init__(self, mask: Tensor) -> None:
        self.mask = mask

    def compute_mask(self, t: Tensor, default_mask: Tensor) -> Tensor:
        return default_mask * self.mask.to(dtype=default_mask.dtype)


def identity(module: Module, name: str) -> Module:
    """Makes the mask of a parameter without pruning it.

    >>> from torch.nn.utils import prune
    >>> prune.identity(torch.nn.Linear(2, 2), "weight").weight_mask
    tensor([[1., 1.],
            [1., 1.]])
    """
    Identity.apply(module, name)
    return module


def random_unstructured(module: Module, name: str, amount: float) -> Module:
    """Prunes elements of a parameter by chance: a share, or a number of them.

    >>> from torch.nn.utils import prune
    >>> layer = prune.random_unstructured(torch.nn.Linear(2, 2), "weight", amount=1)
    >>> int((layer.weight == 0).sum())
    1
    """
    RandomUnstructured.apply(module, name, amount)
    return module


def l1_unstructured(module: Module, name: str, amount: float, importance_scores: Tensor | None = None) -> Module:
    """Prunes the elements of a parameter with the smallest absolute values: a share, or a number of them.

    >>> from torch.nn.utils import prune
    >>> layer = prune.l1_unstructured(torch.nn.Linear(2, 2), "weight", amount=3)
    >>> int((layer.weight == 0).sum())
    3
    """
    L1Unstructured.apply(module, name, amount=amount, importance_scores=importance_scores)
    return module


def random_structured(module: Module, name: str, amount: float, dim: int) -> Module:
    """Prunes slices of a parameter's dimension by chance.

    >>> from torch.nn.utils import prune
    >>> layer = prune.random_structured(torch.nn.Linear(3, 2), "weight", amount=1, dim=0)
    >>> int((layer.weight == 0).sum())
    3
    """
    RandomStructured.apply(module, name, amount, dim)
    return module


def ln_structured(
    module: Module, name: str, amount: float, n: Any, dim: int, importance_scores: Tensor | None = None
) -> Module:
    """Prunes the slices of a parameter's dimension with the smallest n-norms.

    >>> from torch.nn.utils import prune
    >>> layer = prune.ln_structured(torch.nn.Linear(3, 2), "weight", amount=1, n=2, dim=0)
    >>> int((layer.weight == 0).sum())
    3
    """
    LnStructured.apply(module, name, amount, n, dim, importance_scores=importance_scores)
    return module


def custom_from_mask(module: Module, name: str, mask: Tensor) -> Module:
    """Prunes a parameter by a given mask.

    >>> from torch.nn.utils import prune
    >>> layer = prune.custom_from_mask(torch.nn.Linear(1, 2), "bias", torch.tensor([1., 0.]))
    >>> abs(layer.bias[1].item())
    0.0
    """
    CustomFromMask.apply(module, name, mask)
    return module


def global_unstructured(
    parameters: Iterable[tuple[Module, str]], pruning_method: Any, importance_scores: Any = None, **kwargs: Any
) -> None:
    """Prunes several parameters as if they were one vector.

    >>> from torch.nn.utils import prune
    >>> a, b = torch.nn.Linear(2, 2), torch.nn.Linear(2, 2)
    >>> prune.global_unstructured([(a, "weight"), (b, "weight")], prune.L1Unstructured, amount=4)
    >>> int((a.weight == 0).sum() + (b.weight == 0).sum())
    4
    """
    if not isinstance(parameters, Iterable):
        raise _at_call(TypeError, "global_unstructured(): parameters is not an Iterable")
    parameters = list(parameters)
    importance_scores = {} if importance_scores is None else importance_scores
    if not isinstance(importance_scores, dict):
        raise _at_call(TypeError, "global_unstructured(): importance_scores must be of type dict")
    vector, flatten = _functions["cat"], lambda t: t.reshape(-1)
    scores = vector([flatten(importance_scores.get((m, n), getattr(m, n))) for m, n in parameters])
    masks = vector([flatten(getattr(m, n + "_mask", _functions["ones_like"](getattr(m, n)))) for m, n in parameters])
    container = PruningContainer()
    container._tensor_name = "temp"
    method = pruning_method(**kwargs)
    method._tensor_name = "temp"
    container.add_pruning_method(method)
    if method.PRUNING_TYPE != "unstructured":
        raise _at_call(
            TypeError,
            'Only "unstructured" PRUNING_TYPE supported for the `pruning_method`. '
            f"Found method {pruning_method} of type {method.PRUNING_TYPE}",
        )
    found, begin = container.compute_mask(scores, masks), 0
    for module, name in parameters:
        parameter = getattr(module, name)
        custom_from_mask(module, name, mask=found[begin : begin + parameter.numel()].view_as(parameter))
        begin += parameter.numel()


def remove(module: Module, name: str) -> Module:
    """Makes the pruned values the parameter again; the mask is forgotten.

    >>> from torch.nn.utils import prune
    >>> layer = prune.l1_unstructured(torch.nn.Linear(2, 2), "weight", amount=1)
    >>> prune.is_pruned(prune.remove(layer, "weight"))
    False
    """
    for key, hook in module._forward_pre_hooks.items():
        if isinstance(hook, BasePruningMethod) and hook._tensor_name == name:
            hook.remove(module)
            del module._forward_pre_hooks[key]
            return module
    raise _at_call(ValueError, f"Parameter '{name}' of module {module} has to be pruned before pruning can be removed")


def is_pruned(module: Module) -> bool:
    """Whether any parameter in the module is pruned.

    >>> from torch.nn.utils import prune
    >>> prune.is_pruned(torch.nn.Linear(2, 2))
    False
    """
    return any(
        isinstance(hook, BasePruningMethod)
        for _, submodule in module.named_modules()
        for hook in submodule._forward_pre_hooks.values()
    )
