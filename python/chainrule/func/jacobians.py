"""All derivatives of a function: jacrev by rows, jacfwd by columns, hessian for the second order."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from typing import Any

from .. import _core
from .._core import Tensor
from ..autograd.grad_mode import no_grad
from ..error_words import at_call
from ..pytree import tree_flatten, tree_map, tree_unflatten
from .batched import BatchedTensor, at_depth, levels, wrap
from .directional import jvp
from .gradients import Recording, call_shielded, pick, record, replaced, split_aux, without_graph
from .vmap import over_directions

__all__ = ["hessian", "jacfwd", "jacrev"]

_functions = _core.functions


def _basis(t: Tensor, start: int = 0, stop: int | None = None) -> Tensor:
    """For each number of t, or for those from start to stop, a tensor of its shape with a 1 there."""
    count = math.prod(t.shape)
    stop = count if stop is None else stop
    rows = _functions["zeros"]((stop - start, count), dtype=t.dtype, device=t.device)
    rows.diagonal(start).fill_(1)
    return rows.reshape(stop - start, *t.shape)


def _require_real(leaves: list, what: str, places: str) -> None:
    for i, leaf in enumerate(leaves):
        if isinstance(leaf, Tensor) and leaf.is_complex():
            raise at_call(
                RuntimeError,
                f"{what}: Expected all {places} to be real but received complex tensor at flattened input idx: {i}",
            )


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

    chunk_size bounds how many rows exist apart from the result, which _preallocate_and_copy makes beforehand.
    """
    if chunk_size is not None and chunk_size <= 0:
        raise at_call(ValueError, "jacrev: `chunk_size` should be greater than 0.")

    @functools.wraps(func)
    def wrapper(*args: Any, **kwargs: Any) -> Any:
        picked, numbers = pick(args, argnums)

        def of_picked(chosen: Any) -> Any:
            return call_shielded(func, args, kwargs, argnums, numbers, chosen)

        _require_real(tree_flatten(picked)[0], "jacrev", "inputs")
        recording, spec, outputs, output_spec, aux = record(
            of_picked, (picked,), has_aux, "vjp(f, *primals)", (args, kwargs)
        )
        _require_real(outputs, "jacrev", "outputs")
        blocks = []
        for k, y in enumerate(outputs):
            columns = _derivatives(recording, k, y, chunk_size, _preallocate_and_copy)
            blocks.append(tree_unflatten(columns, spec)[0])
        result = tree_unflatten(blocks, output_spec)
        return (result, without_graph(aux, recording)) if has_aux else result

    return wrapper


def _derivatives(recording: Recording, number: int, y: Tensor, chunk_size: int | None, prepare: bool) -> list[Tensor]:
    """All derivatives of one output: for each input a tensor of the output's shape followed by the input's."""
    count = math.prod(y.shape)
    step = chunk_size or max(count, 1)
    chunks: list[list[Tensor]] = [[] for _ in recording.inputs]
    whole = [x.new_zeros((count, *x.shape)) if prepare or not count else None for x in recording.inputs]
    for start in range(0, count, step):
        stop = min(start + step, count)
        for i, rows in enumerate(recording.rows(number, list(_basis(y, start, stop).unbind(0)))):
            found = _functions["stack"](rows)
            target = whole[i]
            if target is None:
                chunks[i].append(found)
            else:
                target[start:stop] = found
    joined = [
        t if t is not None else c[0] if len(c) == 1 else _functions["cat"](c)
        for t, c in zip(whole, chunks, strict=True)
    ]
    return [t.reshape((*y.shape, *x.shape)) for t, x in zip(joined, recording.inputs, strict=True)]


