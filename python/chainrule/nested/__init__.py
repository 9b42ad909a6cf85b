"""Nested tensors, as torch.nested: rows of different lengths in one tensor, without padding.

Of the two layouts, jagged is the one to use: one ragged dimension, and the rows packed one after another in `values()`,
on which operations work directly. The strided layout has rows of any sizes and few operations.
"""

from ..lazy import load as _load

_FILES = {
    "construct": "as_nested_tensor narrow nested_tensor nested_tensor_from_jagged",
    "padding": "to_padded_tensor",
    "selecting": "masked_select",
}
__getattr__, __dir__, __all__ = _load(__name__, _FILES, ("_internal",))
