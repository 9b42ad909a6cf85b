"""torch.cuda.FloatTensor and its kin, PyTorch's older names: scripts ask whether something is one."""

from __future__ import annotations

from typing import Any, NoReturn

from ..compat.storages import _LegacyStorage
from ..legacy_constructor import TYPES, cuda_type
from ..storage import NAMES as STORAGE_NAMES
from .devices import NONE, device_count


class _Storage(_LegacyStorage):
    """What the storages of GPUs have in common."""

    on_gpu = True

    def __new__(cls, *args: Any, **options: Any) -> Any:
        if not device_count():
            raise AssertionError(NONE)
        return super().__new__(cls, *args, **options)

    @classmethod
    def from_buffer(cls, *args: Any, **kwargs: Any) -> NoReturn:
        """Raises, as in PyTorch."""
        raise RuntimeError("from_buffer: Not available for CUDA storage")

    @classmethod
    def _new_with_weak_ptr(cls, *args: Any, **kwargs: Any) -> NoReturn:
        raise RuntimeError("_new_with_weak_ptr: Not available for CUDA storage")

    @classmethod
    def _new_shared_filename(cls, *args: Any, **kwargs: Any) -> NoReturn:
        raise RuntimeError("_new_shared_filename: Not available for CUDA storage")


_STORAGES = {
    name: type(name, (_Storage,), {"dtype": dtype, "__doc__": f"Makes a TypedStorage of {dtype} on a GPU."})
    for dtype, name in STORAGE_NAMES.items()
}
_TENSORS = {name: cuda_type(kind) for name, kind in TYPES.items()}
globals().update(_STORAGES, **_TENSORS)
__all__ = [*_STORAGES, *_TENSORS]
