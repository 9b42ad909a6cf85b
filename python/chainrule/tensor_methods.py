"""Methods of Tensor that need no speed, written in Python and attached to the type."""

from __future__ import annotations

from collections.abc import Callable

from . import _core
from ._core import Tensor


def is_in_submodule(name: str) -> bool:
    """Whether PyTorch keeps this function of the core in nn.functional, special, linalg or fft."""
    return name in _core.functional_names or name.startswith(("special_", "linalg_", "fft_"))


class RemovableHandle:
    """Takes a hook back."""

    _next_id = 0

    def __init__(self, hooks: dict):
        self.id = RemovableHandle._next_id
        RemovableHandle._next_id += 1
        self._hooks = hooks

    def remove(self) -> None:
        """Removes the hook; a second call does nothing."""
        self._hooks.pop(self.id, None)

    def __enter__(self) -> RemovableHandle:
        return self

    def __exit__(self, *exception) -> None:
        self.remove()


def _add_hook(hooks: dict, hook: Callable) -> RemovableHandle:
    handle = RemovableHandle(hooks)
    hooks[handle.id] = hook
    return handle


def register_hook(self: Tensor, hook: Callable) -> RemovableHandle:
    """Calls `hook(grad)` whenever this tensor's gradient is calculated; what it returns replaces the gradient."""
    return _add_hook(self._hooks(), hook)


def register_post_accumulate_grad_hook(self: Tensor, hook: Callable) -> RemovableHandle:
    """Calls `hook(tensor)` after a gradient was added to this leaf's .grad."""
    return _add_hook(self._post_hooks(), hook)


def numpy(self: Tensor, *, force: bool = False):
    """The tensor as a NumPy array that shares its memory."""
    import numpy

    if not isinstance(force, bool):
        raise TypeError(f"numpy(): argument 'force' must be bool, not {type(force).__name__}")
    if self.requires_grad and not force:
        raise RuntimeError("Can't call numpy() on Tensor that requires grad. Use tensor.detach().numpy() instead.")
    self._mark_numpy()
    return numpy.asarray(memoryview(self.detach()))


def __array__(self: Tensor, dtype=None, copy=None):  # noqa: N807
    array = numpy(self)
    return array if dtype is None else array.astype(dtype, copy=False)


def __iter__(self: Tensor):  # noqa: N807
    if self.ndim == 0:
        raise TypeError("iteration over a 0-d tensor")
    return (self[i] for i in range(len(self)))


def __reversed__(self: Tensor):  # noqa: N807
    return self if self.ndim == 0 else self.flip(0)


def __complex__(self: Tensor) -> complex:  # noqa: N807
    if self.numel() != 1:
        raise ValueError("only one element tensors can be converted to Python scalars")
    return complex(self.item())


def __format__(self: Tensor, spec: str) -> str:  # noqa: N807
    return self.item().__format__(spec) if self.ndim == 0 and type(self) is Tensor else object.__format__(self, spec)


def __repr__(self: Tensor, *, tensor_contents=None) -> str:  # noqa: N807
    from .autograd.grad_mode import no_grad
    from .printing import tensor_repr

    with no_grad():
        return tensor_repr(self, tensor_contents=tensor_contents)


def __deepcopy__(self: Tensor, memo: dict) -> Tensor:  # noqa: N807
    if not self.is_leaf:
        raise RuntimeError(
            "Only Tensors created explicitly by the user (graph leaves) support the deepcopy protocol at the moment.  "
            "If you were attempting to deepcopy a module, this may be because of a torch.nn.utils.weight_norm usage"
        )
    from copy import deepcopy

    if id(self) in memo:
        return memo[id(self)]
    copy = _core.make_subclass(type(self), self.detach().clone(), self.requires_grad)
    if self.grad is not None:
        copy.grad = __deepcopy__(self.grad, memo)
    memo[id(self)] = copy
    if self.__dict__:
        copy.__dict__.update(deepcopy(self.__dict__, memo))
    return copy


def __copy__(self: Tensor) -> Tensor:  # noqa: N807
    copy = _core.make_subclass(type(self), self.detach(), self.requires_grad)
    copy.__dict__.update(self.__dict__)
    return copy


def is_inference(self: Tensor) -> bool:
    """Whether the tensor was made under inference_mode, and so can never be part of a graph."""
    return _core.is_inference(self)


def as_subclass(self: Tensor, cls: type) -> Tensor:
    """The same values as an instance of `cls`."""
    return _core.view_as_subclass(cls, self)


def _make_subclass(cls: type, data: Tensor, require_grad: bool = False) -> Tensor:
    return _core.make_subclass(cls, data, require_grad)


_METHODS = (
    *("register_hook", "register_post_accumulate_grad_hook", "numpy", "is_inference", "as_subclass"),
    *("__array__", "__iter__", "__reversed__", "__complex__", "__format__", "__repr__", "__copy__", "__deepcopy__"),
)


def _attach() -> None:
    here = globals()
    for name in _METHODS:
        setattr(Tensor, name, here[name])
    Tensor._make_subclass = staticmethod(_make_subclass)
    Tensor.__array_priority__ = 1000  # so that NumPy's operators give way to ours


_attach()
