"""Handles of hooks, where PyTorch's scripts look for them."""

from ..tensor_methods import RemovableHandle

__all__ = ["RemovableHandle"]
