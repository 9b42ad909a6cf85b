"""torch.cuda: GPUs. Where there is none, questions are answered, seeds are taken, and work is refused."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

from ..compat.refusal import refused, refused_class
from . import random as random
from .devices import *
from .devices import NONE as _NONE
from .devices import device_count as device_count
from .devices import device_index as device_index
from .devices import needs_gpu as needs_gpu
from .memory import *
from .random import get_rng_state as get_rng_state
from .random import get_rng_state_all as get_rng_state_all
from .random import initial_seed as initial_seed
from .random import manual_seed as manual_seed
from .random import manual_seed_all as manual_seed_all
from .random import seed as seed
from .random import seed_all as seed_all
from .random import set_rng_state as set_rng_state
from .random import set_rng_state_all as set_rng_state_all
from .streams import *
from .tensor_types import *

has_half = True
has_magma = False
_initialized = False


class OutOfMemoryError(RuntimeError):
    """The memory of a GPU is full; on the CPU that is Python's MemoryError."""


class AcceleratorError(RuntimeError):
    """What a GPU's driver reports."""


# ---- what is left out

_GRAPHS = "chainrule captures no graphs of kernels"
for _name in ("graph", "make_graphed_callables", "graph_pool_handle"):
    globals()[_name] = refused(f"cuda.{_name}", f"{_NONE}; {_GRAPHS}", AssertionError)
CUDAGraph = refused_class(
    "cuda.CUDAGraph",
    _GRAPHS,
    words=f"Tried to instantiate dummy base class CUDAGraph: chainrule runs on the CPU; {_GRAPHS}",
)
graphs = SimpleNamespace(CUDAGraph=CUDAGraph, graph=globals()["graph"])
cudart = refused("cuda.cudart", f"{_NONE}; chainrule calls the driver itself", AssertionError)
utilization = refused("cuda.utilization", f"{_NONE}; nvidia-smi tells it", AssertionError)


@needs_gpu
def is_current_stream_capturing() -> bool:
    """False: chainrule captures no graphs of kernels."""
    return False


def __getattr__(name: str) -> Any:
    if name == "default_generators":
        return random.all_generators()
    if name in ("amp", "nvtx", "memory", "streams"):
        import importlib

        return importlib.import_module(f"{__name__}.{name}")
    raise AttributeError(f"module 'torch.cuda' has no attribute {name!r} in chainrule")
