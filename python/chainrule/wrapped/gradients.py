"""The gradients of aten's operations, written in operations on tensors, so that they are dispatched as well."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from typing import Any, NamedTuple

from .. import _core
from .._core import Tensor
from .formula_texts import line_gradient

__all__ = ["CONSTANT", "Gradient", "fitted", "gradient_of"]

# What has no gradient, though its results may be of floating dtypes.
_CONSTANT_NAMES = """
detach zeros_like ones_like empty_like full_like rand_like randn_like randint_like new_zeros new_ones new_empty
new_full new_empty_strided _local_scalar_dense equal allclose argmax argmin argsort is_same_size isnan isinf
isfinite sign floor ceil round trunc nonzero bincount histc searchsorted bucketize one_hot
"""
CONSTANT = {*_CONSTANT_NAMES.split(), *(row["name"] for row in _core.op_table() if row["is_test"])}


class Gradient(NamedTuple):
    """How the gradients of an operation's tensors are calculated."""

    node: str
    function: Callable | None  # function(call, g, *args, **options); None: not known
    reads: tuple[int, ...] = ()  # the tensors that must not have changed until then
    reads_result: bool = False
    shown: tuple[str, ...] = ()  # what the node calls its tensors


_TABLE: dict[str, Gradient] = {}


def _node_of(name: str) -> str:
    return "".join(word[:1].upper() + word[1:] for word in name.strip("_").split("_")) + "Backward0"


def _gradient(*names: str, reads: tuple[int, ...] = (), result: bool = False, node: str = "") -> Callable:
    def add(function: Callable) -> Callable:
        for name in names:
            _TABLE[name] = Gradient(node or _node_of(name), function, reads, result)
        return function

    return add


@cache
def gradient_of(op: Any) -> Gradient:
    """The gradient of an operation; in place it is that of the operation of the same name."""
    name = op.overloadpacket.__name__
    plain = name if name.startswith("__") else name.rstrip("_")
    for known in (name, plain):
        if known in _TABLE:
            return _TABLE[known]
    line = line_gradient(plain)
    if line is not None:
        return Gradient(*line)
    return Gradient(_node_of(plain), None)


def fitted(g: Any, shape: Sequence[int]) -> Any:
    """A gradient summed over what was broadcast."""
    if g is None or g.shape == tuple(shape):
        return g
    new = g.dim() - len(shape)
    dims = [*range(new), *(i + new for i, n in enumerate(shape) if n == 1 and g.shape[i + new] != 1)]
    g = g.sum(dims, keepdim=True) if dims else g
    return g.view(list(shape)) if new else g


def _adjoint(x: Tensor, *, batch: bool = False) -> Tensor:
    turned = x.transpose(1, 2) if batch else x.t()
    return turned.conj() if x.is_complex() else turned


# ---- products


@_gradient("mm", reads=(0, 1))
def _mm(call: Any, g: Tensor, a: Tensor, b: Tensor) -> tuple:
    return (g.mm(_adjoint(b)) if call.needs[0] else None, _adjoint(a).mm(g) if call.needs[1] else None)


@_gradient("bmm", reads=(0, 1))
def _bmm(call: Any, g: Tensor, a: Tensor, b: Tensor) -> tuple:
    first = g.bmm(_adjoint(b, batch=True)) if call.needs[0] else None
    return first, _adjoint(a, batch=True).bmm(g) if call.needs[1] else None


@_gradient("addmm", reads=(1, 2))
def _addmm(call: Any, g: Tensor, c: Tensor, a: Tensor, b: Tensor, *, beta: Any = 1, alpha: Any = 1) -> tuple:
    scaled = g if alpha == 1 else g * alpha
    added = fitted(g if beta == 1 else g * beta, c.shape) if call.needs[0] else None
    first = scaled.mm(_adjoint(b)) if call.needs[1] else None
    return added, first, _adjoint(a).mm(scaled) if call.needs[2] else None


@_gradient("mv", reads=(0, 1))
def _mv(call: Any, g: Tensor, a: Tensor, v: Tensor) -> tuple:
    first = g.unsqueeze(1) * v.unsqueeze(0).conj() if call.needs[0] else None
    return first, _adjoint(a).mv(g) if call.needs[1] else None


@_gradient("dot", reads=(0, 1))
def _dot(call: Any, g: Tensor, a: Tensor, b: Tensor) -> tuple:
    return g * b, g * a


# ---- shapes


@_gradient("t")
def _t(call: Any, g: Tensor, x: Tensor) -> Tensor:
    return g.t()


@_gradient("transpose")
def _transpose(call: Any, g: Tensor, x: Tensor, dim0: int, dim1: int) -> Tensor:
    return g.transpose(dim0, dim1)


@_gradient("permute")
def _permute(call: Any, g: Tensor, x: Tensor, dims: Sequence[int]) -> Tensor:
    order = [d % x.dim() for d in dims]
    return g.permute([order.index(i) for i in range(len(order))])


@_gradient("view", "_unsafe_view", "reshape", "unsqueeze", "squeeze", "_reshape_alias")
def _view(call: Any, g: Tensor, x: Tensor, *rest: Any) -> Tensor:
    return g.reshape(list(call.shapes[0]))


