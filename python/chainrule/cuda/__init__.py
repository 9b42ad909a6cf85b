"""torch.cuda: GPUs. Where there is none, questions are answered, seeds are taken, and work is refused."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

from .._core import Tensor
from ..compat.refusal import refused, refused_class
from .devices import *  # noqa: F403
from .devices import NONE as _NONE
from .devices import device_count, device_index, needs_gpu  # noqa: F401
from .memory import *  # noqa: F403
from .streams import *  # noqa: F403
from .tensor_types import *  # noqa: F403

has_half = True
has_magma = False
_initialized = False
default_generators: tuple = ()


class OutOfMemoryError(RuntimeError):
    """The memory of a GPU is full; on the CPU that is Python's MemoryError."""


class AcceleratorError(RuntimeError):
    """What a GPU's driver reports."""


# ---- seeds: PyTorch keeps them until a device is there


def manual_seed(seed: int) -> None:
    """Does nothing: there are no generators on other devices."""
    int(seed)


def manual_seed_all(seed: int) -> None:
    """Does nothing: there are no generators on other devices."""
    int(seed)


def seed() -> None:
    """Does nothing: there are no generators on other devices."""


def seed_all() -> None:
    """Does nothing: there are no generators on other devices."""


def get_rng_state_all() -> list[Tensor]:
    """No states."""
    return []


def set_rng_state_all(new_states: list[Tensor]) -> None:
    """Takes no states; any raise."""
    if len(new_states):
        raise AssertionError(f"torch.cuda.set_rng_state_all with {len(new_states)} states: {_NONE}")


# ---- what is left out

for _name in ("get_rng_state", "set_rng_state", "initial_seed"):
    globals()[_name] = refused(f"cuda.{_name}", _NONE, AssertionError)
_GRAPHS = "chainrule captures no graphs of kernels"
for _name in ("graph", "make_graphed_callables", "graph_pool_handle"):
    globals()[_name] = refused(f"cuda.{_name}", f"{_NONE}; {_GRAPHS}", AssertionError)
CUDAGraph = refused_class(
    "cuda.CUDAGraph",
    _GRAPHS,
    words=f"Tried to instantiate dummy base class CUDAGraph: chainrule runs on the CPU; {_GRAPHS}",
)
graphs = SimpleNamespace(CUDAGraph=CUDAGraph, graph=globals()["graph"])
utilization = refused("cuda.utilization", f"{_NONE}; nvidia-smi tells it", AssertionError)


@needs_gpu
def is_current_stream_capturing() -> bool:
    """False: chainrule captures no graphs of kernels."""
    return False


def __getattr__(name: str) -> Any:
    if name in ("amp", "nvtx", "memory", "streams"):
        import importlib

        return importlib.import_module(f"{__name__}.{name}")
    raise AttributeError(f"module 'torch.cuda' has no attribute {name!r} in chainrule")


