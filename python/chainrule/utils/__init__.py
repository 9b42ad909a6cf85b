"""What belongs to no other room: checkpoint, which does calculations again to save memory."""

from . import checkpoint

__all__ = ["checkpoint"]