@_gradient("expand")
def _expand(call: Any, g: Tensor, x: Tensor, size: Any, **options: Any) -> Tensor:
    return fitted(g, x.shape)


@_gradient("clone", "alias", "lift_fresh", "contiguous")
def _same(call: Any, g: Tensor, x: Tensor, **options: Any) -> Tensor:
    return g


@_gradient("_to_copy")
def _to_copy(call: Any, g: Tensor, x: Tensor, **options: Any) -> Tensor:
    return g.to(dtype=x.dtype, device=x.device)


@_gradient("copy", node="CopyBackwards")
def _copy(call: Any, g: Tensor, x: Tensor, source: Tensor, *rest: Any) -> tuple:
    return _zeros(g), fitted(g, source.shape)


def _zeros(g: Tensor) -> Tensor:
    return _core.functions["zeros_like"](g)


@_gradient("zero", "fill")
def _nothing(call: Any, g: Tensor, x: Tensor, *value: Any) -> tuple:
    return (_zeros(g), *(g.sum() for v in value if isinstance(v, Tensor)))


@_gradient("select")
def _select(call: Any, g: Tensor, x: Tensor, dim: int, index: int) -> Tensor:
    d, n = dim % x.dim(), x.shape[dim]
    return _padded(g.unsqueeze(d), x, d, index % n, n - index % n - 1)


@_gradient("slice")
def _slice(
    call: Any, g: Tensor, x: Tensor, dim: int = 0, start: int | None = None, end: int | None = None, step: int = 1
) -> Tensor:
    d = dim % x.dim()
    first, last, _ = slice(start, end, step).indices(x.shape[d])
    if step == 1:
        return _padded(g, x, d, first, x.shape[d] - max(last, first))
    index = _core.functions["arange"](first, last, step)
    return g.new_zeros(list(x.shape)).index_add(d, index, g)


def _padded(g: Tensor, x: Tensor, dim: int, before: int, after: int) -> Tensor:
    """Zeros around a gradient along one dimension."""

    def zeros(n: int) -> list[Tensor]:
        return [g.new_zeros([*g.shape[:dim], n, *g.shape[dim + 1 :]])] if n else []

    parts = [*zeros(before), g, *zeros(after)]
    return _core.functions["cat"](parts, dim) if len(parts) > 1 else g


@_gradient("cat")
def _cat(call: Any, g: Tensor, tensors: Sequence[Tensor], dim: int = 0) -> list[Tensor]:
    return [*g.split([x.shape[dim] for x in tensors], dim)]


@_gradient("stack")
def _stack(call: Any, g: Tensor, tensors: Sequence[Tensor], dim: int = 0) -> list[Tensor]:
    return [*g.unbind(dim)]


def _joined(call: Any, g: tuple, x: Tensor, sizes: list[int], dim: int) -> Tensor:
    like = next(each for each in g if each is not None)
    d = dim % x.dim()
    filled = [
        like.new_zeros([*x.shape[:d], n, *x.shape[d + 1 :]]) if each is None else each
        for each, n in zip(g, sizes, strict=True)
    ]
    return _core.functions["cat"](filled, d)


@_gradient("split")
def _split(call: Any, g: tuple, x: Tensor, size: int, dim: int = 0) -> Tensor:
    n = x.shape[dim]
    return _joined(call, g, x, [min(size, n - at) for at in range(0, n, size)], dim)


@_gradient("split_with_sizes")
def _split_with_sizes(call: Any, g: tuple, x: Tensor, sizes: list[int], dim: int = 0) -> Tensor:
    return _joined(call, g, x, sizes, dim)


@_gradient("unbind")
def _unbind(call: Any, g: tuple, x: Tensor, dim: int = 0) -> Tensor:
    like = next(each for each in g if each is not None)
    return _core.functions["stack"]([_zeros(like) if each is None else each for each in g], dim)


@_gradient("index_select", reads=(1,))
def _index_select(call: Any, g: Tensor, x: Tensor, dim: int, index: Tensor) -> Tensor:
    return g.new_zeros(list(x.shape)).index_add(dim, index, g)


@_gradient("gather", reads=(1,))
def _gather(call: Any, g: Tensor, x: Tensor, dim: int, index: Tensor, *, sparse_grad: bool = False) -> Tensor:
    return g.new_zeros(list(x.shape)).scatter_add(dim, index, g)


@_gradient("embedding", reads=(1,))
def _embedding(call: Any, g: Tensor, weight: Tensor, indices: Tensor, padding_idx: int = -1, *rest: bool) -> Tensor:
    at, rows = indices.reshape(-1), g.reshape(-1, g.shape[-1])
    if padding_idx >= 0:
        rows = rows.masked_fill((at == padding_idx).unsqueeze(1), 0)
    return rows.new_zeros(list(weight.shape)).index_add(0, at, rows)


# ---- reductions and layers


def _spread(g: Tensor, x: Tensor, dim: Any, keepdim: bool) -> Tensor:
    """A gradient of a reduction along dimensions, with the shape of what was reduced."""
    dims = [dim] if isinstance(dim, int) else dim
    if dims and not keepdim:
        for d in sorted(d % x.dim() for d in dims):
            g = g.unsqueeze(d)
    return g.expand(list(x.shape))


