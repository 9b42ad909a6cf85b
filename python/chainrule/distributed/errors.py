"""The errors of several processes, under PyTorch's names."""

from __future__ import annotations


class DistError(RuntimeError):
    """Something went wrong between processes."""


class DistBackendError(DistError):
    """MPI reported an error, or a process did not answer in time."""


class DistNetworkError(DistError):
    """The network failed."""


class DistStoreError(DistError):
    """A store failed; chainrule has none, since MPI knows its processes."""


class QueueEmptyError(DistStoreError):
    """A queue of a store was empty."""
