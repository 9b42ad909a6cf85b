"""torch.mtia, Meta's accelerator: not here; see compat/absent_device.py."""

from .compat.absent_device import *  # noqa: F403
from .compat.absent_device import work

empty_cache, synchronize = work("mtia")
