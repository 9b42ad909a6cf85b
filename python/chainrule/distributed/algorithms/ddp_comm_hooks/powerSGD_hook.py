# ruff: noqa: N999  (the name is PyTorch's)
"""PowerSGD, which is not there: names that can be imported and raise when they are used."""

from ....compat.refusal import refused, refused_class

_PLACE = "distributed.algorithms.ddp_comm_hooks.powerSGD_hook"
_REASON = "PowerSGD is not there; fp16_compress_hook and bf16_compress_hook halve the bytes"

PowerSGDState = refused_class(f"{_PLACE}.PowerSGDState", _REASON)
powerSGD_hook = refused(f"{_PLACE}.powerSGD_hook", _REASON)  # noqa: N816
batched_powerSGD_hook = refused(f"{_PLACE}.batched_powerSGD_hook", _REASON)  # noqa: N816
