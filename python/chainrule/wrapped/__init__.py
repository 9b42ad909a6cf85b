"""Subclasses of Tensor with a __torch_dispatch__: where their calls go, and how gradients pass through them.

`core/tensor/sparse.hpp` tells how the core meets them.
"""
