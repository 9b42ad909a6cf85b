"""torch.utils.data._utils, from where scripts import default_collate; the modules themselves stand one folder up."""

import sys

from .. import collate, fetch, worker

__all__ = ["collate", "fetch", "worker"]

for _module in (collate, fetch, worker):
    sys.modules[f"{__name__}.{_module.__name__.rpartition('.')[2]}"] = _module
