"""Products and joined tensors inside vmap."""

from __future__ import annotations

from typing import Any

from .. import _core
from .._core import Tensor
from ..error_words import at_call
from . import batched
from .batch_along import _expand, _shift
from .batch_rules import Call, loop, rule
from .batched import BatchedTensor, wrap

_functions = _core.functions


@rule("cat", "concat", "concatenate", "stack")
def _join(call: Call, tensors: Any, dim: int = 0, *, axis: int | None = None) -> Any:
    name, dim = call.function.__name__, dim if axis is None else axis
    values = [call.expanded(t) for t in tensors]
    if name in ("cat", "concat", "concatenate"):
        rank = max(v.ndim for v in values) - 1
        values = [v for v in values if not (v.ndim == 2 and v.shape[1] == 0 and rank > 1)]
        return wrap(_functions["cat"](values, _shift(dim, rank)), call.level)
    return wrap(_functions["stack"](values, _shift(dim, values[0].ndim)), call.level)


@rule("broadcast_tensors", "atleast_1d", "atleast_2d", "atleast_3d")
def _many(call: Call, *tensors: Any, **kwargs: Any) -> Any:
    name = call.function.__name__
    if name == "broadcast_tensors":
        given = tensors[0] if len(tensors) == 1 and isinstance(tensors[0], (list, tuple)) else tensors
        with batched.at_depth(0):
            shape = _functions["broadcast_tensors"](
                *(batched._shells[t.dtype].expand(t.shape) if type(t) is BatchedTensor else t for t in given)
            )[0].shape
        return tuple(wrap(_expand(call, call.expanded(t), t.ndim, {"size": shape}), call.level) for t in given)
    if name.startswith("atleast") and len(tensors) == 1 and isinstance(tensors[0], Tensor):
        only: Any = tensors[0]
        value, rank = only._value, only.ndim
        wanted = int(name[8])
        shape = {0: (1,) * wanted, 1: {1: (-1,), 2: (1, -1), 3: (1, -1, 1)}[wanted], 2: (*tensors[0].shape, 1)}.get(
            rank
        )
        return tensors[0] if rank >= wanted else wrap(value.reshape(value.shape[0], *(shape or ())), call.level)
    return loop(call, tensors, kwargs)


# ---- products

# The ranks that they take. More would fit the products that stand for them here.
_RANKS = {"mm": (2, 2), "mv": (2, 1), "bmm": (3, 3), "dot": (1, 1), "vdot": (1, 1), "outer": (1, 1), "ger": (1, 1)}
_RANKS |= {"addmm": (2, 2), "addmv": (2, 1), "addr": (1, 1), "baddbmm": (3, 3), "addbmm": (3, 3)}


def _check_ranks(name: str, a: int, b: int) -> None:
    wanted = _RANKS.get(name)
    if wanted in (None, (a, b)):
        return
    if wanted == (1, 1):
        raise at_call(RuntimeError, f"Got wrong shapes for {name}")
    name = "bmm" if "bmm" in name else name.removeprefix("add")
    raise at_call(
        RuntimeError,
        f"Shape mismatch: Got incorrect dims for {name}(a, b). a has dim {a}and b has dim {b}but expected them to have "
        f"dim {wanted[0]} and dim {wanted[1]}",
    )


@rule("matmul", "mm", "mv", "dot", "bmm", "outer", "ger", "vdot")
def _product(call: Call, a: Any, b: Any, **kwargs: Any) -> Any:
    name = call.function.__name__
    ra, rb = a.ndim, b.ndim
    _check_ranks(name, ra, rb)
    if name == "vdot":
        a = wrap(a._value.conj(), call.level) if call.is_batched(a) else a.conj()
    if name in ("outer", "ger"):
        left = call.value(a).unsqueeze(-1)
        right = call.value(b).unsqueeze(-2)
        return wrap(left * right, call.level)
    if name == "matmul" and 0 in (ra, rb):
        return loop(call, (a, b), {})
    return wrap(_matmul(call, a, b), call.level)


def _matmul(call: Call, a: Any, b: Any) -> Tensor:
    ra, rb = a.ndim, b.ndim
    x, y = call.value(a), call.value(b)
    if call.is_batched(a) and not call.is_batched(b) and rb <= 2:
        if ra == 1:
            return x @ y  # rows of one matrix
        return x @ y
    if ra == 1:
        x = x.unsqueeze(-2)
    if rb == 1:
        y = y.unsqueeze(-1)
    rank = max(ra, rb, 2)
    if call.is_batched(a):
        x = x.reshape(x.shape[0], *(1,) * (rank - max(ra, 2)), *x.shape[1:])
    if call.is_batched(b):
        y = y.reshape(y.shape[0], *(1,) * (rank - max(rb, 2)), *y.shape[1:])
    if not call.is_batched(a) and call.is_batched(b) and rank == 2 and y.shape[-1] == 1 and rb == 1:
        result = b._value @ (x[0] if ra == 1 else x).mT if ra != 1 else b._value @ x[0]
        return result
    result = x @ y
    if ra == 1:
        result = result.squeeze(-2)
    return result.squeeze(-1) if rb == 1 else result


@rule("linear")
def _linear(call: Call, input: Any, weight: Tensor, bias: Tensor | None = None) -> Any:
    if not call.is_batched(weight) and (bias is None or not call.is_batched(bias)):
        return wrap(_functions["linear"](input._value, weight, bias), call.level)
    transposed = call.value(weight).mT
    x, rank = call.value(input), input.ndim
    if call.is_batched(weight):
        if call.is_batched(input):
            if rank == 1:
                result = _functions["bmm"](x.unsqueeze(1), transposed).squeeze(1)
            else:
                result = (x.reshape(x.shape[0], -1, x.shape[-1]) @ transposed).reshape(*x.shape[:-1], -1)
        else:
            result = (x.reshape(-1, x.shape[-1]) @ transposed).reshape(call.size, *x.shape[:-1], -1)
    else:
        result = x @ transposed
    if bias is None:
        return wrap(result, call.level)
    added = call.value(bias)
    if call.is_batched(bias):
        added = added.reshape(added.shape[0], *(1,) * (rank - 1), added.shape[-1])
    if result.ndim < rank + 1:
        result = result.unsqueeze(0)
    return wrap(result + added, call.level)


@rule("addmm", "addmv", "addr", "baddbmm", "addbmm")
def _add_product(call: Call, input: Tensor, a: Tensor, b: Tensor, *, beta: Any = 1, alpha: Any = 1) -> Any:
    name = call.function.__name__
    _check_ranks(name, a.ndim, b.ndim)
    if name == "addr":
        product = call.value(a).unsqueeze(-1) * call.value(b).unsqueeze(-2)
    else:
        product = _matmul(call, a, b)
        if name == "addbmm":
            product = product.sum(-3)
    if not call.is_batched(a) and not call.is_batched(b):
        product = product.unsqueeze(0).expand(call.size, *product.shape)
    rank = product.ndim - 1
    added = call.value(input)
    if call.is_batched(input) and input.ndim < rank:
        added = added.reshape(added.shape[0], *(1,) * (rank - input.ndim), *input.shape)
    scaled = product if alpha == 1 else product * alpha
    return wrap(scaled if beta == 0 else scaled + (added if beta == 1 else added * beta), call.level)
