"""The MPI library, loaded by the first process group: initialisation, element types, and memory as MPI takes it."""

from __future__ import annotations

import functools
import os
from typing import Any

from .. import _core
from .._core import Tensor
from .launchers import told

# MPI's name for each dtype. The halves travel as 16 bits; reduce_ops.py has what adds them up.
_TYPE_NAMES = {
    _core.float32: "FLOAT",
    _core.float64: "DOUBLE",
    _core.float16: "UINT16_T",
    _core.bfloat16: "UINT16_T",
    _core.complex64: "C_FLOAT_COMPLEX",
    _core.complex128: "C_DOUBLE_COMPLEX",
    _core.uint8: "UINT8_T",
    _core.int8: "INT8_T",
    _core.int16: "INT16_T",
    _core.int32: "INT32_T",
    _core.int64: "INT64_T",
    _core.bool: "C_BOOL",
}


"""The least that each of N processes has to send is 2 (N - 1)/N of the tensor. MPICH's choice does so if N is a power
of two; otherwise one process sends it twice. Open MPI's choice for tensors that are reduced in place, as ours are,
sends them up and down a tree, twice from one process. Both have better ways that can be asked for: halving and doubling
for powers of two, 2 log2 N messages, and otherwise a ring, 2 (N - 1) messages. What the user has set stays.
"""


def _choose_ways() -> None:
    """See above. MPI reads these variables when it is initialised."""
    count = int(told(os.environ).get("WORLD_SIZE", 1))
    halves = count & (count - 1) == 0
    os.environ.setdefault("OMPI_MCA_coll_libnbc_iallreduce_algorithm", "3" if halves else "1")
    if not halves:
        os.environ.setdefault("MPIR_CVAR_IALLREDUCE_INTRA_ALGORITHM", "tsp_ring")


@functools.cache
def library() -> Any:
    """mpi4py's module MPI, initialised. We end it ourselves: see failure.py."""
    try:
        import mpi4py
    except ImportError:
        raise RuntimeError(
            "torch.distributed needs mpi4py, which is not installed: pip install 'chainrule[distributed]'"
        ) from None
    mpi4py.rc.initialize = False
    mpi4py.rc.finalize = False
    from mpi4py import MPI

    if not MPI.Is_initialized():
        _choose_ways()
        MPI.Init_thread(MPI.THREAD_MULTIPLE)
    return MPI


@functools.cache
def _types() -> dict[Any, Any]:
    mpi = library()
    return {dtype: getattr(mpi, name) for dtype, name in _TYPE_NAMES.items()}


def memory(tensor: Tensor) -> list[Any]:
    """A contiguous tensor's own memory as MPI takes it: bytes, and the type of their elements."""
    size = tensor.numel() * tensor.element_size()
    if tensor.is_conj() or tensor.is_neg():
        raise RuntimeError("a conjugate view shows other values than lie in memory; send tensor.resolve_conj()")
    address = library().buffer.fromaddress(tensor.data_ptr() if size else 0, size)
    return [address, _types()[tensor.dtype]]


def parts(tensor: Tensor, counts: list[int]) -> list[Any]:
    """A contiguous tensor's memory in parts of these numbers of elements, one for each rank."""
    address, kind = memory(tensor)
    offsets = [sum(counts[:i]) for i in range(len(counts))]
    return [address, counts, offsets, kind]


def plain(tensor: Tensor) -> Tensor:
    """The tensor itself if its memory is its elements in order, otherwise a copy; never with a history."""
    return tensor.detach().contiguous()
