"""Nested containers of values, under the name by which other packages know them."""

from ..pytree import TreeSpec, tree_flatten, tree_leaves, tree_map, tree_structure, tree_unflatten

__all__ = ["TreeSpec", "tree_flatten", "tree_leaves", "tree_map", "tree_structure", "tree_unflatten"]
