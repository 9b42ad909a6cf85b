"""The settings of torch.save and torch.load, as torch.utils.serialization."""

from ...serialization import options as config

__all__ = ["config"]
