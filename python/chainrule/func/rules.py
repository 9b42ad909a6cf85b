"""All rules of vmap, by name of the operation."""

from . import (
    batch_along,
    batch_composed,
    batch_elementwise,
    batch_indexing,
    batch_linalg,
    batch_networks,
    batch_products,
    batch_random,
    custom_function,
)
from .batch_rules import ALWAYS, RULES, apply

__all__ = ["ALWAYS", "RULES", "apply"]

_REGISTERED = (
    batch_along,
    batch_composed,
    batch_elementwise,
    batch_indexing,
    batch_linalg,
    batch_networks,
    batch_products,
    batch_random,
    custom_function,
)
