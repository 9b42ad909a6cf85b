"""Functions without in-place operations inside."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from ..error_words import at_call

__all__ = ["functionalize"]


def functionalize(func: Callable, *, remove: str = "mutations") -> Callable:
    """A function that does what func does, without overwriting anything that others could see meanwhile.

    PyTorch has it for tracers, which record no in-place operations. Here nothing traces a function, and a call of func
    itself is such a function: its results are the same, views stay views, and what it writes into its arguments is
    written there, as with PyTorch's.

    >>> def double(x):
    ...     y = x.clone()
    ...     y *= 2
    ...     return y
    >>> torch.func.functionalize(double)(torch.tensor([1., 2.]))
    tensor([2., 4.])
    """
    if remove not in ("mutations", "mutations_and_views"):
        raise at_call(
            RuntimeError,
            f"functionalize(f, remove='mutations'): received invalid argument for remove={remove}. Valid options are:\n"
            "     remove='mutations': operations that write in place or to out= are replaced\n"
            "     remove='mutations_and_views': views are replaced by copies as well",
        )

    @functools.wraps(func)
    def wrapper(*args: Any, **kwargs: Any) -> Any:
        return func(*args, **kwargs)

    return wrapper
