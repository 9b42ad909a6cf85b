"""torch.utils._foreach_utils: tensors sorted by what they have in common."""

from __future__ import annotations

from typing import Any

from .._core import Tensor, device

__all__: list[str] = []


def _group_tensors_by_device_and_dtype(tensorlistlist: list[list[Any]], with_indices: bool = False) -> dict:
    """Lists of tensors divided by the device and dtype of the first list's, as {(device, dtype): (lists, indices)}."""
    groups: dict[tuple, tuple[list[list], list[int]]] = {}
    for i, first in enumerate(tensorlistlist[0]):
        key = (first.device, first.dtype) if isinstance(first, Tensor) else (None, None)
        lists, indices = groups.setdefault(key, ([[] for _ in tensorlistlist], []))
        for part, values in zip(lists, tensorlistlist, strict=True):
            if values:
                part.append(values[i])
        if with_indices:
            indices.append(i)
    return groups


def _get_foreach_kernels_supported_devices() -> list[str]:
    return ["cuda", "xpu", "mtia", "privateuseone"]


_get_fused_kernels_supported_devices = _get_foreach_kernels_supported_devices


def _device_has_foreach_support(device: device) -> bool:
    return device.type in (*_get_foreach_kernels_supported_devices(), "cpu")


def _has_foreach_support(tensors: list[Tensor], device: device) -> bool:
    return _device_has_foreach_support(device) and all(t is None or type(t) is Tensor for t in tensors)
