"""The recorded graph's types."""

from .._core import Node

__all__ = ["Node"]