def jacfwd(func: Callable, argnums: Any = 0, has_aux: bool = False, *, randomness: str = "error") -> Callable:
    """A function that returns all derivatives of func, by forward mode in all directions at once.

    >>> torch.func.jacfwd(lambda x: x * x)(torch.tensor([1., 2.]))
    tensor([[2., 0.],
            [0., 4.]])
    """

    @functools.wraps(func)
    def wrapper(*args: Any, **kwargs: Any) -> Any:
        picked, numbers = pick(args, argnums)
        leaves, spec = tree_flatten(picked)
        kept: list = []
        others = _Others(args, numbers)
        _require_real(leaves, "jacfwd", "inputs")

        def of_picked(*chosen: Any) -> Any:
            given = replaced(others.given(), argnums, numbers, tree_unflatten(list(chosen), spec))
            output = func(*given, **kwargs)
            if has_aux:
                output, aux = split_aux(output, "jvp(f, primals, tangents)")
                kept[:] = [aux]
            return output

        columns: list[list] = []
        output_spec = aux = None
        for i, x in enumerate(leaves):
            found, output_spec, aux = _columns(of_picked, leaves, i, x, randomness, kept)
            columns.append(found)
            others.write_back()
        blocks = [tree_unflatten([columns[i][k] for i in range(len(leaves))], spec) for k in range(len(columns[0]))]
        assert output_spec is not None
        result = tree_unflatten(blocks, output_spec)
        return (result, aux) if has_aux else result

    return wrapper


# Directions share the input and what func makes itself until one of them writes there: PyTorch's words for both.
_WRITES_INTO_SHARED = (
    "being vmapped over but `self` not being vmapped over",
    "more than one element of the written-to tensor refers to a single memory location",
)


class _Others:
    """The arguments that are not differentiated. Where directions do not share what they write into, each has a copy,
    and what was written stands in the caller's tensor afterwards.
    """

    def __init__(self, args: tuple, numbers: list[int]):
        self.args, self.numbers = args, numbers
        self.copies: list[tuple[Tensor, BatchedTensor, int]] = []

    def given(self) -> tuple:
        if not levels.now[_core.get_vmap_depth() - 1].apart:
            return self.args
        self.copies.clear()
        return tuple(a if i in self.numbers else tree_map(self._copy, a) for i, a in enumerate(self.args))

    def _copy(self, a: Any) -> Any:
        if not isinstance(a, Tensor) or not a.is_floating_point():
            return a
        level = _core.get_vmap_depth()
        with at_depth(level - 1):
            many = a.unsqueeze(0).repeat(levels.now[level - 1].size, *[1] * a.ndim)
        self.copies.append((a, wrap(many, level), many._version))
        return self.copies[-1][1]

    def write_back(self) -> None:
        with no_grad():
            for original, copy, version in self.copies:
                if copy._value._version != version:
                    original.copy_(copy._value[0])


def _columns(func: Callable, leaves: list, i: int, x: Tensor, randomness: str, kept: list) -> tuple[list, Any, Any]:
    """The derivatives by one input: for each output a tensor of its shape followed by the input's."""

    def push(direction: Tensor) -> Any:
        tangents = tuple(direction if k == i else _functions["zeros_like"](t) for k, t in enumerate(leaves))
        return jvp(func, tuple(leaves), tangents)[1]

    try:
        output = over_directions(push, _basis(x), randomness, apart=False)
    except RuntimeError as error:
        if not any(words in str(error) for words in _WRITES_INTO_SHARED):
            raise
        output = over_directions(push, _basis(x), randomness, apart=True)
    found, spec = tree_flatten(output)
    aux = None
    if kept:  # of one sample: all have the same
        aux = tree_map(lambda a: a._value[0].detach() if type(a).__name__ == "BatchedTensor" else a, kept[0])
    _require_real(found, "jacfwd", "outputs")
    return [t.reshape((*t.shape[:-1], *x.shape)) for t in found], spec, aux


def hessian(func: Callable, argnums: Any = 0) -> Callable:
    """A function that returns all second derivatives of func: the derivatives of its gradient.

    >>> torch.func.hessian(lambda x: (x ** 3).sum())(torch.tensor([1., 2.]))
    tensor([[ 6.,  0.],
            [ 0., 12.]])
    """
    return jacrev(jacrev(func, argnums), argnums)
