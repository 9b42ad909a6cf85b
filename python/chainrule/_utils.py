"""The functions that PyTorch's pickled tensors name: how to make a tensor again from a storage. And two that packages
use: tensors one after another in a single one, and back."""

from __future__ import annotations

import sys
import traceback
from collections import OrderedDict
from collections.abc import Iterator, Sequence
from typing import Any

from . import _core
from ._core import Tensor
from .nn.parameter import Parameter
from .pickling import bits_of, give_state, state_of, with_bits
from .storage import TypedStorage


def _rebuild_tensor(storage: TypedStorage, storage_offset: int, size: tuple, stride: tuple) -> Tensor:
    """A tensor over a storage; a layout that does not fit into it raises."""
    if not isinstance(storage, TypedStorage):
        raise TypeError(f"a tensor is made from a storage, not from {type(storage).__name__}")
    if not isinstance(size, (tuple, list)) or not isinstance(stride, (tuple, list)):
        raise TypeError("a tensor's sizes and strides are tuples")
    return storage.untyped()._tensor(storage.dtype, storage_offset, tuple(size), tuple(stride))


def _rebuild_tensor_v2(
    storage: TypedStorage,
    storage_offset: int,
    size: tuple,
    stride: tuple,
    requires_grad: bool,
    backward_hooks: Any,
    metadata: dict | None = None,
) -> Tensor:
    """A tensor over a storage, a leaf that may require a gradient."""
    tensor = _rebuild_tensor(storage, storage_offset, size, stride)
    for key in metadata or {}:
        if key not in ("conj", "neg"):
            raise RuntimeError(f"a saved tensor has the property {key!r}, which chainrule does not know")
    tensor = with_bits(tensor, metadata)
    return tensor.requires_grad_(bool(requires_grad))


def _rebuild_tensor_v3(storage, storage_offset, size, stride, requires_grad, backward_hooks, dtype, metadata=None):
    """_rebuild_tensor_v2 with a dtype, for those that have no storage type."""
    if not isinstance(storage, TypedStorage):
        raise TypeError(f"a tensor is made from a storage, not from {type(storage).__name__}")
    typed = TypedStorage(wrap_storage=storage.untyped(), dtype=dtype)
    return _rebuild_tensor_v2(typed, storage_offset, size, stride, requires_grad, backward_hooks, metadata)


def _rebuild_meta_tensor_no_storage(dtype: _core.dtype, size: tuple, stride: tuple, requires_grad: bool) -> Tensor:
    """A tensor of the device "meta"."""
    for numbers in (size, stride):
        if not isinstance(numbers, (tuple, list)) or any(type(n) is not int or n < 0 for n in numbers):
            raise TypeError("a tensor's sizes and strides are tuples of numbers that are not negative")
    make = _core.functions["empty_strided"]
    return make(size, stride, dtype=dtype, device="meta", requires_grad=bool(requires_grad))


def _rebuild_wrapper_subclass(
    cls: type,
    dtype: Any,
    size: tuple,
    stride: tuple,
    storage_offset: int,
    layout: Any,
    device: Any,
    requires_grad: bool,
) -> Tensor:
    """A tensor of a class that stands for the elements."""
    from .wrapped.parts import make_wrapper

    return make_wrapper(
        cls,
        size,
        strides=stride,
        dtype=dtype,
        storage_offset=storage_offset,
        layout=layout,
        device=device,
        requires_grad=bool(requires_grad),
    )


def _rebuild_sparse_tensor(layout: Any, data: tuple) -> Tensor:
    """A sparse tensor from its parts: its indices, its values and its size, and whether COO is coalesced."""
    if layout is not _core.sparse_coo:
        return _core.functions["sparse_compressed_tensor"](*data, layout=layout)
    indices, values, size, is_coalesced = data if len(data) == 4 else (*data, None)
    sure = None if is_coalesced is None else bool(is_coalesced)
    return _core.functions["sparse_coo_tensor"](indices, values, size, is_coalesced=sure, check_invariants=True)


def sparse_form(tensor: Tensor) -> tuple:
    """How a sparse tensor is written: by its parts."""
    if tensor.layout is _core.sparse_coo:
        parts = (tensor._indices(), tensor._values(), tensor.size(), tensor.is_coalesced())
    else:
        by_row = tensor.layout in (_core.sparse_csr, _core.sparse_bsr)
        starts, plain = ("crow_indices", "col_indices") if by_row else ("ccol_indices", "row_indices")
        parts = (getattr(tensor, starts)(), getattr(tensor, plain)(), tensor._values(), tensor.size())
    return _rebuild_sparse_tensor, (tensor.layout, parts)


def _rebuild_parameter(data: Tensor, requires_grad: bool, backward_hooks: Any) -> Parameter:
    """A parameter over a tensor."""
    if not isinstance(data, Tensor):
        raise TypeError(f"a parameter is made from a tensor, not from {type(data).__name__}")
    return Parameter(data, bool(requires_grad))


def _rebuild_parameter_with_state(data: Tensor, requires_grad: bool, backward_hooks: Any, state: Any) -> Parameter:
    """A parameter with attributes."""
    return give_state(_rebuild_parameter(data, requires_grad, backward_hooks), state)


def _rebuild_from_type_v2(func: Any, new_type: type, args: tuple, state: Any) -> Tensor:
    """A tensor of a subclass, or one with attributes."""
    tensor = func(*args)
    if type(tensor) is not new_type:
        tensor = tensor.as_subclass(new_type)
    return give_state(tensor, state)


