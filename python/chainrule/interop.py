"""Arrays of other libraries become tensors and the other way round, without a copy where that is possible."""

from __future__ import annotations

from typing import Any

from . import _core
from ._core import Tensor
from .error_words import at_call

_core_functions = _core.functions

# ---- NumPy


def layout_name(tensor: Tensor) -> str:
    """SparseCsr: as PyTorch's errors call it."""
    return "".join(word.capitalize() for word in str(tensor.layout).rpartition(".")[2].split("_")).removesuffix("Coo")


def numpy(self: Tensor, *, force: bool = False):
    """The tensor as a NumPy array that shares its memory; with `force` also if a detached copy has to be made.

    Shape and dtype: Those of the input, as NumPy's.
    Derivative: none, an array has no history

    >>> torch.tensor([1., 2.]).numpy()
    array([1., 2.], dtype=float32)
    """
    if force is not False and force is not True:
        raise at_call(TypeError, f"numpy(): argument 'force' must be bool, not {type(force).__name__}")
    if self.requires_grad and not force and _core.is_grad_enabled():
        raise at_call(
            RuntimeError, "Can't call numpy() on Tensor that requires grad. Use tensor.detach().numpy() instead."
        )
    if force and self.is_cuda:
        self = self.detach().cpu()
    if self.dtype in _WITHOUT_NUMPY:
        from .ops.checks import spoken

        raise at_call(
            TypeError, f"Got unsupported ScalarType {spoken(self.dtype)}: NumPy has none; convert the tensor first."
        )
    self._mark_numpy()
    shown = self.detach()
    if shown.is_conj() or shown.is_neg():
        shown = _resolved(shown, force)
    try:
        return (_asarray or _find_numpy())(memoryview(shown))
    except BufferError:
        _refuse_numpy(self)
        raise


def _refuse_numpy(tensor: Tensor) -> None:
    """Raises where no elements lie in the host's memory."""
    if tensor.layout is not _core.strided:
        raise at_call(
            TypeError,
            f"can't convert {layout_name(tensor)} layout tensor to numpy. Use Tensor.to_dense() first.",
        ) from None
    if tensor.is_meta or tensor.is_cuda:
        raise at_call(
            TypeError,
            f"can't convert {tensor.device} device type tensor to numpy. Use Tensor.cpu() to copy the tensor to host "
            "memory first.",
        ) from None


def _resolved(tensor: Tensor, force: bool) -> Tensor:
    if force:
        return tensor.clone()
    bit, word = ("conjugate", "conj") if tensor.is_conj() else ("negative", "neg")
    raise at_call(
        RuntimeError,
        f"Can't call numpy() on Tensor that has {bit} bit set. Use tensor.resolve_{word}().numpy() instead.",
    )


_bfloat16 = _core.bfloat16
_WITHOUT_NUMPY = frozenset(
    (_bfloat16, _core.complex32, _core.float8_e4m3fn, _core.float8_e4m3fnuz, _core.float8_e5m2, _core.float8_e5m2fnuz)
) | {_core.float8_e8m0fnu}
_asarray: Any = None  # NumPy's, once it was asked for: the import statement took a fifth of the time


def _find_numpy() -> Any:
    global _asarray
    from numpy import asarray

    _asarray = asarray
    return asarray


def __array__(self: Tensor, dtype=None, copy=None):  # noqa: N807
    array = numpy(self)
    if dtype is not None and array.dtype != dtype:
        if copy is False:
            raise at_call(ValueError, "Unable to avoid copy while creating an array as requested.")
        return array.astype(dtype)
    return array.copy() if copy else array


def __array_wrap__(self: Tensor, array, context=None, return_scalar: bool = False) -> Tensor:  # noqa: N807
    """What NumPy's functions make of a tensor is a tensor again; truth values come as uint8, as in PyTorch."""
    if array.dtype == bool:
        array = array.astype("uint8")
    wrapped = _core_functions["from_numpy"](array)
    return wrapped if type(self) is Tensor else _core.view_as_subclass(type(self), wrapped)


def __cuda_array_interface__(self: Tensor):  # noqa: N807
    if self.is_cuda:
        return _cuda_array(self)
    raise AttributeError(
        f"Can't get __cuda_array_interface__ on non-CUDA tensor type: {self.type()} "
        "If CUDA data is required use tensor.cuda() to copy tensor to device memory."
    )


