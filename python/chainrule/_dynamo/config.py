"""torch._dynamo.config: kept for scripts that set them."""

import contextlib as _contextlib
import sys as _sys
from collections.abc import Iterator as _Iterator
from typing import Any as _Any

suppress_errors = False
verbose = False
cache_size_limit = 8
recompile_limit = 8
accumulated_cache_size_limit = 256
capture_scalar_outputs = False
optimize_ddp = True
inline_inbuilt_nn_modules = True
skip_fwd_side_effects_in_bwd_under_checkpoint = False
reorderable_logging_functions: set = set()


@_contextlib.contextmanager
def patch(changes: dict[str, _Any] | None = None, **named: _Any) -> _Iterator[None]:
    """A block, or a function it decorates, with other settings."""
    module = _sys.modules[__name__]
    wanted = {**(changes or {}), **named}
    before = {name: getattr(module, name) for name in wanted}
    try:
        vars(module).update(wanted)
        yield
    finally:
        vars(module).update(before)
