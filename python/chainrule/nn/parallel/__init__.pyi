# Written by tools/stubs.py; `make stubs` writes it anew.
from . import distributed as distributed
from .distributed import DistributedDataParallel as DistributedDataParallel
from .single_device import DataParallel as DataParallel
from .single_device import data_parallel as data_parallel
