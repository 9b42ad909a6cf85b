"""PyTorch's operations of an export; there are none."""
