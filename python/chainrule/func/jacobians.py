"""All derivatives of a function: jacrev by rows, jacfwd by columns, hessian for the second order."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from typing import Any

from .. import _core
from .._core import Tensor
from ..pytree import tree_flatten, tree_map, tree_unflatten
from .gradients import _pick, _replaced, _split_aux, jvp, record, without_graph
from .vmap import vmap

__all__ = ["hessian", "jacfwd", "jacrev"]

_functions = _core.functions


def _unit_rows(y: Tensor) -> list[Tensor]:
    """For each number of y, a tensor of its shape with a 1 there."""
    return list(_basis(y).unbind(0))


def _basis(t: Tensor) -> Tensor:
    count = math.prod(t.shape)
    return _functions["eye"](count, dtype=t.dtype).reshape(count, *t.shape)


def jacrev(
    func: Callable,
    argnums: Any = 0,
    *,
    has_aux: bool = False,
    chunk_size: int | None = None,
    _preallocate_and_copy: bool = False,
) -> Callable:
    """A function that returns all derivatives of func, by one pass backward for each number of its result.

    >>> import chainrule as torch
    >>> torch.func.jacrev(lambda x: x * x)(torch.tensor([1.0, 2.0]))
    tensor([[2., 0.],
            [0., 4.]])

    chunk_size bounds nothing here: one row is calculated at a time.
    """
    if chunk_size is not None and chunk_size <= 0:
        raise ValueError("jacrev: `chunk_size` should be greater than 0.")

    @functools.wraps(func)
    def wrapper(*args: Any, **kwargs: Any) -> Any:
        picked, numbers = _pick(args, argnums)

        def of_picked(chosen: Any) -> Any:
            return func(*_replaced(args, argnums, numbers, chosen), **kwargs)

        recording, spec, outputs, output_spec, aux = record(of_picked, (picked,), has_aux, "jacrev(f)(*args)")
        blocks = []
        for k, y in enumerate(outputs):
            rows = recording.rows(k, _unit_rows(y))
            columns = [_stack_rows(column, y, x) for column, x in zip(rows, recording.inputs, strict=True)]
            blocks.append(tree_unflatten(columns, spec)[0])
        result = tree_unflatten(blocks, output_spec)
        return (result, without_graph(aux, recording)) if has_aux else result

    return wrapper


def _stack_rows(rows: list[Tensor], y: Tensor, x: Tensor) -> Tensor:
    if not rows:
        return x.new_zeros((*y.shape, *x.shape))
    return _functions["stack"](rows).reshape((*y.shape, *x.shape))


def jacfwd(func: Callable, argnums: Any = 0, has_aux: bool = False, *, randomness: str = "error") -> Callable:
    """A function that returns all derivatives of func, by forward mode in all directions at once.

    >>> torch.func.jacfwd(lambda x: x * x)(torch.tensor([1., 2.]))
    tensor([[2., 0.],
            [0., 4.]])
    """

    @functools.wraps(func)
    def wrapper(*args: Any, **kwargs: Any) -> Any:
        picked, numbers = _pick(args, argnums)
        leaves, spec = tree_flatten(picked)
        kept: list = []

        def of_picked(*chosen: Any) -> Any:
            output = func(*_replaced(args, argnums, numbers, tree_unflatten(list(chosen), spec)), **kwargs)
            if has_aux:
                output, aux = _split_aux(output, "jacfwd(f)(*args)")
                kept[:] = [aux]
            return output

        columns: list[list] = []
        output_spec = aux = None
        for i, x in enumerate(leaves):
            found, output_spec, aux = _columns(of_picked, leaves, i, x, randomness, kept)
            columns.append(found)
        blocks = [tree_unflatten([columns[i][k] for i in range(len(leaves))], spec) for k in range(len(columns[0]))]
        assert output_spec is not None
        result = tree_unflatten(blocks, output_spec)
        return (result, aux) if has_aux else result

    return wrapper


def _columns(func: Callable, leaves: list, i: int, x: Tensor, randomness: str, kept: list) -> tuple[list, Any, Any]:
    """The derivatives by one input: for each output a tensor of its shape followed by the input's."""

    def push(direction: Tensor) -> Any:
        tangents = tuple(direction if k == i else _functions["zeros_like"](t) for k, t in enumerate(leaves))
        return jvp(func, tuple(leaves), tangents)[1]

    found, spec = tree_flatten(vmap(push, out_dims=-1, randomness=randomness)(_basis(x)))
    aux = None
    if kept:  # of one sample: all have the same
        aux = tree_map(lambda a: a._value[0].detach() if type(a).__name__ == "BatchedTensor" else a, kept[0])
    return [t.reshape(*t.shape[:-1], *x.shape) for t in found], spec, aux


def hessian(func: Callable, argnums: Any = 0) -> Callable:
    """A function that returns all second derivatives of func: the derivatives of its gradient.

    >>> torch.func.hessian(lambda x: (x ** 3).sum())(torch.tensor([1., 2.]))
    tensor([[ 6.,  0.],
            [ 0., 12.]])
    """
    return jacrev(jacrev(func, argnums), argnums)
