"""Weights with two zeros in four numbers, which only accelerators are faster with: they raise at their use."""

from __future__ import annotations

from ..compat.refusal import refused, refused_class

_REASON = "semi-structured weights are for accelerators; sparse tensors are on the CPU here"
SparseSemiStructuredTensor = refused_class("sparse.SparseSemiStructuredTensor", _REASON)
SparseSemiStructuredTensorCUSPARSELT = refused_class("sparse.SparseSemiStructuredTensorCUSPARSELT", _REASON)
SparseSemiStructuredTensorCUTLASS = refused_class("sparse.SparseSemiStructuredTensorCUTLASS", _REASON)
to_sparse_semi_structured = refused("sparse.to_sparse_semi_structured", _REASON)
