"""The choice between ways to calculate attention; here there is one."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from enum import IntEnum
from typing import Any

from ...error_words import at_call

__all__ = ["SDPBackend", "sdpa_kernel"]


class SDPBackend(IntEnum):
    """PyTorch's ways to calculate attention.

    >>> torch.nn.attention.SDPBackend.MATH
    <SDPBackend.MATH: 0>
    """

    ERROR = -1
    MATH = 0
    FLASH_ATTENTION = 1
    EFFICIENT_ATTENTION = 2
    CUDNN_ATTENTION = 3
    OVERRIDEABLE = 4


@contextmanager
def sdpa_kernel(backends: Any, set_priority: bool = False) -> Iterator[None]:
    """Accepted and without effect: the result does not depend on the way.

    >>> x = torch.ones(1, 2, 3, 4)
    >>> with torch.nn.attention.sdpa_kernel(torch.nn.attention.SDPBackend.MATH):
    ...     torch.nn.functional.scaled_dot_product_attention(x, x, x).shape
    torch.Size([1, 2, 3, 4])
    """
    given = backends if isinstance(backends, (list, tuple)) else [backends]
    if not all(isinstance(backend, SDPBackend) for backend in given):
        raise at_call(AssertionError, "Backend must be an instance of SDPBackend or a list of SDPBackend instances")
    yield
