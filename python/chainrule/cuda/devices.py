"""The GPUs of this machine: how many there are, what they are, which one is the current one."""

from __future__ import annotations

import functools
import uuid
from collections.abc import Callable
from typing import Any

from .. import _core

__all__ = [
    "can_device_access_peer",
    "current_device",
    "device",
    "device_count",
    "device_of",
    "fallbacks",
    "get_arch_list",
    "get_device_capability",
    "get_device_name",
    "get_device_properties",
    "get_gencode_flags",
    "init",
    "ipc_collect",
    "is_available",
    "is_bf16_supported",
    "is_initialized",
    "is_tf32_supported",
    "set_device",
    "synchronize",
    "versions",
]
NONE = "Torch not compiled with CUDA enabled: chainrule runs on the CPU"
_gpu = _core._cuda


def is_available() -> bool:
    """Whether there is a GPU, and a driver for it."""
    return device_count() > 0


def device_count() -> int:
    """How many GPUs there are; 0 without a driver."""
    return _gpu.device_count()[0]


def needs_gpu(function: Callable) -> Callable:
    """The function; where there is no GPU, it raises as in a PyTorch without CUDA."""

    @functools.wraps(function)
    def checked(*args: Any, **kwargs: Any) -> Any:
        if not device_count():
            raise AssertionError(f"torch.cuda.{function.__name__}: {NONE}")
        return function(*args, **kwargs)

    return checked


def device_index(device: Any = None) -> int:
    """The number of a GPU that is named in any of PyTorch's ways; None: the current one."""
    if device is None:
        return _gpu.current_device()
    if isinstance(device, int):
        return _gpu.current_device() if device < 0 else device
    place = _core.device(device)
    if place.type != "cuda":
        raise ValueError(f"Expected a cuda device, but got: {place}")
    return _gpu.current_device() if place.index is None else place.index


def is_initialized() -> bool:
    """Whether this process has begun to work on a GPU."""
    return _gpu.is_initialized()


@needs_gpu
def init() -> None:
    """Begins to work on the current GPU; the first tensor there does so too."""
    _gpu.set_device(_gpu.current_device())


# ---- the current one


@needs_gpu
def current_device() -> int:
    """The number of the GPU that "cuda" stands for."""
    return _gpu.current_device()


def set_device(device: Any) -> None:
    """Chooses the GPU that "cuda" stands for; a negative index changes nothing."""
    if isinstance(device, int) and device < 0:
        return
    if not device_count():
        raise AssertionError(NONE)
    _gpu.set_device(device_index(device))


class device:  # noqa: N801
    """Chooses the GPU that "cuda" stands for, for the time of a block; None or a negative index changes nothing."""

    def __init__(self, device: Any):
        none = device is None or (isinstance(device, int) and device < 0)
        if not none and not device_count():
            raise AssertionError(NONE)
        self.idx = -1 if none else device_index(device)
        self.prev_idx = -1

    def __enter__(self) -> None:
        if self.idx >= 0:
            self.prev_idx = _gpu.current_device()
            _gpu.set_device(self.idx)

    def __exit__(self, *exception: object) -> None:
        if self.idx >= 0:
            _gpu.set_device(self.prev_idx)


class device_of(device):  # noqa: N801
    """Chooses the GPU of a tensor or a storage for the time of a block; one on the CPU changes nothing."""

    def __init__(self, obj: Any):
        super().__init__(obj.get_device() if obj.is_cuda else -1)


@needs_gpu
def synchronize(device: Any = None) -> None:
    """Waits until the GPU has done all that it was asked for, and raises what its kernels met."""
    _gpu.synchronize(device_index(device))


# ---- what they are


class _CudaDeviceProperties:
    """What a GPU is: its attributes have PyTorch's names."""

    name: str
    major: int
    minor: int
    total_memory: int
    multi_processor_count: int
    L2_cache_size: int

    def __init__(self, facts: dict[str, Any]):
        vars(self).update(facts, uuid=uuid.UUID(bytes=facts["uuid"]), is_integrated=0, is_multi_gpu_board=0)
        self.gcnArchName = facts["name"]

    def __repr__(self) -> str:
        shown = ("name", "major", "minor", "total_memory", "multi_processor_count", "uuid", "L2_cache_size")
        values: dict[str, Any] = {name: getattr(self, name) for name in shown} | {"name": f"'{self.name}'"}
        for name in ("total_memory", "L2_cache_size"):
            values[name] = f"{values[name] >> 20}MB"
        return f"_CudaDeviceProperties({', '.join(f'{name}={value}' for name, value in values.items())})"


@needs_gpu
def get_device_properties(device: Any = None) -> _CudaDeviceProperties:
    """What a GPU is: name, memory, compute capability, multiprocessors."""
    index = device_index(device)
    if index >= device_count():
        raise AssertionError("Invalid device id")
    return _CudaDeviceProperties(_gpu.facts(index))


@needs_gpu
def get_device_name(device: Any = None) -> str:
    """The name of a GPU."""
    return get_device_properties(device).name


@needs_gpu
def get_device_capability(device: Any = None) -> tuple[int, int]:
    """The compute capability of a GPU: (9, 0) for an H200."""
    properties = get_device_properties(device)
    return properties.major, properties.minor


def get_arch_list() -> list[str]:
    """The architectures of the GPUs that are here: chainrule compiles its kernels for them when they are needed."""
    return sorted({"sm_{}{}".format(*get_device_capability(i)) for i in range(device_count())})


def get_gencode_flags() -> str:
    """What nvcc would be told to compile for these GPUs."""
    return " ".join(f"-gencode compute={name.replace('sm', 'compute')},code={name}" for name in get_arch_list())


@needs_gpu
def can_device_access_peer(device: Any, peer_device: Any) -> bool:
    """Whether a GPU can read another one's memory."""
    pair = device_index(device), device_index(peer_device)
    for given, index in zip((device, peer_device), pair, strict=True):
        if index >= device_count():
            raise AssertionError(f"Invalid device id: {given}")
    return pair[0] != pair[1] and _gpu.can_access_peer(*pair)


def is_bf16_supported(including_emulation: bool = True) -> bool:
    """Whether the current GPU calculates with bfloat16; from compute capability 8.0 on it does so itself."""
    return is_available() and (including_emulation or get_device_capability()[0] >= 8)


def is_tf32_supported() -> bool:
    """Whether the current GPU can round the factors of float32 products to TF32."""
    return is_available() and get_device_capability()[0] >= 8


def ipc_collect() -> None:
    """Does nothing: no memory of a GPU is lent to other processes."""
    if not device_count():
        raise AssertionError(f"torch.cuda.ipc_collect: {NONE}")


# ---- ours


def versions() -> dict[str, Any]:
    """What kernels are compiled with, and how many were: chainrule's own.

    >>> torch.cuda.versions()  # doctest: +SKIP
    {'compiler': '13.0', 'compiled': 2, 'loaded': 14, 'seconds': 0.14}
    """
    compiled, loaded, seconds = _gpu.compiler_counts()
    return {"compiler": _gpu.compiler_version(), "compiled": compiled, "loaded": loaded, "seconds": seconds}


def fallbacks() -> dict[str, int]:
    """Which kernels have run on the host, for lack of one on the GPU, and how often: chainrule's own."""
    return _gpu.fallbacks()
