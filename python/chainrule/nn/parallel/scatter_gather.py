"""Batches spread over GPUs, of which there are none."""

from ...compat.refusal import refused

__all__ = ["gather", "scatter", "scatter_kwargs"]

_NONE = "chainrule runs on the CPU; there are no GPUs to spread a batch over"
gather, scatter, scatter_kwargs = (
    refused(f"nn.parallel.scatter_gather.{_name}", _NONE) for _name in ("gather", "scatter", "scatter_kwargs")
)