_KINDS = {"float": "f", "int": "i", "uint": "u", "complex": "c"}


def _type_text(dtype: _core.dtype) -> str:
    """As NumPy writes a dtype: "<f4"."""
    if dtype is _core.bool:
        return "|b1"
    if dtype is _bfloat16:
        raise at_call(RuntimeError, "__cuda_array_interface__: NumPy has no bfloat16; use tensor.float()")
    name = str(dtype).removeprefix("torch.")
    kind = name.rstrip("0123456789")
    return f"{'|' if dtype.itemsize == 1 else '<'}{_KINDS[kind]}{dtype.itemsize}"


def _cuda_array(tensor: Tensor) -> dict[str, Any]:
    """The tensor's memory as CuPy, Numba and others read it."""
    if tensor.requires_grad:
        raise at_call(
            RuntimeError,
            "Can't get __cuda_array_interface__ on Variable that requires grad. If gradients aren't required, use "
            "var.detach() to get Variable that doesn't require grad.",
        )
    tensor.untyped_storage()  # from now on others may read and write the bytes
    strides = None if tensor.is_contiguous() else tuple(step * tensor.element_size() for step in tensor.stride())
    address = tensor.data_ptr() if tensor.numel() else 0
    shown = {"typestr": _type_text(tensor.dtype), "shape": tuple(tensor.shape), "strides": strides}
    return {**shown, "data": (address, False), "version": 2}


