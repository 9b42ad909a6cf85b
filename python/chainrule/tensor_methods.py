"""Methods of Tensor that need no speed, written in Python and attached to the type."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from . import _core, interop, pickling, python_loops, storage_bytes
from ._core import Tensor
from .compat import removed
from .error_words import at_call
from .user_warning import warn_user


def is_in_submodule(name: str) -> bool:
    """Whether PyTorch keeps this function of the core in nn.functional, special, linalg or fft."""
    return name in _core.functional_names or name.startswith(("special_", "linalg_", "fft_"))


class RemovableHandle:
    """Takes a hook back.

    >>> x = torch.ones(1, requires_grad=True)
    >>> handle = x.register_hook(lambda g: 2 * g)
    >>> handle.remove()
    """

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
    """Calls `hook(grad)` whenever this tensor's gradient is calculated; what it returns replaces the gradient.

    Shape and dtype: Any shape; floating or complex, with a gradient.
    Derivative: g, or what the hook returns in its place

    >>> x = torch.tensor(3., requires_grad=True)
    >>> handle = x.register_hook(lambda g: g * 10)
    >>> x.backward()
    >>> x.grad
    tensor(10.)
    """
    return _add_hook(self._hooks(), hook)


def register_post_accumulate_grad_hook(self: Tensor, hook: Callable) -> RemovableHandle:
    """Calls `hook(tensor)` after a gradient was added to this leaf's .grad.

    Shape and dtype: Any shape; a floating or complex leaf that requires a gradient.
    Derivative: none, the values stay as they are

    >>> x = torch.tensor(3., requires_grad=True)
    >>> handle = x.register_post_accumulate_grad_hook(lambda t: print(t.grad))
    >>> (x * x).backward()
    tensor(6.)
    """
    return _add_hook(self._post_hooks(), hook)


def __iter__(self: Tensor):  # noqa: N807
    if self.ndim == 0:
        raise at_call(TypeError, "iteration over a 0-d tensor")
    return iter(self.unbind(0))


def __reversed__(self: Tensor):  # noqa: N807
    return self if self.ndim == 0 else self.flip(0)


def __complex__(self: Tensor) -> complex:  # noqa: N807
    if self.numel() != 1:
        raise at_call(ValueError, "only one element tensors can be converted to Python scalars")
    return complex(self.item())


def __format__(self: Tensor, spec: str) -> str:  # noqa: N807
    has_value = self.ndim == 0 and type(self) is Tensor and not self.is_meta
    return self.item().__format__(spec) if has_value else object.__format__(self, spec)


def __repr__(self: Tensor, *, tensor_contents=None) -> str:  # noqa: N807
    from .autograd.grad_mode import no_grad
    from .printing import tensor_repr

    with no_grad():
        if type(self) is Tensor and _core.in_transform():
            from .func.batched import transformed_repr

            return transformed_repr(self)
        return tensor_repr(self, tensor_contents=tensor_contents)


def __dir__(self: Tensor) -> list[str]:
    return [
        name for name in object.__dir__(self) if name != "__cuda_array_interface__"
    ]  # no tensor is on such a device


def _get_volatile(self: Tensor) -> bool:
    warn_user("volatile was removed (Variable.volatile is always False)")
    return False


def _set_volatile(self: Tensor, value: Any) -> None:
    warn_user("volatile was removed and now has no effect. Use `with torch.no_grad():` instead.")


def is_inference(self: Tensor) -> bool:
    """Whether the tensor was made under inference_mode, and so can never be part of a graph.

    Shape and dtype: Any tensor. The result is a Python bool.
    Derivative: none, the result is a bool

    >>> torch.ones(2).is_inference()
    False
    """
    return _core.is_inference(self)


def as_subclass(self: Tensor, cls: type) -> Tensor:
    """The same values as an instance of `cls`.

    Shape and dtype: Those of the input.
    Derivative: g

    >>> type(torch.ones(2).as_subclass(torch.nn.Parameter)).__name__
    'Parameter'
    """
    return _core.view_as_subclass(cls, self)


def to_padded_tensor(self: Tensor, padding: float, output_size: tuple[int, ...] | None = None) -> Tensor:
    """torch.nested.to_padded_tensor as a method: an ordinary tensor with the rows of a nested one, filled up.

    Shape and dtype: (B, longest, ...), as the input.
    Derivative: the gradient of each item goes back to it.

    >>> x = torch.nested.nested_tensor([torch.tensor([1., 2.]), torch.tensor([3.])], layout=torch.jagged)
    >>> x.to_padded_tensor(0.)
    tensor([[1., 2.],
            [3., 0.]])
    """
    from .nested.padding import to_padded_tensor as padded

    return padded(self, padding, output_size)


def _make_subclass(cls: type, data: Tensor, require_grad: bool = False) -> Tensor:
    return _core.make_subclass(cls, data, require_grad)


def _make_wrapper_subclass(*args: Any, **kwargs: Any) -> Tensor:
    from .wrapped.parts import make_wrapper

    return make_wrapper(*args, **kwargs)


def type_as(self: Tensor, other: Tensor) -> Tensor:
    """The tensor converted to the dtype of another one, and moved to its device.

    Shape and dtype: The shape of the input; the dtype of `other`.
    Derivative: g converted back

    >>> torch.tensor([1, 2]).type_as(torch.tensor(0.5))
    tensor([1., 2.])
    """
    if not isinstance(other, Tensor):
        raise at_call(TypeError, f"type_as(): argument 'other' (position 1) must be Tensor, not {type(other).__name__}")
    return self.to(other.device, other.dtype) if self.is_cuda or other.is_cuda else self.to(other.dtype)


def new(self: Tensor, *args: Any, **kwargs: Any) -> Tensor:
    """Tensor(*args) with this tensor's dtype: PyTorch's older way to write new_empty and new_tensor.

    Shape and dtype: The sizes given, or the shape of the data; the dtype of the input.
    Derivative: none, the result has no history

    >>> torch.tensor([1., 2.]).new([3, 4])
    tensor([3., 4.])
    """
    from .legacy_constructor import construct, no_combination

    if "dtype" in kwargs:
        raise no_combination(args, kwargs)
    if _core.sparse_parts(self) is not None:
        from .sparse.construct import new as new_sparse

        return new_sparse(self, *args, **kwargs)
    return construct(Tensor, *args, dtype=self.dtype, **kwargs)


def dim_order(self: Tensor, *, ambiguity_check: bool | list = False) -> tuple[int, ...]:
    """The dimensions from the outermost in memory to the innermost.

    Shape and dtype: Any tensor. The result is a tuple of ints.
    Derivative: none, the result is of ints

    >>> torch.ones(2, 3).t().dim_order()
    (1, 0)
    """
    if ambiguity_check is not False and not _has_one_order(self):
        raise at_call(
            RuntimeError,
            "The tensor does not have unique dim order, or cannot map to exact one of the given memory formats.",
        )
    order: list[int] = []
    for dim in range(self.dim()):  # equal strides keep their order
        at = len(order)
        while at > 0 and self.stride(order[at - 1]) < self.stride(dim):
            at -= 1
        order.insert(at, dim)
    return tuple(order)


def _has_one_order(self: Tensor) -> bool:
    return len(set(self.stride())) == self.dim() and 1 not in self.shape


def module_load(self: Tensor, other: Tensor, assign: bool = False) -> Tensor:
    """What Module.load_state_dict puts in place of this parameter, given the saved one.

    Shape and dtype: Those of the input; `other` has its shape.
    Derivative: none, the result has no history

    >>> torch.zeros(2).module_load(torch.tensor([1., 2.]))
    tensor([1., 2.])
    """
    return other.detach() if assign else self.detach().copy_(other).detach()


def reinforce(self: Tensor, reward: Any) -> None:
    """Raises: PyTorch removed it."""
    raise at_call(RuntimeError, "reinforce() was removed. Use torch.distributions instead.")


# ---- devices


def cuda(self: Tensor, device: Any = None, non_blocking: bool = False, memory_format: Any = None) -> Tensor:
    """The tensor on a GPU: the current one, or the one that is named; itself if it is there already.

    Shape and dtype: those of the tensor.
    Derivative: g, moved back

    >>> x = torch.ones(2)
    >>> (x.cuda() if torch.cuda.is_available() else x).sum().item()
    2.0
    """
    keywords = {} if memory_format is None else {"memory_format": memory_format}
    return self.to("cuda" if device is None else device, non_blocking=non_blocking, **keywords)


def _elsewhere(name: str, shown: str) -> Callable:
    def move(self: Tensor, device: Any = None, non_blocking: bool = False, memory_format: Any = None) -> Tensor:
        """Raises: chainrule runs on the CPU."""
        raise AssertionError(f"Torch not compiled with {shown} enabled: chainrule runs on the CPU")

    move.__name__ = name
    return move


xpu, ipu, mtia = (_elsewhere(name, name.upper()) for name in ("xpu", "ipu", "mtia"))


def pin_memory(self: Tensor, device: Any = None) -> Tensor:
    """A copy in pinned memory, from which a GPU copies by itself; the tensor itself if it is there.

    Shape and dtype: those of the tensor.
    Derivative: none, the copy has no history

    >>> x = torch.ones(2)
    >>> (x.pin_memory() if torch.cuda.is_available() else x).sum().item()
    2.0
    """
    if not _core._cuda.device_count()[0]:
        raise at_call(RuntimeError, "Cannot access accelerator device when none is available.")
    if not self.is_cpu:
        raise at_call(RuntimeError, f"cannot pin '{self.type()}' only dense CPU tensors can be pinned")
    if self.is_pinned():
        return self
    reach = sum((size - 1) * stride for size, stride in zip(self.shape, self.stride(), strict=True))
    storage = _core._cuda.pinned_bytes((reach + 1) * self.element_size() if self.numel() else 0).untyped_storage()
    return storage._tensor(self.dtype, 0, self.shape, self.stride()).copy_(self.detach())


def is_pinned(self: Tensor, device: Any = None) -> bool:
    """Whether the tensor is in pinned memory, from which a GPU copies by itself.

    Shape and dtype: Any tensor. The result is a Python bool.
    Derivative: none, the result is a bool

    >>> torch.ones(2).is_pinned()
    False
    """
    if _core.sparse_parts(self) is not None:
        return False
    return self.is_cpu and _core._cuda.is_pinned(self.data_ptr())


def record_stream(self: Tensor, stream: Any) -> None:
    """Another stream works with the tensor, too: its memory is not used again before that stream has come this far.

    Shape and dtype: Any tensor on a GPU. The result is None.
    Derivative: none, nothing is calculated

    >>> if torch.cuda.is_available():
    ...     torch.ones(2).cuda().record_stream(torch.cuda.Stream())
    """
    if not self.is_cuda:
        raise at_call(RuntimeError, f"record_stream: {self.device.type} tensors have no streams")
    _core._cuda.record_stream(self, stream.cuda_stream)


def __rdiv__(self: Tensor, other: Any) -> Tensor:  # noqa: N807
    return self.reciprocal() * other


_METHODS = (
    *(register_hook, register_post_accumulate_grad_hook, is_inference, as_subclass, type_as, new),
    *(dim_order, module_load, reinforce, cuda, xpu, ipu, mtia, pin_memory, is_pinned, record_stream, to_padded_tensor),
    *(__iter__, __reversed__, __complex__, __format__, __repr__, __rdiv__, __dir__),
)


def _attach() -> None:
    for method in (
        *_METHODS,
        *interop.METHODS,
        *pickling.METHODS,
        *python_loops.METHODS,
        *storage_bytes.METHODS,
        *removed.METHODS,
    ):
        setattr(Tensor, method.__name__, method)
    for getter in interop.PROPERTIES:
        setattr(Tensor, getter.__name__, property(getter))
    Tensor._make_subclass = staticmethod(_make_subclass)
    Tensor._make_wrapper_subclass = staticmethod(_make_wrapper_subclass)
    Tensor.volatile = property(_get_volatile, _set_volatile)
    Tensor.__array_priority__ = 1000  # so that NumPy's operators give way to ours
    Tensor.__div__, Tensor.__idiv__ = Tensor.__truediv__, Tensor.__itruediv__
    Tensor.__long__, Tensor.__nonzero__ = Tensor.__int__, Tensor.__bool__


_attach()
