"""torch.distributed.optim."""

from __future__ import annotations

from ..compat.refusal import refused_class
from ..optim.zero_redundancy_optimizer import ZeroRedundancyOptimizer

__all__ = ["ZeroRedundancyOptimizer"]

DistributedOptimizer, PostLocalSGDOptimizer = (
    refused_class(f"distributed.optim.{_name}", "chainrule averages gradients, with DistributedDataParallel")
    for _name in ("DistributedOptimizer", "PostLocalSGDOptimizer")
)
