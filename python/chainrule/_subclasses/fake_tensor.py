"""Tensors with shapes and devices but no elements, on which PyTorch's compiler runs programs; none are made here."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any

from ..compat.refusal import refused, refused_class

_REASON = 'chainrule does not compile; tensors without elements have device="meta"'
FakeTensor = refused_class("_subclasses.fake_tensor.FakeTensor", _REASON)
FakeTensorMode = refused_class("_subclasses.fake_tensor.FakeTensorMode", _REASON)

_is_tensor_constructor = refused("_subclasses.fake_tensor._is_tensor_constructor", _REASON)


@contextlib.contextmanager
def unset_fake_temporarily() -> Iterator[None]:
    """An ordinary block: there is no mode to leave."""
    yield


def is_fake(x: Any) -> bool:
    """False: there are none."""
    return False
