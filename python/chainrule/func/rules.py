"""All rules of vmap, by name of the operation."""

from . import (
    batch_along,
    batch_composed,
    batch_elementwise,
    batch_indexing,
    batch_joining,
    batch_linalg,
    batch_networks,
    batch_products,
    batch_random,
    batch_recurrent,
    batch_search,
    batch_strided,
    custom_function,
)

from . import batch_bodies  # isort: skip  # for what none of the others has a rule
from .batch_rules import ALWAYS, RULES, apply

__all__ = ["ALWAYS", "RULES", "apply"]

_REGISTERED = (
    batch_along,
    batch_composed,
    batch_elementwise,
    batch_indexing,
    batch_joining,
    batch_linalg,
    batch_networks,
    batch_products,
    batch_random,
    batch_recurrent,
    batch_search,
    batch_strided,
    custom_function,
    batch_bodies,
)
