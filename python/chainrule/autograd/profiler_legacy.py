"""torch.autograd.profiler_legacy: the profiler under its oldest name."""

from .profiler import profile

__all__ = ["profile"]
