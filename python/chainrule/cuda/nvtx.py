"""Marks for NVIDIA's profiler, which see nothing here."""

from ..refusal import refused

_REASON = "NVTX functions not installed: chainrule runs on the CPU"
mark = refused("cuda.nvtx.mark", _REASON)
range_pop = refused("cuda.nvtx.range_pop", _REASON)
range_push = refused("cuda.nvtx.range_push", _REASON)
