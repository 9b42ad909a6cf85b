"""Tensors with shapes and devices but no elements, on which PyTorch's compiler runs programs; none are made here."""

from __future__ import annotations

from typing import Any

from ..refusal import refused_class

_REASON = 'chainrule does not compile; tensors without elements have device="meta"'
FakeTensor = refused_class("_subclasses.fake_tensor.FakeTensor", _REASON)
FakeTensorMode = refused_class("_subclasses.fake_tensor.FakeTensorMode", _REASON)


def is_fake(x: Any) -> bool:
    """False: there are none."""
    return False