def saved_form(tensor: Tensor) -> tuple:
    """How a tensor is written in PyTorch's files: the function that makes it again, and its arguments."""
    if isinstance(tensor, Parameter) and type(tensor) is Parameter:
        form = (tensor.data, tensor.requires_grad, OrderedDict())
        if tensor.__dict__:
            return _rebuild_parameter_with_state, (*form, state_of(tensor))
        return _rebuild_parameter, form
    rebuild, form = _saved_elements(tensor)
    if type(tensor) is Tensor and not tensor.__dict__:
        return rebuild, form
    return _rebuild_from_type_v2, (rebuild, type(tensor), form, state_of(tensor))


# PyTorch made no storage types for these any more: the dtype stands beside the bytes.
WITHOUT_STORAGE_TYPE = (
    *(_core.uint16, _core.uint32, _core.uint64, _core.complex32, _core.float8_e4m3fn, _core.float8_e4m3fnuz),
    *(_core.float8_e5m2, _core.float8_e5m2fnuz, _core.float8_e8m0fnu),
)


def _saved_elements(tensor: Tensor) -> tuple:
    if tensor.layout is not _core.strided:
        return sparse_form(tensor)
    if tensor.is_meta:
        place = (tensor.dtype, tuple(tensor.shape), tensor.stride(), tensor.requires_grad)
        return _rebuild_meta_tensor_no_storage, place
    layout = (tensor.storage_offset(), tuple(tensor.shape), tensor.stride(), tensor.requires_grad, OrderedDict())
    if tensor.dtype in WITHOUT_STORAGE_TYPE:
        return _rebuild_tensor_v3, (tensor.untyped_storage(), *layout, tensor.dtype)
    bits = bits_of(tensor)
    typed = TypedStorage(wrap_storage=tensor.untyped_storage(), dtype=tensor.dtype)
    return _rebuild_tensor_v2, (typed, *layout, bits) if bits else (typed, *layout)


def _flatten_dense_tensors(tensors: Sequence[Tensor]) -> Tensor:
    """All elements in one vector, tensor after tensor."""
    return _core.functions["cat"]([tensor.reshape(-1) for tensor in tensors])


def _unflatten_dense_tensors(flat: Tensor, tensors: Sequence[Tensor]) -> tuple[Tensor, ...]:
    """The parts of such a vector, as views of the shapes that these tensors have."""
    parts = flat.split([tensor.numel() for tensor in tensors])
    return tuple(part.view_as(tensor) for part, tensor in zip(parts, tensors, strict=True))


def _take_tensors(tensors: Sequence[Tensor], size_limit: int) -> Iterator[list[Tensor]]:
    """Tensors in lists of one type each, none of more bytes than the limit (but for a single tensor)."""
    waiting: dict[str, tuple[list[Tensor], int]] = {}
    for tensor in tensors:
        kind, size = tensor.type(), tensor.numel() * tensor.element_size()
        group, total = waiting.get(kind, ([], 0))
        if group and total + size > size_limit:
            yield group
            group, total = [], 0
        waiting[kind] = ([*group, tensor], total + size)
    for group, _ in waiting.values():
        if group:
            yield group


def _element_size(dtype: _core.dtype) -> int:
    """Bytes of an element."""
    if not isinstance(dtype, _core.dtype):
        raise RuntimeError(f"expected torch.dtype, but got {type(dtype)}")
    return dtype.itemsize


def _get_available_device_type() -> None:
    """None: there is no other device."""
    return


def _get_device_module(device_type: str) -> Any:
    """torch.cpu for "cpu"."""
    import chainrule

    module = getattr(chainrule, device_type, None)
    if module is None:
        raise RuntimeError(
            f"Device '{device_type}' does not have a corresponding module registered as 'torch.{device_type}'."
        )
    return module


def _get_device_index(device: Any, optional: bool = False, allow_cpu: bool = False) -> int:
    """The number of a device; -1 for the CPU, where that is allowed."""
    if isinstance(device, int):
        return device
    kind = _core.device(device) if isinstance(device, str) else device
    if kind is not None and kind.type == "cpu" and allow_cpu:
        return -1
    raise ValueError(f"Expected a torch.device with a specified index or an integer, but got:{device}")


class ExceptionWrapper:
    """An exception of another process or thread, to be raised here with its traceback in words."""

    def __init__(self, exc_info: Any = None, where: str = "in background") -> None:
        kind, value, trace = sys.exc_info() if exc_info is None else exc_info
        self.exc_type: Any = kind
        self.where = where
        self.exc_msg = "".join(traceback.format_exception(kind, value, trace))

    def reraise(self) -> None:
        """Raises it."""
        words = f"Caught {self.exc_type.__name__} {self.where}.\nOriginal {self.exc_msg}"
        try:
            error = self.exc_type(words)
        except Exception:
            raise RuntimeError(words) from None
        raise error


def _rebuild_njt(constructor_kwargs: dict) -> Tensor:
    from .nested.jagged import NestedTensor

    return NestedTensor(**constructor_kwargs)


_REBUILD = {
    "torch._utils": (
        *(_rebuild_tensor, _rebuild_tensor_v2, _rebuild_tensor_v3, _rebuild_meta_tensor_no_storage),
        *(_rebuild_parameter, _rebuild_parameter_with_state, _rebuild_sparse_tensor),
    ),
    "torch._tensor": (_rebuild_from_type_v2,),
    "torch.nested._internal.nested_tensor": (_rebuild_njt,),
}
REBUILD = {f"{module}.{f.__name__}": f for module, functions in _REBUILD.items() for f in functions}
