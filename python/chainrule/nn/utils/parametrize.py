"""Parametrizations: a module's tensor as a function of other tensors, which are what is learned."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from copy import deepcopy
from typing import Any

from ..._core import Tensor
from ...autograd.grad_mode import no_grad
from ...error_words import at_call
from ..modules.container import ModuleDict, ModuleList
from ..modules.module import Module
from ..parameter import Parameter

__all__ = [
    "ParametrizationList",
    "cached",
    "is_parametrized",
    "register_parametrization",
    "remove_parametrizations",
    "transfer_parametrizations_and_params",
    "type_before_parametrizations",
]


class _Cache:
    users = 0
    tensors: dict[tuple[int, str], Tensor] = {}  # noqa: RUF012


@contextmanager
def cached() -> Iterator[None]:
    """Inside, each parametrized tensor is calculated once.

    >>> with torch.nn.utils.parametrize.cached():  # parametrized weights are calculated once in here
    ...     y = torch.nn.Linear(2, 2)(torch.ones(1, 2))
    """
    _Cache.users += 1
    try:
        yield
    finally:
        _Cache.users -= 1
        if not _Cache.users:
            _Cache.tensors = {}


def _register(module: Module, name: str, tensor: Tensor) -> None:
    if isinstance(tensor, Parameter):
        module.register_parameter(name, tensor)
    else:
        module.register_buffer(name, tensor)


class ParametrizationList(ModuleList):
    """The parametrizations of one tensor, first to last, and the original tensors that they start from.

    >>> layer = torch.nn.Linear(2, 2)
    >>> _ = torch.nn.utils.parametrize.register_parametrization(layer, "weight", torch.nn.Identity())
    >>> len(layer.parametrizations.weight)
    1
    """

    def __init__(self, modules: Sequence[Module], original: Tensor, unsafe: bool = False) -> None:
        if len(modules) == 0:
            raise at_call(ValueError, "ParametrizationList requires one or more modules.")
        super().__init__(modules)
        self.unsafe = unsafe
        shape, dtype = original.shape, original.dtype
        new = self._first_original(original)
        self.is_tensor = isinstance(new, Tensor)
        self.ntensors = 1 if self.is_tensor else len(new)
        if self.is_tensor:
            if original.dtype != new.dtype:
                raise at_call(
                    ValueError,
                    "When `right_inverse` outputs one tensor, it may not change the dtype.\n"
                    f"original.dtype: {original.dtype}\nright_inverse(original).dtype: {new.dtype}",
                )
            if original.device != new.device:
                raise at_call(
                    ValueError,
                    "When `right_inverse` outputs one tensor, it may not change the device.\n"
                    f"original.device: {original.device}\nright_inverse(original).device: {new.device}",
                )
            original.data = new.data
            _register(self, "original", original)
        else:
            for i, part in enumerate(new):
                self._register_part(i, part, original)
        if not unsafe:
            result = self()
            _require_tensor(result)
            _require_same("dtype", "unparametrized dtype", dtype, "parametrized dtype", result.dtype)
            _require_same("shape", "unparametrized shape", shape, "parametrized shape", result.shape)

    @no_grad()
    def _first_original(self, original: Tensor) -> Any:
        new: Any = original
        for module in reversed(self):
            if hasattr(module, "right_inverse"):
                try:
                    new = module.right_inverse(new)
                except NotImplementedError:
                    continue  # the tensor itself is as good a start as any
        if not isinstance(new, (Tensor, Sequence)):
            raise at_call(
                ValueError,
                "'right_inverse' must return a Tensor or a Sequence of tensors (list, tuple...). "
                f"Got {type(new).__name__}",
            )
        return new

    def _register_part(self, i: int, part: Any, original: Tensor) -> None:
        if not isinstance(part, Tensor):
            raise at_call(
                ValueError,
                "'right_inverse' must return a Tensor or a Sequence of tensors (list, tuple...). "
                f"Got element {i} of the sequence with type {type(part).__name__}.",
            )
        if isinstance(original, Parameter):
            part = Parameter(part, original.requires_grad)
        part._as_leaf(original.requires_grad)
        _register(self, f"original{i}", part)

    def _originals(self) -> list[Tensor]:
        return [self.original] if self.is_tensor else [getattr(self, f"original{i}") for i in range(self.ntensors)]

    @no_grad()
    def right_inverse(self, value: Tensor) -> None:
        """Sets the originals so that the parametrized tensor becomes `value`."""
        new: Any = value
        for module in reversed(self):
            if not hasattr(module, "right_inverse"):
                raise at_call(
                    RuntimeError, f"parametrization {type(module).__name__} does not implement right_inverse."
                )
            new = module.right_inverse(new)
        if self.is_tensor and not isinstance(new, Tensor):
            raise at_call(ValueError, f"`right_inverse` should return a tensor. Got {type(new).__name__}")
        if not self.is_tensor and not isinstance(new, Sequence):
            raise at_call(ValueError, f"'right_inverse' must return a sequence of tensors. Got {type(new).__name__}.")
        if not self.is_tensor and len(new) != self.ntensors:
            raise at_call(
                ValueError,
                f"'right_inverse' must return a sequence of tensors of length {self.ntensors}. "
                f"Got a sequence of length {len(new)}.",
            )
        parts = [new] if self.is_tensor else new
        for i, (own, part) in enumerate(zip(self._originals(), parts, strict=True)):
            if own.dtype != part.dtype:
                what = "The tensor" if self.is_tensor else f"Tensor {i}"
                name = "original" if self.is_tensor else f"original{i}"
                raise at_call(
                    ValueError,
                    f"{what} returned by `right_inverse` has dtype {part.dtype} while `{name}` has dtype {own.dtype}",
                )
            own.data = part.data

    def forward(self) -> Tensor:
        """The parametrized tensor."""
        first, *others = self
        tensor = first(*self._originals())
        for module in others:
            tensor = module(tensor)
        return tensor


def _require_tensor(value: Any) -> None:
    if not isinstance(value, Tensor):
        raise at_call(ValueError, f"A parametrization must return a tensor. Got {type(value).__name__}.")


def _require_same(what: str, name: str, before: Any, new_name: str, after: Any) -> None:
    if before != after:
        raise at_call(
            ValueError,
            f"Registering a parametrization may not change the {what} of the tensor, unless `unsafe` flag is enabled.\n"
            f"{name}: {before}\n{new_name}: {after}",
        )


# ---- the module's new class


def _inject_new_class(module: Module) -> None:
    """Gives the module a class of its own, so that a property of it is nobody else's."""
    cls = type(module)

    def copied(self: Any, memo: dict) -> Any:
        if id(self) not in memo:
            replica = memo[id(self)] = self.__new__(type(self))
            Module.__setstate__(replica, deepcopy(self.__dict__, memo))
        return memo[id(self)]

    def refuse(self: Any) -> Any:
        raise at_call(
            RuntimeError,
            "Serialization of parametrized modules is only supported through state_dict(). See:\n"
            "https://pytorch.org/tutorials/beginner/saving_loading_models.html"
            "#saving-loading-a-general-checkpoint-for-inference-and-or-resuming-training",
        )

    members: dict[str, Any] = {"__getstate__": refuse}
    if not hasattr(cls, "__deepcopy__"):
        members["__deepcopy__"] = copied
    module.__class__ = type(f"Parametrized{cls.__name__}", (cls,), members)


