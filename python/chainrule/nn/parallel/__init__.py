"""Modules on several devices or in several processes: DataParallel and DistributedDataParallel."""

from ...lazy import load

_FILES = {"distributed": "DistributedDataParallel", "single_device": "DataParallel data_parallel"}

__getattr__, __dir__, __all__ = load(__name__, _FILES, ("distributed",))
