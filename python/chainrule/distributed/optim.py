"""torch.distributed.optim."""

from __future__ import annotations

from ..optim.zero_redundancy_optimizer import ZeroRedundancyOptimizer

__all__ = ["ZeroRedundancyOptimizer"]
