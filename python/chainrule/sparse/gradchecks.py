"""gradcheck for functions of sparse tensors: it is told their values, or all their elements."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from .. import _core
from .._core import Tensor
from .convert import dense, from_dense, kind_of
from .history import assembled, coalesced, read
from .parts import is_sparse, pattern_of

_functions = _core.functions


def as_sparse_gradcheck(gradcheck: Callable) -> Callable:
    """A gradcheck whose function may take and give sparse tensors; chainrule's own does without.

    >>> check = torch.sparse.as_sparse_gradcheck(torch.autograd.gradcheck)
    >>> x = torch.eye(2, dtype=torch.float64).to_sparse().requires_grad_()
    >>> check(lambda x: torch.sparse.sum(x, 0), (x,), masked=True)
    True
    """

    @functools.wraps(gradcheck)
    def with_sparse(func: Callable, inputs: Any, **options: Any) -> Any:
        given = tuple(inputs) if isinstance(inputs, (tuple, list)) else (inputs,)
        func, given = of_dense(func, given, bool(options.get("masked")))
        return gradcheck(func, given, **options)

    return with_sparse


def of_dense(func: Callable, inputs: tuple, masked: bool) -> tuple[Callable, tuple]:
    """A function as one of dense tensors, and its inputs: the values of sparse ones where only these count (`masked`),
    else all elements.
    """
    patterns: list[Any] = []
    flat: list[Any] = []
    for x in inputs:
        pattern = None
        if is_sparse(x):
            found = coalesced(x.detach())
            pattern = pattern_of(found if masked else _full(found))
            x = read(found, pattern).clone().requires_grad_(x.requires_grad)
        patterns.append(pattern)
        flat.append(x)

    def on_values(*values: Any) -> Any:
        made = (v if p is None else assembled(v, p) for p, v in zip(patterns, values, strict=True))
        result = func(*made)
        results = result if isinstance(result, tuple) else (result,)
        return tuple(dense(r, masked_grad=masked) if is_sparse(r) else r for r in results)

    return on_values, tuple(flat)


def _full(x: Tensor) -> Tensor:
    """A tensor of that layout that has all places."""
    return from_dense(_functions["ones"](tuple(x.shape), dtype=x.dtype), *kind_of(pattern_of(x)))