@_gradient("sum")
def _sum(call: Any, g: Tensor, x: Tensor, dim: Any = None, keepdim: bool = False, **options: Any) -> Tensor:
    return _spread(g, x, dim, keepdim)


@_gradient("mean")
def _mean(call: Any, g: Tensor, x: Tensor, dim: Any = None, keepdim: bool = False, **options: Any) -> Tensor:
    return _spread(g, x, dim, keepdim) / max(x.numel() // max(g.numel(), 1), 1)


@_gradient("var", reads=(0,))
def _var(call: Any, g: Tensor, x: Tensor, dim: Any = None, *, correction: Any = None, keepdim: bool = False) -> Tensor:
    count = x.numel() // max(g.numel(), 1) - (1 if correction is None else correction)
    centre = x.mean() if dim is None else x.mean(dim, keepdim=True)
    return _spread(g, x, dim, keepdim) * (2 / count) * (x - centre)


@_gradient("max", "min", reads=(0,), result=True)
def _extreme(call: Any, g: Any, x: Tensor, dim: Any = None, keepdim: bool = False) -> Any:
    if dim is None:
        chosen = (x == call.result).to(x.dtype)
        return chosen * (g / chosen.sum())
    if isinstance(dim, Tensor):
        raise NotImplementedError(f"{call.op}: name it maximum or minimum; chainrule has no gradient of it here")
    at, g = call.result[1], g[0]
    if not keepdim:
        at, g = at.unsqueeze(dim), g.unsqueeze(dim)
    return g.new_zeros(list(x.shape)).scatter(dim, at, g)


@_gradient("mse_loss", reads=(0, 1))
def _mse_loss(call: Any, g: Tensor, x: Tensor, target: Tensor, reduction: int = 1) -> tuple:
    each = (x - target) * 2 * (g / x.numel() if reduction == 1 else g)
    return each, -each if call.needs[1] else None


@_gradient("nll_loss_forward", reads=(1, 2), result=True, node="NllLossBackward0")
def _nll_loss(
    call: Any, g: Any, x: Tensor, target: Tensor, weight: Tensor | None, reduction: int, ignored: int
) -> Tensor:
    g, total = g[0], call.result[1]
    rows, classes = (x, target) if x.dim() == 2 else (x.unsqueeze(0), target.reshape(1))
    counts = classes != ignored
    classes = classes.masked_fill(~counts, 0)
    share = counts.to(x.dtype) if weight is None else weight.index_select(0, classes) * counts
    each = -share * (g / total if reduction == 1 else g)
    return rows.new_zeros(list(rows.shape)).scatter(1, classes.unsqueeze(1), each.unsqueeze(1)).reshape(list(x.shape))


@_gradient("_softmax", result=True)
def _softmax(call: Any, g: Tensor, x: Tensor, dim: int, half_to_float: bool) -> Tensor:
    y = call.result
    product = g * y
    return product - y * product.sum(dim, keepdim=True)


@_gradient("_log_softmax", result=True)
def _log_softmax(call: Any, g: Tensor, x: Tensor, dim: int, half_to_float: bool) -> Tensor:
    return g - call.result.exp() * g.sum(dim, keepdim=True)


@_gradient("masked_fill", reads=(1,))
def _masked_fill(call: Any, g: Tensor, x: Tensor, mask: Tensor, value: Any) -> tuple:
    filled = fitted(g.masked_fill(mask, 0), call.shapes[0])
    if not isinstance(value, Tensor):
        return (filled,)
    return filled, None, _core.functions["where"](mask, g, _zeros(g)).sum()


@_gradient("clamp", reads=(0,))
def _clamp(call: Any, g: Tensor, x: Tensor, min: Any = None, max: Any = None) -> Tensor:
    if isinstance(min, Tensor) or isinstance(max, Tensor):
        raise NotImplementedError("aten.clamp.Tensor: chainrule has no gradient of it for such classes")
    for limit, inside in ((min, x.ge), (max, x.le)):
        g = g if limit is None else _core.functions["where"](inside(limit), g, _zeros(g))
    return g


@_gradient("native_layer_norm", reads=(0, 1))
def _layer_norm(
    call: Any, g: Any, x: Tensor, shape: Sequence[int], weight: Tensor | None, bias: Tensor | None, eps: float
) -> tuple:
    dims = list(range(x.dim() - len(shape), x.dim()))
    outer = list(range(x.dim() - len(shape)))
    g = g[0]
    centred = x - x.mean(dims, keepdim=True)
    scale = ((centred * centred).mean(dims, keepdim=True) + eps).rsqrt()
    normal = centred * scale
    inner = g if weight is None else g * weight
    given = scale * (inner - inner.mean(dims, keepdim=True) - normal * (inner * normal).mean(dims, keepdim=True))
    found = [given]
    if weight is not None:
        found.append((g * normal).sum(outer) if outer else g * normal)
    if bias is not None:
        found.append(g.sum(outer) if outer else g)
    return tuple(found)
