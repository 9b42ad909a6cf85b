"""torch.mtia, Meta's accelerator: not here; see compat/absent_device.py."""

from .compat.absent_device import *  # noqa: F403
from .compat.absent_device import work

globals().update(work("mtia", "empty_cache synchronize current_device set_device device"))
