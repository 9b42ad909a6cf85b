"""Which backends there are: MPI if mpi4py is installed. Nothing is imported to find out."""

from __future__ import annotations

import importlib.util
import os


def is_available() -> bool:
    """Whether several processes can calculate together: whether mpi4py is installed."""
    return importlib.util.find_spec("mpi4py") is not None


def is_mpi_available() -> bool:
    """Whether mpi4py is installed."""
    return is_available()


def is_gloo_available() -> bool:
    """Whether init_process_group("gloo") works: it runs on MPI."""
    return is_available()


def is_nccl_available() -> bool:
    """False: there are no GPUs. init_process_group("nccl") runs on MPI all the same."""
    return False


is_ucc_available = is_xccl_available = is_nccl_available


def is_backend_available(backend: str) -> bool:
    """Whether a backend can be named in init_process_group() and is what it says it is."""
    return backend.lower() in ("mpi", "gloo") and is_available()


def is_torchelastic_launched() -> bool:
    """Whether torchrun started this process."""
    return os.environ.get("TORCHELASTIC_RUN_ID") is not None