def _of_cuda_array(array: Any) -> Tensor:
    """A tensor over the memory that an object of another library shows."""
    shown = array.__cuda_array_interface__
    if shown.get("mask") is not None:
        raise at_call(TypeError, "__cuda_array_interface__: masked arrays are not supported")
    text, address = shown["typestr"], shown["data"][0]
    found = [t for t in _SHOWN_DTYPES if _type_text(t) in (text, text.replace("=", "<"))]
    if not found:
        raise at_call(TypeError, f"__cuda_array_interface__: no dtype is like {text!r}")
    item = found[0].itemsize
    strides = shown.get("strides")
    steps = None if strides is None else [step // item for step in strides]
    return _core._cuda.tensor_at(array, address, list(shown["shape"]), steps, found[0])


_SHOWN_DTYPES = tuple(
    getattr(_core, name)
    for name in [
        "bool",
        "uint8",
        "int8",
        "int16",
        "int32",
        "int64",
        "float16",
        "float32",
        "float64",
        "complex64",
        "complex128",
    ]
)


# ---- files


def from_file(
    filename: str,
    shared: bool | None = None,
    size: int = 0,
    *,
    dtype: Any = None,
    layout: Any = None,
    device: Any = None,
    pin_memory: bool = False,
) -> Tensor:
    """A tensor over a file's bytes, which are read when they are used.

    Args:
        shared: what is written to the tensor goes to the file, which is made or made longer if need be.
        size: the number of elements.

    Shape and dtype: (size,), of `dtype` or else the default one.
    Derivative: none, the tensor is a leaf

    >>> torch.from_file("no such file")
    tensor([])
    """
    _core.check_device(device)
    if layout not in (None, _core.strided) or pin_memory:
        raise at_call(RuntimeError, "from_file(): a file is mapped to dense, unpinned memory")
    dtype = _core.get_default_dtype() if dtype is None else dtype
    if size == 0:
        return _core_functions["empty"](0, dtype=dtype)
    result = _core_functions["frombuffer"](_mapped(filename, bool(shared), size * dtype.itemsize), dtype=dtype)
    if shared:
        result.untyped_storage().filename = str(filename)
    return result


def _mapped(filename: str, shared: bool, length: int) -> Any:
    import mmap
    import os

    try:
        file = os.open(filename, os.O_RDWR | os.O_CREAT if shared else os.O_RDONLY)
    except OSError as error:
        mode = "read-write" if shared else "read-only"
        raise at_call(
            RuntimeError, f"unable to open file <{filename}> in {mode} mode: {error.strerror} ({error.errno})"
        ) from None
    try:
        found = os.fstat(file).st_size
        if found < length and not shared:
            raise at_call(
                RuntimeError, f"file <{filename}> size <{found}> is smaller than the required mapping size <{length}>"
            )
        if found < length:
            os.ftruncate(file, length)
        return mmap.mmap(file, length, access=mmap.ACCESS_WRITE if shared else mmap.ACCESS_COPY)
    finally:
        os.close(file)


# ---- DLPack

_CPU, _CUDA = (1, 0), 2  # DLPack's number for the device, and which one


def __dlpack__(  # noqa: N807
    self: Tensor,
    *,
    stream: Any = -1,
    max_version: tuple[int, int] | None = None,
    dl_device: tuple[int, int] | None = None,
    copy: bool | None = None,
):
    """A capsule for another library's from_dlpack."""
    if stream is not None and type(stream) is not int:
        raise at_call(TypeError, "stream must be ``int`` or ``none``")
    if _core.sparse_parts(self) is not None:
        raise at_call(BufferError, "Can't export tensors with layout other than torch.strided")
    exported = _on_device(self, dl_device, copy)
    if exported.is_cuda:
        _order_after_ours(exported, stream)
    elif stream not in (-1, None):
        raise AssertionError("stream should be None on cpu.")
    return _core.to_dlpack(exported, max_version is not None and max_version[0] >= 1)


def _on_device(tensor: Tensor, place: tuple[int, int] | None, copy: bool | None) -> Tensor:
    """The tensor where the consumer wants it."""
    own = __dlpack_device__(tensor)
    if place is None or tuple(map(int, place)) == own:
        return tensor.clone() if copy else tensor
    kind, number = map(int, place)
    if kind not in (_CPU[0], _CUDA):
        raise BufferError(f"Unsupported device_type: {kind}: chainrule has the CPU and NVIDIA's GPUs")
    if copy is False:
        raise at_call(ValueError, "cannot move tensor from one device to another without copying it")
    return tensor.to("cpu" if kind == _CPU[0] else _core.device("cuda", number))


def _order_after_ours(tensor: Tensor, stream: int | None) -> None:
    """The consumer's stream waits for what the tensor's own was asked for: 1 is the default one; not if it is -1."""
    if stream == -1:
        return
    if stream == 0:
        raise BufferError("unsupported stream on CUDA: 0 is ambiguous. Say 1 for the default stream, or None")
    from . import cuda

    consumer = 0 if stream in (None, 1) else stream
    ours = cuda.current_stream(tensor.device)
    if consumer != ours.cuda_stream:
        cuda.ExternalStream(consumer, tensor.device).wait_stream(ours)


def __dlpack_device__(self: Tensor) -> tuple[int, int]:  # noqa: N807
    return (_CUDA, self.get_device()) if self.is_cuda else _CPU


def to_dlpack(tensor: Tensor):
    """A capsule that another library's from_dlpack takes.

    Shape and dtype: Any tensor; the result is a capsule.
    Derivative: none, a capsule has no history

    >>> torch.from_dlpack(torch.to_dlpack(torch.tensor([1., 2.])))
    tensor([1., 2.])
    """
    if _core.sparse_parts(tensor) is not None:
        raise at_call(BufferError, "Can't export tensors with layout other than torch.strided")
    return _core.to_dlpack(tensor.detach(), False)


def from_dlpack(ext_tensor: Any, *, device: Any = None, copy: bool | None = None) -> Tensor:
    """A tensor that shares the memory of an array with __dlpack__, or of a capsule.

    Shape and dtype: Those of the array.
    Derivative: none, the result has no history

    >>> import numpy
    >>> torch.from_dlpack(numpy.array([1.5, 2.5]))
    tensor([1.5000, 2.5000], dtype=torch.float64)
    """
    _core.check_device(device)
    if not hasattr(ext_tensor, "__dlpack__"):
        if copy:
            raise at_call(ValueError, "from_dlpack: `copy` needs an object with __dlpack__, not a capsule")
        return _core.from_dlpack(ext_tensor)
    arguments: dict[str, Any] = {} if copy is None else {"copy": copy}
    kind, number = ext_tensor.__dlpack_device__() if hasattr(ext_tensor, "__dlpack_device__") else _CPU
    if device is not None:
        wanted = _core.device(device)
        place = (
            _CPU
            if wanted.type == "cpu"
            else (_CUDA, _core._cuda.current_device() if wanted.index is None else wanted.index)
        )
        if place != (int(kind), number):
            arguments["dl_device"], kind, number = place, *place
    if int(kind) == _CUDA:  # the producer makes that stream wait for what it has asked for itself
        arguments["stream"] = _core._cuda.current_stream(number) or 1
    try:
        capsule = ext_tensor.__dlpack__(max_version=(1, 0), **arguments)
    except TypeError:  # a producer from before DLPack 1.0
        capsule = ext_tensor.__dlpack__(**arguments)
    return _core.from_dlpack(capsule)


# ---- any of them


def asarray(
    obj: Any,
    *,
    dtype: _core.dtype | None = None,
    device: Any = None,
    copy: bool | None = None,
    requires_grad: bool | None = None,
) -> Tensor:
    """A tensor of `obj`, which may be a tensor, an array, a DLPack capsule, a buffer, a number or a sequence.

    Args:
        obj: the data. Its memory is shared where the dtype allows.
        dtype: the dtype of the result.
        device: where the result is.
        copy: True always copies; False raises rather than copy.
        requires_grad: whether the result requires a gradient; a tensor keeps its history if it does.

    Shape and dtype: The shape of the data; its dtype, or `dtype`.
    Derivative: g, where `obj` is a tensor

    >>> torch.asarray([1, 2, 3])
    tensor([1, 2, 3])
    """
    if device is not None and _core.device(device).type == "meta":
        made = asarray(obj, dtype=dtype, copy=copy).to("meta")
        return made._as_leaf() if requires_grad else made
    _core.check_device(device)
    if isinstance(obj, Tensor):
        return _from_tensor(_placed(obj, device, copy), dtype, copy, requires_grad)
    shared = _shared(obj, dtype)
    if shared is None:
        if copy is False and type(obj).__module__ == "numpy":
            raise at_call(
                RuntimeError, "can't alias NumPy scalars. Either remove copy=False or transform it in a ndarray. "
            )
        if copy is False:
            raise at_call(ValueError, "can't alias arbitrary sequence into a tensor.")
        result = _core_functions["tensor"](obj, dtype=dtype, device=device)
    else:
        result = _placed(_converted(shared, dtype, copy), device, copy)
    return result._as_leaf() if requires_grad else result


def _placed(tensor: Tensor, device: Any, copy: bool | None) -> Tensor:
    there = tensor if device is None else tensor.to(device)
    if copy is False and there.device != tensor.device:
        raise at_call(ValueError, f"can't alias tensor on {tensor.device} on {there.device}.")
    return there


def _from_tensor(tensor: Tensor, dtype: _core.dtype | None, copy: bool | None, requires_grad: bool | None) -> Tensor:
    result = _converted(tensor, dtype, copy)
    if requires_grad is False and result.requires_grad:
        result = result.detach()
    if requires_grad and not result.requires_grad:
        if not (result.is_floating_point() or result.is_complex()):
            raise at_call(RuntimeError, "Only Tensors of floating point and complex dtype can require gradients")
        result = result.detach()._as_leaf()
    return result


def _converted(shared: Tensor, dtype: _core.dtype | None, copy: bool | None) -> Tensor:
    if dtype is not None and dtype is not shared.dtype:
        if copy is False:
            have, want = (d.removesuffix("Tensor").rpartition(".")[2] for d in (shared.type(), _type_name(dtype)))
            raise at_call(ValueError, f"can't alias tensor with dtype '{have}' into dtype '{want}'.")
        return shared.to(dtype)
    return shared.clone() if copy else shared


def _type_name(dtype: _core.dtype) -> str:
    return _core_functions["empty"](0, dtype=dtype).type()


def _shared(obj: Any, dtype: _core.dtype | None) -> Tensor | None:
    """A tensor over the memory of an array, a capsule or a buffer; None for anything else."""
    kind = type(obj)
    if kind is _core.UntypedStorage:
        dtype = _core.get_default_dtype() if dtype is None else dtype
        return obj._tensor(dtype, 0, (len(obj) // dtype.itemsize,), (1,))
    if any(base.__module__ == "numpy" and base.__name__ == "ndarray" for base in kind.__mro__):
        return _core_functions["from_numpy"](obj)
    if kind.__module__ == "numpy":  # a scalar
        return None
    if hasattr(obj, "__cuda_array_interface__"):
        return _of_cuda_array(obj)
    if kind.__name__ == "PyCapsule" or hasattr(obj, "__dlpack__"):
        return from_dlpack(obj)
    try:
        memoryview(obj)
    except TypeError:
        return None
    return _core_functions["frombuffer"](obj, dtype=_core.get_default_dtype() if dtype is None else dtype)


METHODS = (numpy, __array__, __array_wrap__, __dlpack__, __dlpack_device__)
PROPERTIES = (__cuda_array_interface__,)
