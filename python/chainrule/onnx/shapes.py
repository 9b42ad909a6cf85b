"""What operations that move elements, and reductions, are in ONNX."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from typing import Any

from .._core import int64
from .elementwise import CONVERSIONS, common, converts, name_of
from .graph import Array, GraphWriter

__all__ = ["reshaped"]


def reshaped(g: GraphWriter, name: str, shape: Sequence[int], before: Sequence[int] = ()) -> str:
    """The tensor with another shape; -1 is a size that is not known, which the first dimension may keep."""
    sizes = list(shape)
    if sizes[:1] == [-1] and before[:1] == (-1,) and sizes.count(-1) > 1:
        sizes[0] = 0  # as it is
    if sizes.count(-1) > 1:
        raise NotImplementedError("torch.onnx.export: a new shape with two sizes of dynamic_axes")
    return g.op("Reshape", name, g.ints(sizes))


@converts("reshape", "view", "flatten", "unflatten", "squeeze", "unsqueeze", "view_as", "reshape_as", "_unsafe_view")
def _reshape(g: GraphWriter, input: Array, *args: Any, result: Array, **options: Any) -> str:
    return reshaped(g, input.name, result.shape, input.shape)


@converts("contiguous", "clone", "detach", "alias", "dropout", "feature_dropout", "alpha_dropout", "lift_fresh")
def _identity(g: GraphWriter, input: Array, *args: Any, **options: Any) -> str:
    training = args[1] if len(args) > 1 else options.get("train", options.get("training", False))
    if training is True:
        raise NotImplementedError("torch.onnx.export: dropout in training mode; call model.eval() before")
    return g.op("Identity", input.name)


def _transposed(g: GraphWriter, x: Array, order: Sequence[int]) -> str:
    return g.op("Transpose", x.name, perm=[dim % x.ndim for dim in order])


@converts("permute")
def _permute(g: GraphWriter, input: Array, dims: Sequence[int]) -> str:
    return _transposed(g, input, dims)


@converts("transpose", "swapaxes", "swapdims")
def _transpose(g: GraphWriter, input: Array, dim0: int, dim1: int) -> str:
    order = list(range(input.ndim))
    order[dim0], order[dim1] = order[dim1], order[dim0]
    return _transposed(g, input, order)


@converts("t", "attribute.T")
def _reverse(g: GraphWriter, input: Array) -> str:
    return _transposed(g, input, range(input.ndim)[::-1])


@converts("attribute.mT")
def _matrix_transpose(g: GraphWriter, input: Array) -> str:
    return _transpose(g, input, -1, -2)


@converts("movedim", "moveaxis")
def _move(g: GraphWriter, input: Array, source: int, destination: int) -> str:
    order = [dim for dim in range(input.ndim) if dim != source % input.ndim]
    order.insert(destination % input.ndim, source % input.ndim)
    return _transposed(g, input, order)


@converts("expand", "expand_as", "broadcast_to")
def _expand(g: GraphWriter, input: Array, *args: Any, result: Array, **options: Any) -> str:
    kept = [1] * (result.ndim - input.ndim) + list(input.shape)
    if any(n == -1 and m != -1 for n, m in zip(result.shape, kept, strict=True)):
        raise NotImplementedError("torch.onnx.export: expand to a size in dynamic_axes")
    return g.op("Expand", input.name, g.ints([1 if n == -1 else n for n in result.shape]))


@converts("repeat", "tile")
def _repeat(g: GraphWriter, input: Array, repeats: Sequence[int]) -> str:
    shape = [1] * (len(repeats) - input.ndim) + list(input.shape)
    return g.op("Tile", reshaped(g, input.name, shape), g.ints([1] * (len(shape) - len(repeats)) + list(repeats)))


@converts("cat", "concat", "concatenate")
def _cat(g: GraphWriter, tensors: Sequence[Array], dim: int = 0) -> str:
    return g.op("Concat", *common(g, *tensors)[0], axis=dim)


@converts("stack")
def _stack(g: GraphWriter, tensors: Sequence[Array], dim: int = 0, *, result: Array) -> str:
    shape = list(result.shape)
    shape[dim] = 1
    return g.op("Concat", *[reshaped(g, name, shape) for name in common(g, *tensors)[0]], axis=dim % len(shape))


@converts("split", "chunk", "split_with_sizes", "tensor_split", "unsafe_split")
def _split(g: GraphWriter, tensor: Array, sizes: Any, dim: int = 0, *, results: Sequence[Array]) -> list[str]:
    lengths = [each.shape[dim] for each in results]
    if len(results) == 1:
        return [g.op("Identity", tensor.name)]
    return g.op("Split", tensor.name, g.ints(lengths), axis=dim, outputs=len(results))


@converts("unbind")
def _unbind(g: GraphWriter, input: Array, dim: int = 0, *, results: Sequence[Array]) -> list[str]:
    return [g.op("Gather", input.name, g.ints(i), axis=dim) for i in range(len(results))]


@converts("select")
def _select(g: GraphWriter, input: Array, dim: int, index: int) -> str:
    return g.op("Gather", input.name, g.ints(index), axis=dim)


@converts("slice", "narrow")
def _slice(
    g: GraphWriter, input: Array, dim: int = 0, start: int | None = None, end: int | None = None, step: int = 1
) -> str:
    last = sys.maxsize if end is None else end
    return g.op("Slice", input.name, g.ints([start or 0]), g.ints([last]), g.ints([dim]), g.ints([step]))


CONVERSIONS["narrow"] = lambda g, input, dim, start, length: _slice(g, input, dim, start, start + length)


@converts("index_select")
def _index_select(g: GraphWriter, input: Array, dim: int, index: Array) -> str:
    return g.op("Gather", input.name, index.name, axis=dim)


@converts("index")
def _index(g: GraphWriter, input: Array, indices: Sequence[Array | None]) -> str:
    chosen = [(dim, each) for dim, each in enumerate(indices) if each is not None]
    if len(chosen) != 1 or not isinstance(chosen[0][1], Array) or chosen[0][1].dtype != int64:
        raise NotImplementedError("torch.onnx.export: an index of several tensors, or of a mask")
    return g.op("Gather", input.name, chosen[0][1].name, axis=chosen[0][0])


@converts("gather")
def _gather(g: GraphWriter, input: Array, dim: int, index: Array, **options: Any) -> str:
    return g.op("GatherElements", input.name, index.name, axis=dim)


@converts("embedding")
def _embedding(g: GraphWriter, weight: Array, indices: Array, *options: Any, **more: Any) -> str:
    return g.op("Gather", weight.name, indices.name, axis=0)


@converts("flip")
def _flip(g: GraphWriter, input: Array, dims: Sequence[int]) -> str:
    count = len(dims)
    return g.op(
        "Slice",
        input.name,
        *(g.ints([value] * count) for value in (-1, -sys.maxsize)),
        g.ints(list(dims)),
        g.ints([-1] * count),
    )


@converts("roll")
def _roll(g: GraphWriter, input: Array, shifts: Any, dims: Any) -> str:
    pairs = zip(*([each] if isinstance(each, int) else each for each in (shifts, dims)), strict=True)
    name = input.name
    for shift, dim in pairs:
        at = -shift % input.shape[dim]
        parts = (_slice(g, Array(name, input.shape, input.dtype), dim, *each) for each in ((at, None), (0, at)))
        name = g.op("Concat", *parts, axis=dim)
    return name


@converts("tril", "triu")
def _triangle(g: GraphWriter, input: Array, diagonal: int = 0, *, op: str) -> str:
    return g.op("Trilu", input.name, g.ints(diagonal), upper=int(op == "triu"))


@converts("pixel_shuffle")
def _pixel_shuffle(g: GraphWriter, input: Array, upscale_factor: int) -> str:
    return g.op("DepthToSpace", input.name, blocksize=upscale_factor, mode="CRD")


@converts("constant_pad_nd", "_repeated_pad", "pad")
def _pad(g: GraphWriter, input: Array, pad: Sequence[int], value: float = 0.0, mode: str = "constant") -> str:
    count = len(pad) // 2
    rest = [0] * (input.ndim - count)
    pads = rest + list(pad[-2::-2]) + rest + list(pad[::-2])
    fill = "" if mode != "constant" else g.like(value or 0.0, input)
    return g.op("Pad", input.name, g.ints(pads), fill, mode=mode)


CONVERSIONS["_repeated_pad"] = lambda g, input, pad, mirrored: _pad(
    g, input, pad, 0.0, "reflect" if mirrored else "edge"
)


# ---- reductions


def _dims(input: Array, dim: Any) -> list[int]:
    if dim is None or (isinstance(dim, (list, tuple)) and not dim):
        return list(range(input.ndim))
    return [dim] if isinstance(dim, int) else list(dim)


def _reduction(kind: str) -> Callable:
    def convert(
        g: GraphWriter, input: Array, dim: Any = None, keepdim: bool = False, *, result: Array, dtype: Any = None
    ) -> str:
        name = name_of(g, input, result.dtype)
        return g.op(kind, name, g.ints(_dims(input, dim)), keepdims=int(keepdim))

    return convert


CONVERSIONS |= {"mean": _reduction("ReduceMean"), "sum": _reduction("ReduceSum"), "prod": _reduction("ReduceProd")}
CONVERSIONS |= {"amax": _reduction("ReduceMax"), "amin": _reduction("ReduceMin")}
CONVERSIONS |= {"logsumexp": _reduction("ReduceLogSumExp")}


@converts("max", "min")
def _best(
    g: GraphWriter, input: Array, dim: Any = None, keepdim: bool = False, *, op: str, results: Sequence[Array]
) -> Any:
    kind = op.capitalize()
    if isinstance(dim, Array):
        return g.op(kind, *common(g, input, dim)[0])
    values = g.op(f"Reduce{kind}", input.name, g.ints(_dims(input, dim)), keepdims=int(keepdim))
    return values if dim is None else [values, g.op(f"Arg{kind}", input.name, axis=dim, keepdims=int(keepdim))]


@converts("argmax", "argmin")
def _best_place(g: GraphWriter, input: Array, dim: int | None = None, keepdim: bool = False, *, op: str) -> str:
    kind = "ArgMax" if op == "argmax" else "ArgMin"
    if dim is None:
        return reshaped(g, g.op(kind, reshaped(g, input.name, [-1]), axis=0, keepdims=0), [])
    return g.op(kind, input.name, axis=dim, keepdims=int(keepdim))


@converts("var", "std")
def _spread(
    g: GraphWriter, input: Array, dim: Any = None, unbiased: bool = True, keepdim: bool = False, *, op: str, **more: Any
) -> str:
    dims = _dims(input, dim)
    count = 1
    for each in dims:
        count *= input.shape[each]
    correction = more.get("correction", int(unbiased))
    if count < 0:
        raise NotImplementedError(f"torch.onnx.export: {op} along a dimension in dynamic_axes")
    x = g.op("Sub", input.name, g.op("ReduceMean", input.name, g.ints(dims), keepdims=1))
    total = g.op("ReduceSum", g.op("Mul", x, x), g.ints(dims), keepdims=int(keepdim))
    variance = g.op("Div", total, g.like(count - (1 if correction is None else correction), input))
    return g.op("Sqrt", variance) if op == "std" else variance


@converts("norm", "linalg_vector_norm")
def _norm(g: GraphWriter, input: Array, p: float | None = 2.0, dim: Any = None, keepdim: bool = False) -> str:
    if p not in (None, 1, 2, 2.0, "fro"):
        raise NotImplementedError(f"torch.onnx.export: norm with p={p}")
    return g.op("ReduceL1" if p == 1 else "ReduceL2", input.name, g.ints(_dims(input, dim)), keepdims=int(keepdim))


@converts("cumsum")
def _cumsum(g: GraphWriter, input: Array, dim: int, *, result: Array, **options: Any) -> str:
    return g.op("CumSum", name_of(g, input, result.dtype), g.ints(dim))


@converts("topk")
def _topk(g: GraphWriter, input: Array, k: int, dim: int = -1, largest: bool = True, sorted: bool = True) -> list[str]:
    return g.op("TopK", input.name, g.ints([k]), axis=dim, largest=int(largest), sorted=int(sorted), outputs=2)