def _inject_property(module: Module, name: str) -> None:
    if hasattr(module, name):
        raise at_call(AssertionError, f"Module already has an attribute named '{name}'")

    def get(self: Any) -> Tensor:
        parametrization = self.parametrizations[name]
        if not _Cache.users:
            return parametrization()
        key = (id(self), name)
        if key not in _Cache.tensors:
            _Cache.tensors[key] = parametrization()
        return _Cache.tensors[key]

    def set_(self: Any, value: Tensor) -> None:
        self.parametrizations[name].right_inverse(value)

    setattr(type(module), name, property(get, set_))


def register_parametrization(
    module: Module, tensor_name: str, parametrization: Module, *, unsafe: bool = False
) -> Module:
    """Makes a parameter or buffer the result of `parametrization` of an original, which is learned instead.

    Args:
        parametrization: a module whose forward gives the tensor; its right_inverse, if it has one, gives an original
            for a tensor, and is used when somebody assigns to the parametrized name.
        unsafe: do not check that shape and dtype stay the same.

    >>> class Positive(torch.nn.Module):
    ...     def forward(self, x):
    ...         return x.exp()
    >>> layer = torch.nn.utils.parametrize.register_parametrization(torch.nn.Linear(2, 2), "weight", Positive())
    >>> bool((layer.weight > 0).all())
    True
    """
    parametrization.train(module.training)
    if is_parametrized(module, tensor_name):
        if not unsafe:
            _check_further(module, tensor_name, parametrization)
        module.parametrizations[tensor_name].append(parametrization)
        module.parametrizations[tensor_name].unsafe |= unsafe
    elif tensor_name in module._buffers or tensor_name in module._parameters:
        original = getattr(module, tensor_name)
        parametrizations = ParametrizationList([parametrization], original, unsafe=unsafe)
        delattr(module, tensor_name)
        if not is_parametrized(module):
            _inject_new_class(module)
            module.parametrizations = ModuleDict()
        _inject_property(module, tensor_name)
        module.parametrizations[tensor_name] = parametrizations
    else:
        raise at_call(
            ValueError,
            f"Module '{module}' does not have a parameter, a buffer, or a parametrized element with name "
            f"'{tensor_name}'",
        )
    return module


