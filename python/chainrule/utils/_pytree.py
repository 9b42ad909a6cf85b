"""Nested containers of values, under the name by which other packages know them."""

from ..pytree import *  # noqa: F403
from ..pytree import __all__ as __all__
from ..pytree import _dict_flatten as _dict_flatten
from ..pytree import _dict_flatten_with_keys as _dict_flatten_with_keys
from ..pytree import _dict_unflatten as _dict_unflatten
from ..pytree import _get_node_type as _get_node_type
from ..pytree import _is_leaf as _is_leaf
