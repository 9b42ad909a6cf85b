"""torch.cuda on a machine without one: questions are answered, seeds are taken, work is refused."""

from __future__ import annotations

from collections import OrderedDict
from types import SimpleNamespace
from typing import Any, NoReturn

from ..compat.refusal import refused, refused_class
from . import random as random
from .random import get_rng_state as get_rng_state
from .random import get_rng_state_all as get_rng_state_all
from .random import initial_seed as initial_seed
from .random import manual_seed as manual_seed
from .random import manual_seed_all as manual_seed_all
from .random import seed as seed
from .random import seed_all as seed_all
from .random import set_rng_state as set_rng_state
from .random import set_rng_state_all as set_rng_state_all

_NONE = "Torch not compiled with CUDA enabled: chainrule runs on the CPU"
has_half = True
has_magma = False
_initialized = False


class OutOfMemoryError(RuntimeError):
    """What PyTorch raises when a device's memory is full; Python's MemoryError is raised here."""


class AcceleratorError(RuntimeError):
    """What PyTorch raises for errors of a device."""


def is_available() -> bool:
    """False: chainrule runs on the CPU."""
    return False


def is_initialized() -> bool:
    """False."""
    return False


def is_bf16_supported(including_emulation: bool = True) -> bool:
    """False."""
    return False


def is_tf32_supported() -> bool:
    """False."""
    return False


def device_count() -> int:
    """0."""
    return 0


def get_arch_list() -> list[str]:
    """No architectures."""
    return []


# ---- memory: none is used


def empty_cache() -> None:
    """Does nothing: there is no cache."""


def memory_allocated(device: Any = None) -> int:
    """0."""
    return 0


max_memory_allocated = memory_reserved = max_memory_reserved = memory_cached = max_memory_cached = memory_allocated


def memory_stats(device: Any = None) -> OrderedDict[str, Any]:
    """No statistics."""
    return OrderedDict()


def reset_peak_memory_stats(device: Any = None) -> None:
    """Does nothing: there is nothing to reset."""


reset_max_memory_allocated = reset_max_memory_cached = reset_peak_memory_stats


# ---- contexts and work


class device:  # noqa: N801
    """Chooses a device for a block; only "none" can be chosen, as a negative index or None."""

    def __init__(self, device: Any):
        if device is not None and not (isinstance(device, int) and device < 0):
            raise AssertionError(_NONE)

    def __enter__(self) -> None:
        pass

    def __exit__(self, *exception: object) -> None:
        pass


def set_device(device: Any) -> None:
    """Takes a negative index, which stands for none; anything else raises."""
    if not (isinstance(device, int) and device < 0):
        raise AssertionError(_NONE)


class stream:  # noqa: N801
    """A block without a stream: only stream(None)."""

    def __init__(self, stream: Any):
        if stream is not None:
            raise AssertionError(_NONE)

    def __enter__(self) -> None:
        pass

    def __exit__(self, *exception: object) -> None:
        pass


_WORK = (
    *("current_device", "synchronize", "mem_get_info", "memory_summary", "get_device_name", "get_device_properties"),
    *("get_device_capability", "current_stream", "default_stream"),
    *("init", "ipc_collect", "can_device_access_peer", "set_per_process_memory_fraction", "utilization", "graph"),
    *("is_current_stream_capturing", "memory_snapshot", "set_stream", "make_graphed_callables"),
)
_CLASSES = ("CUDAGraph", "Event", "ExternalStream", "Stream", "StreamContext")
for _name in _WORK:
    globals()[_name] = refused(f"cuda.{_name}", _NONE, AssertionError)
for _name in _CLASSES:
    _words = (
        f"torch.cuda.{_name} requires CUDA support"
        if "Stream" in _name
        else f"Tried to instantiate dummy base class {_name}"
    )
    globals()[_name] = refused_class(f"cuda.{_name}", _NONE, words=f"{_words}: chainrule runs on the CPU")


graphs = SimpleNamespace(CUDAGraph=globals()["CUDAGraph"], graph=globals()["graph"])


def __getattr__(name: str) -> Any:
    if name == "default_generators":
        return random.all_generators()
    if name in ("amp", "nvtx"):
        import importlib

        return importlib.import_module(f"{__name__}.{name}")
    raise AttributeError(f"module 'torch.cuda' has no attribute {name!r} in chainrule, which runs on the CPU")


# torch.cuda.FloatTensor and its kin: scripts name them in the branch for GPUs, and ask whether something is one.
_KINDS = ("BFloat16", "Bool", "Byte", "Char", "Double", "Float", "Half", "Int", "Long", "Short")
for _name in (f"{_kind}Tensor" for _kind in _KINDS):
    _words = f"type torch.cuda.{_name} not available. Torch not compiled with CUDA enabled."
    globals()[_name] = refused_class(f"cuda.{_name}", _NONE, TypeError, words=_words)


class _Storage:
    """What the storages of CUDA have in common: there are none."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        raise AssertionError(_NONE)

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


for _name in (f"{_kind}Storage" for _kind in (*_KINDS, "ComplexDouble", "ComplexFloat")):
    globals()[_name] = type(_name, (_Storage,), {"__doc__": f"Raises: {_NONE}.", "refusal": _NONE})