def _check_further(module: Module, name: str, parametrization: Any) -> None:
    before = getattr(module, name)
    after = parametrization(before)
    _require_tensor(after)
    for what in ("dtype", "shape"):
        old, new = getattr(before, what), getattr(after, what)
        if old != new:
            raise at_call(
                ValueError,
                f"Registering a parametrization may not change the {what} of the tensor, unless the `unsafe` flag is "
                f"enabled.\nmodule.{name}.{what}: {old}\nparametrization(module.{name}).{what}: {new}",
            )
    if not hasattr(parametrization, "right_inverse"):
        return
    try:
        back = parametrization.right_inverse(after)
    except NotImplementedError:
        return
    if not isinstance(back, Tensor):
        raise at_call(ValueError, f"parametrization.right_inverse must return a tensor. Got: {type(back).__name__}")
    for what in ("dtype", "shape"):
        old, new = getattr(before, what), getattr(back, what)
        if old != new:
            raise at_call(
                ValueError,
                f"The tensor returned by parametrization.right_inverse must have the same {what} as module.{name}, "
                f"unless the `unsafe` flag is enabled.\nmodule.{name}.{what}: {old}\nreturned {what}: {new}",
            )


def is_parametrized(module: Module, tensor_name: str | None = None) -> bool:
    """Whether a tensor of the module, or any, is parametrized.

    >>> torch.nn.utils.parametrize.is_parametrized(torch.nn.Linear(2, 2))
    False
    """
    parametrizations = getattr(module, "parametrizations", None)
    if not isinstance(parametrizations, ModuleDict):
        return False
    return len(parametrizations) > 0 if tensor_name is None else tensor_name in parametrizations


def remove_parametrizations(module: Module, tensor_name: str, leave_parametrized: bool = True) -> Module:
    """Makes a tensor plain again: with its parametrized value, or with the original one.

    >>> layer = torch.nn.Linear(2, 2)
    >>> _ = torch.nn.utils.parametrize.register_parametrization(layer, "weight", torch.nn.Identity())
    >>> layer = torch.nn.utils.parametrize.remove_parametrizations(layer, "weight")
    >>> torch.nn.utils.parametrize.is_parametrized(layer)
    False
    """
    if not is_parametrized(module, tensor_name):
        raise at_call(ValueError, f"Module {module} does not have a parametrization on {tensor_name}")
    parametrizations = module.parametrizations[tensor_name]
    if parametrizations.is_tensor:
        tensor = parametrizations.original
        if leave_parametrized:
            with no_grad():
                tensor.data = getattr(module, tensor_name).data
    elif leave_parametrized:
        tensor = getattr(module, tensor_name)
        tensor = Parameter(tensor) if tensor.requires_grad else tensor
    else:
        raise at_call(
            ValueError,
            "Cannot leave unparametrized (`leave_parametrized=False`) a tensor that is parametrized in terms of a "
            "sequence of tensors.",
        )
    delattr(type(module), tensor_name)
    del module.parametrizations[tensor_name]
    _register(module, tensor_name, tensor)
    if not is_parametrized(module):
        delattr(module, "parametrizations")
        module.__class__ = type(module).__bases__[0]
    return module


def type_before_parametrizations(module: Module) -> type:
    """The class that the module had.

    >>> layer = torch.nn.Linear(2, 2)
    >>> _ = torch.nn.utils.parametrize.register_parametrization(layer, "weight", torch.nn.Identity())
    >>> torch.nn.utils.parametrize.type_before_parametrizations(layer).__name__
    'Linear'
    """
    return type(module).__bases__[0] if is_parametrized(module) else type(module)


def transfer_parametrizations_and_params(
    from_module: Module, to_module: Module, tensor_name: str | None = None
) -> Module:
    """Gives to_module the parametrizations of from_module and their originals.

    >>> a = torch.nn.Linear(2, 2)
    >>> _ = torch.nn.utils.parametrize.register_parametrization(a, "weight", torch.nn.Identity())
    >>> b = torch.nn.utils.parametrize.transfer_parametrizations_and_params(a, torch.nn.Linear(2, 2))
    >>> torch.nn.utils.parametrize.is_parametrized(b, "weight")
    True
    """
    if not is_parametrized(from_module):
        return to_module
    for name in list(from_module.parametrizations) if tensor_name is None else [tensor_name]:
        source = from_module.parametrizations[name]
        if not hasattr(to_module, name):
            setattr(to_module, name, Parameter(getattr(from_module, name)))
        for parametrization in source:
            register_parametrization(to_module, name, parametrization)
        target = to_module.parametrizations[name]
        for original in ["original"] if source.is_tensor else [f"original{i}" for i in range(source.ntensors)]:
            setattr(target, original, getattr(source, original))
    return to_module
