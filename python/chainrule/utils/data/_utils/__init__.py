"""torch.utils.data._utils, from where scripts import default_collate; the modules themselves stand one folder up."""

import sys

from .. import collate, fetch, pin_memory, worker

__all__ = ["collate", "fetch", "pin_memory", "worker"]

HAS_NUMPY = True
MP_STATUS_CHECK_INTERVAL = 5.0
python_exit_status = False  # PyTorch's sign that Python is about to end

for _module in (collate, fetch, pin_memory, worker):
    sys.modules[f"{__name__}.{_module.__name__.rpartition('.')[2]}"] = _module
