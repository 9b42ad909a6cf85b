"""How long PyTorch's groups wait."""

from datetime import timedelta

__all__ = ["default_pg_timeout"]

default_pg_timeout = timedelta(minutes=30)
