"""vmap: a function of one sample becomes a function of many."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from .. import _core
from .._core import Tensor
from ..error_words import at_call
from ..pytree import TreeSpec, broadcast_prefix, tree_flatten, tree_unflatten
from ..random import get_rng_state, set_rng_state
from .batched import BatchedTensor, Level, batched_at, levels, wrap

__all__ = ["vmap"]

_functions = _core.functions


def vmap(
    func: Callable,
    in_dims: Any = 0,
    out_dims: Any = 0,
    randomness: str = "error",
    *,
    chunk_size: int | None = None,
) -> Callable:
    """A function that applies `func` to every sample at once.

    >>> import chainrule as torch
    >>> batch = torch.tensor([[1.0, 2.0], [3.0, 4.0]])
    >>> torch.func.vmap(lambda x: x.dot(x))(batch)
    tensor([ 5., 25.])

    Args:
        func: takes and returns tensors, also inside lists, tuples and dicts.
        in_dims: the dimension of each input that counts the samples; None: all samples get the same.
        out_dims: the dimension of each output that shall count them.
        randomness: random functions inside raise ("error"), draw for each sample ("different") or once ("same").
        chunk_size: how many samples at most are calculated together.
    """
    if randomness not in ("error", "different", "same"):
        raise at_call(
            RuntimeError, f"Only allowed values for randomness are 'error', 'different', or 'same'. Got {randomness}"
        )
    if chunk_size is not None and not chunk_size > 0:
        raise at_call(ValueError, f"vmap: chunk_size should be None or greater than 0. (got {chunk_size})")

    @functools.wraps(func)
    def wrapped(*args: Any, **kwargs: Any) -> Any:
        size, leaves, dims, spec = _prepare(func, in_dims, args)
        if chunk_size is not None and size > chunk_size:
            return _in_chunks(func, leaves, dims, spec, size, chunk_size, out_dims, randomness, kwargs)
        return _run(func, leaves, dims, spec, size, out_dims, randomness, kwargs)

    return wrapped


def over_directions(func: Callable, directions: Tensor, randomness: str, apart: bool) -> Any:
    """For jacfwd: func of each row, the rows last in the result. `apart` is that of Level."""
    spec = tree_flatten((directions,))[1]
    return _run(func, [directions], [0], spec, len(directions), -1, randomness, {}, apart, directions=True)


def over_tangents(func: Callable, directions: Tensor) -> Any:
    """For gradcheck: func of each row; custom Functions need not know of vmap."""
    spec = tree_flatten((directions,))[1]
    return _run(func, [directions], [0], spec, len(directions), 0, "error", {}, any_function=True)


def _name(func: Callable) -> str:
    return getattr(func, "__name__", repr(func))


def _prepare(func: Callable, in_dims: Any, args: tuple) -> tuple[int, list, list, TreeSpec]:
    """The number of samples, and the leaves of the arguments with the dimension of each."""
    what = f"vmap({_name(func)}, in_dims={in_dims}, ...)(<inputs>)"
    if not isinstance(in_dims, (int, tuple)):
        raise at_call(
            ValueError,
            f"{what}: expected `in_dims` to be int or a (potentially nested) tuple matching the structure of inputs, "
            f"got: {type(in_dims)}.",
        )
    if not args:
        raise at_call(
            ValueError,
            f"vmap({_name(func)})(<inputs>): got no inputs. Maybe you forgot to add inputs, or you are trying to vmap "
            "over a function with no inputs. The latter is unsupported.",
        )
    leaves, spec = tree_flatten(args)
    dims = broadcast_prefix(in_dims, spec)
    if dims is None:
        raise at_call(
            ValueError,
            f"{what}: in_dims is not compatible with the structure of `inputs`. in_dims has structure "
            f"{tree_flatten(in_dims)[1]} but inputs has structure {spec}.",
        )
    sizes = set()
    for i, (leaf, dim) in enumerate(zip(leaves, dims, strict=True)):
        if dim is None:
            continue
        if isinstance(leaf, Tensor) and leaf.is_nested:
            raise at_call(
                NotImplementedError,
                f"{what}: vmap does not go over the rows of nested tensors; [func(row) for row in x.unbind()] does",
            )
        if not isinstance(dim, int):
            raise at_call(
                ValueError, f"{what}: Got in_dim={dim} for an input but in_dim must be either an integer or None."
            )
        if not isinstance(leaf, Tensor):
            raise at_call(
                ValueError,
                f"{what}: Got in_dim={dim} for an input but the input is of type {type(leaf)}. We cannot vmap over "
                "non-Tensor arguments, please use None as the respective in_dim",
            )
        if not -leaf.ndim <= dim < leaf.ndim:
            raise at_call(
                ValueError,
                f"{what}: Got in_dim={dim} for some input, but that input is a Tensor of dimensionality {leaf.ndim} so "
                f"expected in_dim to satisfy -{leaf.ndim} <= in_dim < {leaf.ndim}.",
            )
        dims[i] = dim % leaf.ndim
        sizes.add(leaf.shape[dims[i]])
    if not sizes:
        raise at_call(ValueError, "vmap: Expected at least one Tensor to vmap over")
    if len(sizes) > 1:
        found = [leaf.shape[dim] for leaf, dim in zip(leaves, dims, strict=True) if dim is not None]
        raise at_call(
            ValueError,
            "vmap: Expected all tensors to have the same size in the mapped dimension, got sizes "
            f"{found} for the mapped dimension",
        )
    return sizes.pop(), leaves, dims, spec


def _run(
    func: Callable,
    leaves: list,
    dims: list,
    spec: TreeSpec,
    size: int,
    out_dims: Any,
    randomness: str,
    kwargs: dict,
    apart: bool = False,
    any_function: bool = False,
    directions: bool = False,
) -> Any:
    level = len(levels.now) + 1
    depth = _core.get_vmap_depth()
    levels.now.append(Level(size, randomness, apart, any_function, directions))
    levels.nesting.append(level)
    _core.set_vmap_depth(level)
    try:
        inputs = [leaf if dim is None else _enter(leaf, dim, level) for leaf, dim in zip(leaves, dims, strict=True)]
        output = func(*tree_unflatten(inputs, spec), **kwargs)
    finally:
        _core.set_vmap_depth(depth)
        levels.nesting.pop()
        levels.now.pop()
    return _leave(func, output, out_dims, level, size)


def _enter(leaf: Tensor, dim: int, level: int) -> Tensor:
    depth = _core.get_vmap_depth()
    _core.set_vmap_depth(level - 1)
    try:
        value = leaf if dim == 0 else leaf.movedim(dim, 0)
    finally:
        _core.set_vmap_depth(depth)
    made = wrap(value, level)
    if dim:
        made._dim = dim
    return made


def _leave(func: Callable, output: Any, out_dims: Any, level: int, size: int) -> Any:
    leaves, spec = tree_flatten(output)
    if not all(dim is None or isinstance(dim, int) for dim in tree_flatten(out_dims)[0]):
        raise at_call(
            ValueError,
            f"vmap({_name(func)}, ..., out_dims={out_dims}): `out_dims` must be an int, None or a python collection of "
            "ints representing where in the outputs the vmapped dimension should appear.",
        )
    dims = broadcast_prefix(out_dims, spec)
    if dims is None and isinstance(out_dims, (list, tuple)) and len(out_dims) == 1 and spec.is_leaf():
        dims = list(out_dims)
    if dims is None:
        raise at_call(
            ValueError,
            f"vmap({_name(func)}, ..., out_dims={out_dims})(<inputs>): out_dims is not compatible with the structure "
            f"of `outputs`. out_dims has structure {tree_flatten(out_dims)[1]} but outputs has structure {spec}.",
        )
    results = []
    for leaf, dim in zip(leaves, dims, strict=True):
        if not isinstance(leaf, Tensor):
            if dim is None:
                results.append(leaf)
                continue
            raise at_call(
                ValueError,
                f"vmap({_name(func)}, ...): `{_name(func)}` must only return Tensors, got type "
                f"{type(leaf)}. Did you mean "
                "to set out_dims= to None for output?",
            )
        results.append(_leave_one(func, leaf, dim, level, size))
    return tree_unflatten(results, spec)


def _leave_one(func: Callable, leaf: Tensor, dim: int | None, level: int, size: int) -> Tensor:
    if dim is None:
        if batched_at(leaf, level):
            raise at_call(
                ValueError,
                f"vmap({_name(func)}, ...): `{_name(func)}` can not return a BatchedTensor when out_dim is None",
            )
        return leaf
    if not -leaf.ndim - 1 <= dim <= leaf.ndim:
        raise at_call(
            IndexError,
            f"Dimension out of range (expected to be in range of [{-leaf.ndim - 1}, {leaf.ndim}], but got {dim})",
        )
    value = leaf._value if isinstance(leaf, BatchedTensor) and batched_at(leaf, level) else None
    if value is None:
        value = leaf.unsqueeze(0).expand(size, *leaf.shape)
    place = dim if dim >= 0 else dim + value.ndim
    return value if place == 0 else value.movedim(0, place)


def _in_chunks(
    func: Callable,
    leaves: list,
    dims: list,
    spec: TreeSpec,
    size: int,
    chunk: int,
    out_dims: Any,
    randomness: str,
    kwargs: dict,
) -> Any:
    parts, shape = [], None
    state = get_rng_state() if randomness == "same" else None
    for start in range(0, size, chunk):
        if state is not None:  # all chunks draw what the first one drew
            set_rng_state(state)
        length = min(chunk, size - start)
        inputs = [
            leaf if dim is None else leaf.narrow(dim, start, length) for leaf, dim in zip(leaves, dims, strict=True)
        ]
        found, shape = tree_flatten(_run(func, inputs, dims, spec, length, out_dims, randomness, kwargs))
        parts.append(found)
    assert shape is not None
    joined_dims = broadcast_prefix(out_dims, shape) or [0] * shape.num_leaves
    joined = [
        column[0] if dim is None else _functions["cat"](list(column), dim)
        for column, dim in zip(zip(*parts, strict=True), joined_dims, strict=True)
    ]
    return tree_unflatten(joined, shape)
