"""DistributedDataParallel, which can be named, and says that there is one process."""

from ...refusal import refused_class

__all__ = ["DistributedDataParallel"]

DistributedDataParallel = refused_class(
    "nn.parallel.DistributedDataParallel",
    "chainrule runs in one process; torch.distributed.is_available() is False",
)
