"""Files of the safetensors format, through its own library (`pip install safetensors`), as safetensors.torch."""

from __future__ import annotations

import os
from typing import Any

from . import _core
from ._core import Tensor

__all__ = ["load", "load_file", "save", "save_file"]

_DTYPES = {
    "F64": _core.float64,
    "F32": _core.float32,
    "F16": _core.float16,
    "BF16": _core.bfloat16,
    "F8_E4M3": _core.float8_e4m3fn,
    "F8_E5M2": _core.float8_e5m2,
    "F8_E8M0": _core.float8_e8m0fnu,
    "C64": _core.complex64,
    "I64": _core.int64,
    "I32": _core.int32,
    "I16": _core.int16,
    "I8": _core.int8,
    "U64": _core.uint64,
    "U32": _core.uint32,
    "U16": _core.uint16,
    "U8": _core.uint8,
    "BOOL": _core.bool,
}


def _library() -> Any:
    try:
        import safetensors
    except ImportError as error:
        raise ImportError(
            "chainrule.safetensors needs the package of that name: `pip install safetensors`. Without it, save() and "
            "load() keep tensors in PyTorch's format."
        ) from error
    return safetensors


def save(tensors: dict[str, Tensor], metadata: dict[str, str] | None = None) -> bytes:
    """The tensors as the bytes of a safetensors file.

    Args:
        tensors: contiguous tensors by name; no two may share memory, because the format has no views.
        metadata: texts to be kept beside them.
    """
    library = _library()
    _refuse_shared(tensors)
    keep = {name: tensor.detach().resolve_conj().resolve_neg() for name, tensor in tensors.items()}
    return bytes(library.serialize({name: _spec(library, tensor) for name, tensor in keep.items()}, metadata=metadata))


def _spec(library: Any, tensor: Tensor) -> Any:
    """A tensor as the library wants it: by its place in memory, or by its bytes before version 0.7."""
    dtype, shape, size = str(tensor.dtype).removeprefix("torch."), list(tensor.shape), tensor.nbytes
    if hasattr(library, "TensorSpec"):
        return library.TensorSpec(dtype=dtype, shape=shape, data_ptr=tensor.data_ptr(), data_len=size)
    start = tensor.storage_offset() * tensor.element_size()
    data = bytes(memoryview(tensor.untyped_storage().cpu())[start : start + size]) if size else b""
    return {"dtype": dtype, "shape": shape, "data": data}


def _refuse_shared(tensors: dict[str, Tensor]) -> None:
    if not isinstance(tensors, dict):
        raise ValueError(f"Expected a dict of [str, torch.Tensor] but received {type(tensors)}")
    owners: dict[int, str] = {}
    for name, tensor in tensors.items():
        if not isinstance(tensor, Tensor):
            raise ValueError(f"Key `{name}` is invalid, expected torch.Tensor but received {type(tensor)}")
        if not tensor.is_contiguous():
            raise ValueError(
                f"You are trying to save a non contiguous tensor: `{name}` which is not allowed. Call .contiguous()."
            )
        if tensor.numel() and owners.setdefault(tensor.untyped_storage().data_ptr(), name) != name:
            other = owners[tensor.untyped_storage().data_ptr()]
            raise RuntimeError(
                f"Some tensors share memory: {other!r} and {name!r}. Save a clone() of one, or only one."
            )


def load(data: bytes) -> dict[str, Tensor]:
    """The tensors in the bytes of a safetensors file."""
    return {name: _tensor(name, part) for name, part in _library().deserialize(data)}


def _tensor(name: str, part: dict) -> Tensor:
    dtype = _DTYPES.get(part["dtype"])
    if dtype is None:
        raise TypeError(f"tensor {name!r} has the dtype {part['dtype']}, which chainrule does not have")
    if not len(part["data"]):
        return _core.functions["empty"](part["shape"], dtype=dtype)
    return _core.functions["frombuffer"](bytearray(part["data"]), dtype=dtype).reshape(part["shape"])


def save_file(tensors: dict[str, Tensor], filename: str | os.PathLike, metadata: dict[str, str] | None = None) -> None:
    """Writes a safetensors file, under another name first: a crash leaves the old one as it was."""
    from .serialization.atomic_file import replaced_file

    data = save(tensors, metadata)
    with replaced_file(filename) as file:
        file.write(data)


def load_file(filename: str | os.PathLike, device: Any = "cpu") -> dict[str, Tensor]:
    """The tensors in a safetensors file."""
    _core.check_device(device)
    with open(filename, "rb") as file:
        return {name: tensor.to(device) for name, tensor in load(file.read()).items()}
