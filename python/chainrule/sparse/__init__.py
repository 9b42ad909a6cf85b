"""Sparse tensors, as torch.sparse: products, sums and softmax that read only what is there.

A sparse tensor is a Tensor as any other: it has a gradient, hooks and a place in the graph. What it has in place of
elements is a pattern of places and their values (`parts`). docs/sparse.md shows its use.
"""

from typing import Any as _Any

from ..lazy import load as _load

_FILES = {
    "functions": "addmm mm sampled_addmm spdiags spsolve",
    "gradchecks": "as_sparse_gradcheck",
    "invariants": "check_sparse_tensor_invariants",
    "reductions": "log_softmax softmax sum",
    "semi_structured": """
        SparseSemiStructuredTensor SparseSemiStructuredTensorCUSPARSELT SparseSemiStructuredTensorCUTLASS
        to_sparse_semi_structured
    """,
}
_find, __dir__, __all__ = _load(__name__, _FILES)


def __getattr__(name: str) -> _Any:
    if name.endswith("Tensor"):
        from ..legacy_constructor import TYPES, sparse_type

        if name in TYPES:
            globals()[name] = made = sparse_type(name)
            return made
    return _find(name)
