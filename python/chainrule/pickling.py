"""Copying and pickling of tensors: what they share, they share afterwards too."""

from __future__ import annotations

import copyreg
from collections import OrderedDict
from copy import deepcopy
from typing import Any

from . import _core
from ._core import Tensor, UntypedStorage
from .error_words import at_call
from .user_warning import warn_user

# ---- what a tensor has besides its elements


def state_of(tensor: Tensor) -> Any:
    """Its attributes, those in slots beside the others, or what its class says."""
    own = type(tensor).__getstate__
    if own is not object.__getstate__:
        return own(tensor)
    slots = {name: getattr(tensor, name) for name in copyreg._slotnames(type(tensor)) if hasattr(tensor, name)}  # type: ignore[attr-defined]
    return (tensor.__dict__, slots) if slots else tensor.__dict__


def give_state(tensor: Any, state: Any) -> Any:
    """The tensor with the attributes that state_of() gave of another one."""
    if type(tensor).__setstate__ is not Tensor.__setstate__:
        tensor.__setstate__(state)
        return tensor
    attributes, slots = state if isinstance(state, tuple) else (state, None)
    if attributes:
        tensor.__dict__.update(attributes)
    for name, value in (slots or {}).items():
        setattr(tensor, name, value)
    return tensor


# ---- pickling


def restored_tensor(
    cls: type,
    storage: UntypedStorage,
    dtype: _core.dtype,
    offset: int,
    size: tuple[int, ...],
    stride: tuple[int, ...],
    requires_grad: bool,
    state: Any = None,
    bits: dict[str, bool] | None = None,
) -> Tensor:
    """What a pickled tensor becomes: a leaf over its storage, with its class and its attributes."""
    tensor = with_bits(storage._tensor(dtype, offset, size, stride), bits)
    if cls is not Tensor or requires_grad:
        tensor = _core.make_subclass(cls, tensor, requires_grad)
    return give_state(tensor, state) if state else tensor


def bits_of(tensor: Tensor) -> dict[str, bool] | None:
    """What PyTorch writes beside a tensor that shows conjugates or negatives of its storage."""
    bits = {name: True for name, has in (("conj", tensor.is_conj()), ("neg", tensor.is_neg())) if has}
    return bits or None


def with_bits(tensor: Tensor, bits: dict[str, bool] | None) -> Tensor:
    """The tensor, a fresh one, shown that way."""
    for name, has in (bits or {}).items():
        if has:
            tensor = (tensor.conj() if name == "conj" else _core.functions["_neg_view"](tensor)).detach()
    return tensor


def __reduce_ex__(self: Tensor, protocol: int):  # noqa: N807
    for hook in (self._backward_hooks or {}).values():
        if hasattr(hook, "__torch_unserializable__"):
            continue
        warn_user(
            f"backward hook {hook!r} on tensor will not be serialized.  If this is expected, you can decorate the "
            "function with @torch.utils.hooks.unserializable_hook to suppress this warning"
        )
    if is_wrapper(self):
        return _reduce_wrapper(self)
    if self.layout is not _core.strided:
        return _reduce_sparse(self)
    if self.is_meta:
        return _reduce_meta(self)
    place = (self.untyped_storage(), self.dtype, self.storage_offset(), tuple(self.shape), self.stride())
    return restored_tensor, (type(self), *place, self.requires_grad, state_of(self) or None, bits_of(self))


def is_wrapper(self: Tensor) -> bool:
    """Whether a class with a __torch_dispatch__ stands for the elements, which are not there."""
    if not hasattr(type(self), "__torch_dispatch__"):
        return False
    from .wrapped.parts import parts_of

    return parts_of(self) is not None


def _reduce_wrapper(self: Tensor) -> tuple:
    from ._utils import _rebuild_from_type_v2, _rebuild_wrapper_subclass

    place = (tuple(self.shape), self.stride(), self.storage_offset(), self.layout, self.device, self.requires_grad)
    form = (type(self), self.dtype, *place)
    return _rebuild_from_type_v2, (_rebuild_wrapper_subclass, type(self), form, state_of(self))


def _reduce_sparse(self: Tensor) -> tuple:
    from ._utils import _rebuild_parameter, sparse_form
    from .nn.parameter import Parameter

    if isinstance(self, Parameter):
        return _rebuild_parameter, (self.data, self.requires_grad, OrderedDict())
    return sparse_form(self)


def _reduce_meta(self: Tensor) -> tuple:
    from ._utils import _rebuild_meta_tensor_no_storage, _rebuild_parameter
    from .nn.parameter import Parameter

    if isinstance(self, Parameter):
        return _rebuild_parameter, (self.data, self.requires_grad, OrderedDict())
    return _rebuild_meta_tensor_no_storage, (self.dtype, tuple(self.shape), self.stride(), self.requires_grad)


def __setstate__(self: Tensor, state) -> None:  # noqa: N807
    """For subclasses whose own __reduce__ gives a state."""
    if not self.is_leaf:
        raise at_call(RuntimeError, "__setstate__ can be only called on leaf Tensors")
    self.__dict__.update(state)


# ---- copying


def _copied_elements(self: Tensor, memo: dict) -> Tensor:
    if self.layout is not _core.strided:
        return self.detach().clone()
    storage = deepcopy(self.untyped_storage(), memo)  # views of one storage stay views of one storage
    plain = storage._tensor(self.dtype, self.storage_offset(), self.shape, self.stride())
    if self.is_conj():
        plain = plain.conj_physical()
    return -plain if self.is_neg() else plain


def __deepcopy__(self: Tensor, memo: dict) -> Tensor:  # noqa: N807
    if not self.is_leaf:
        raise at_call(
            RuntimeError,
            "Only Tensors created explicitly by the user (graph leaves) support the deepcopy protocol at the moment.  "
            "If you were attempting to deepcopy a module, this may be because of a torch.nn.utils.weight_norm usage",
        )
    if id(self) in memo:
        return memo[id(self)]
    if is_wrapper(self):
        copy = self.detach().clone().requires_grad_(self.requires_grad)
        if type(copy) is not type(self):
            raise at_call(
                RuntimeError,
                "The default implementation of __deepcopy__() for wrapper subclasses only works for subclass types "
                "that properly implement clone().",
            )
    else:
        copy = _core.make_subclass(type(self), _copied_elements(self, memo), self.requires_grad)
    memo[id(self)] = copy
    if self.grad is not None:
        copy.grad = deepcopy(self.grad, memo)
    state = state_of(self)
    return give_state(copy, deepcopy(state, memo)) if state else copy


def __copy__(self: Tensor) -> Tensor:  # noqa: N807
    copy = _core.make_subclass(type(self), self.detach(), self.requires_grad)
    state = state_of(self)
    return give_state(copy, state) if state else copy


METHODS = (__reduce_ex__, __setstate__, __deepcopy__, __copy__)
