"""What the layers of networks are in ONNX."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from .._core import bool as bool_dtype
from .elementwise import converts
from .graph import Array, GraphWriter, numpy_module
from .shapes import reshaped

__all__: list[str] = []


def _list(value: Any, count: int) -> list[int]:
    return [value] * count if isinstance(value, int) else list(value) * (count if len(value) == 1 else 1)


def _biased(g: GraphWriter, name: str, bias: Array | None) -> str:
    return name if bias is None else g.op("Add", name, bias.name)


@converts("linear")
def _linear(g: GraphWriter, input: Array, weight: Array, bias: Array | None = None) -> str:
    if input.ndim == 2:
        return g.op("Gemm", input.name, weight.name, "" if bias is None else bias.name, transB=1)
    return _biased(g, g.op("MatMul", input.name, g.op("Transpose", weight.name, perm=[1, 0])), bias)


@converts("matmul", "mm", "bmm")
def _matmul(g: GraphWriter, input: Array, other: Array) -> str:
    return g.op("MatMul", input.name, other.name)


@converts("addmm", "baddbmm")
def _addmm(g: GraphWriter, input: Array, mat1: Array, mat2: Array, *, beta: float = 1, alpha: float = 1) -> str:
    product = g.op("MatMul", mat1.name, mat2.name)
    if alpha != 1:
        product = g.op("Mul", product, g.like(alpha, mat1))
    return g.op("Add", product, input.name if beta == 1 else g.op("Mul", input.name, g.like(beta, input)))


@converts("conv1d", "conv2d", "conv3d")
def _conv(
    g: GraphWriter,
    input: Array,
    weight: Array,
    bias: Array | None = None,
    stride: Any = 1,
    padding: Any = 0,
    dilation: Any = 1,
    groups: int = 1,
) -> str:
    count = weight.ndim - 2
    if input.ndim != weight.ndim:
        raise NotImplementedError("torch.onnx.export: a convolution of one sample without a dimension for samples")
    where: dict[str, Any] = {"pads": _list(padding, count) * 2} if not isinstance(padding, str) else {}
    if padding == "same":
        totals = [d * (k - 1) for d, k in zip(_list(dilation, count), weight.shape[2:], strict=True)]
        where["pads"] = [total // 2 for total in totals] + [total - total // 2 for total in totals]
    names = [input.name, weight.name] + ([] if bias is None else [bias.name])
    return g.op("Conv", *names, strides=_list(stride, count), dilations=_list(dilation, count), group=groups, **where)


@converts("conv_transpose1d", "conv_transpose2d", "conv_transpose3d")
def _conv_transpose(
    g: GraphWriter,
    input: Array,
    weight: Array,
    bias: Array | None = None,
    stride: Any = 1,
    padding: Any = 0,
    output_padding: Any = 0,
    groups: int = 1,
    dilation: Any = 1,
) -> str:
    count = weight.ndim - 2
    names = [input.name, weight.name] + ([] if bias is None else [bias.name])
    return g.op(
        "ConvTranspose",
        *names,
        strides=_list(stride, count),
        pads=_list(padding, count) * 2,
        output_padding=_list(output_padding, count),
        group=groups,
        dilations=_list(dilation, count),
    )


# ---- normalisation


def _per_channel(g: GraphWriter, x: Array, values: Array) -> str:
    return reshaped(g, values.name, [1, x.shape[1], *[1] * (x.ndim - 2)])


def _scaled(g: GraphWriter, name: str, weight: str | None, bias: str | None) -> str:
    name = name if weight is None else g.op("Mul", name, weight)
    return name if bias is None else g.op("Add", name, bias)


def _standardised(g: GraphWriter, x: Array, dims: list[int], eps: float) -> str:
    centred = g.op("Sub", x.name, g.op("ReduceMean", x.name, g.ints(dims), keepdims=1))
    variance = g.op("ReduceMean", g.op("Mul", centred, centred), g.ints(dims), keepdims=1)
    return g.op("Div", centred, g.op("Sqrt", g.op("Add", variance, g.like(eps, x))))


@converts("batch_norm")
def _batch_norm(
    g: GraphWriter,
    input: Array,
    weight: Array | None,
    bias: Array | None,
    running_mean: Array | None,
    running_var: Array | None,
    training: bool,
    momentum: float = 0.1,
    eps: float = 1e-5,
    *more: Any,
) -> str:
    if training or running_mean is None or running_var is None:
        raise NotImplementedError("torch.onnx.export: batch normalisation by its batch; call model.eval() before")
    mean, variance = _per_channel(g, input, running_mean), _per_channel(g, input, running_var)
    scale = g.op("Sqrt", g.op("Add", variance, g.like(eps, running_var)))
    name = g.op("Div", g.op("Sub", input.name, mean), scale)
    return _scaled(g, name, *(None if each is None else _per_channel(g, input, each) for each in (weight, bias)))


@converts("layer_norm")
def _layer_norm(
    g: GraphWriter,
    input: Array,
    normalized_shape: Sequence[int],
    weight: Array | None = None,
    bias: Array | None = None,
    eps: float = 1e-5,
    *more: Any,
) -> str:
    dims = list(range(input.ndim - len(normalized_shape), input.ndim))
    name = _standardised(g, input, dims, eps)
    return _scaled(g, name, *(None if each is None else each.name for each in (weight, bias)))


@converts("rms_norm")
def _rms_norm(
    g: GraphWriter, input: Array, normalized_shape: Sequence[int], weight: Array | None = None, eps: float | None = None
) -> str:
    from ..type_info import finfo

    dims = list(range(input.ndim - len(normalized_shape), input.ndim))
    mean = g.op("ReduceMean", g.op("Mul", input.name, input.name), g.ints(dims), keepdims=1)
    small = finfo(input.dtype).eps if eps is None else eps
    name = g.op("Div", input.name, g.op("Sqrt", g.op("Add", mean, g.like(small, input))))
    return _scaled(g, name, None if weight is None else weight.name, None)


@converts("group_norm")
def _group_norm(
    g: GraphWriter,
    input: Array,
    num_groups: int,
    weight: Array | None = None,
    bias: Array | None = None,
    eps: float = 1e-5,
    *more: Any,
) -> str:
    grouped = Array(g.op("Reshape", input.name, g.ints([0, num_groups, -1])), (0, num_groups, -1), input.dtype)
    name = reshaped(g, _standardised(g, grouped, [2], eps), input.shape)
    return _scaled(g, name, *(None if each is None else _per_channel(g, input, each) for each in (weight, bias)))


@converts("instance_norm")
def _instance_norm(
    g: GraphWriter,
    input: Array,
    weight: Array | None,
    bias: Array | None,
    running_mean: Array | None,
    running_var: Array | None,
    use_input_stats: bool,
    momentum: float = 0.1,
    eps: float = 1e-5,
    *more: Any,
) -> str:
    if not use_input_stats:
        return _batch_norm(g, input, weight, bias, running_mean, running_var, False, momentum, eps)
    name = _standardised(g, input, list(range(2, input.ndim)), eps)
    return _scaled(g, name, *(None if each is None else _per_channel(g, input, each) for each in (weight, bias)))


# ---- pooling and resizing


def _pool(
    g: GraphWriter, kind: str, x: Array, kernel: Any, stride: Any, padding: Any, ceil_mode: bool, **options: Any
) -> str:
    count = x.ndim - 2
    kernel = _list(kernel, count)
    stride = kernel if stride is None or stride == [] else _list(stride, count)
    pads = _list(padding, count) * 2
    return g.op(kind, x.name, kernel_shape=kernel, strides=stride, pads=pads, ceil_mode=int(ceil_mode), **options)


@converts("max_pool1d", "max_pool2d", "max_pool3d")
def _max_pool(
    g: GraphWriter,
    input: Array,
    kernel_size: Any,
    stride: Any = None,
    padding: Any = 0,
    dilation: Any = 1,
    ceil_mode: bool = False,
    return_indices: bool = False,
) -> str:
    if return_indices:
        raise NotImplementedError("torch.onnx.export: max_pool with return_indices")
    dilations = _list(dilation, input.ndim - 2)
    return _pool(g, "MaxPool", input, kernel_size, stride, padding, ceil_mode, dilations=dilations)


@converts("avg_pool1d", "avg_pool2d", "avg_pool3d")
def _avg_pool(
    g: GraphWriter,
    input: Array,
    kernel_size: Any,
    stride: Any = None,
    padding: Any = 0,
    ceil_mode: bool = False,
    count_include_pad: bool = True,
    divisor_override: int | None = None,
) -> str:
    if divisor_override is not None:
        raise NotImplementedError("torch.onnx.export: avg_pool with divisor_override")
    options = {"count_include_pad": int(count_include_pad)}
    return _pool(g, "AveragePool", input, kernel_size, stride, padding, ceil_mode, **options)


@converts("adaptive_avg_pool1d", "adaptive_avg_pool2d", "adaptive_avg_pool3d")
def _adaptive_avg_pool(g: GraphWriter, input: Array, output_size: Any) -> str:
    count = input.ndim - 2
    sizes = [n if m is None else m for n, m in zip(input.shape[2:], _list(output_size, count), strict=True)]
    if all(size == 1 for size in sizes):
        return g.op("GlobalAveragePool", input.name)
    if any(n % m for n, m in zip(input.shape[2:], sizes, strict=True)):
        raise NotImplementedError("torch.onnx.export: adaptive pooling to a size that does not divide the input's")
    kernel = [n // m for n, m in zip(input.shape[2:], sizes, strict=True)]
    return _pool(g, "AveragePool", input, kernel, None, 0, False)


def _resize(g: GraphWriter, input: Array, result: Array, mode: str, align_corners: bool, **options: Any) -> str:
    where = "align_corners" if align_corners else "asymmetric" if mode == "nearest" else "half_pixel"
    if where == "half_pixel":
        where = "pytorch_half_pixel"
    if -1 in result.shape:
        ratios = [1.0, 1.0, *(m / n for n, m in zip(input.shape[2:], result.shape[2:], strict=True))]
        sizes = ["", g.constant(numpy_module().asarray(ratios, "float32"))]
    else:
        sizes = ["", "", g.ints(list(result.shape))]
    return g.op(
        "Resize",
        input.name,
        *sizes,
        mode=mode,
        coordinate_transformation_mode=where,
        nearest_mode="floor" if mode == "nearest" else None,
        **options,
    )


@converts("upsample_nearest1d", "upsample_nearest2d", "upsample_nearest3d")
def _nearest(g: GraphWriter, input: Array, *sizes: Any, result: Array, **more: Any) -> str:
    return _resize(g, input, result, "nearest", False)


@converts("upsample_linear1d", "upsample_bilinear2d", "upsample_trilinear3d", "upsample_bicubic2d")
def _smooth(
    g: GraphWriter, input: Array, size: Any, align_corners: bool, *scales: Any, result: Array, op: str, **more: Any
) -> str:
    if op == "upsample_bicubic2d":
        return _resize(g, input, result, "cubic", align_corners, cubic_coeff_a=-0.75)
    return _resize(g, input, result, "linear", align_corners)


# ---- softmax and attention


@converts("softmax", "log_softmax", "_softmax", "_log_softmax")
def _softmax(g: GraphWriter, input: Array, dim: int, *more: Any, op: str, result: Array, dtype: Any = None) -> str:
    name = input.name if result.dtype == input.dtype else g.cast(input.name, result.dtype)
    return g.op("LogSoftmax" if "log" in op else "Softmax", name, axis=dim)


@converts("scaled_dot_product_attention")
def _attention(
    g: GraphWriter,
    query: Array,
    key: Array,
    value: Array,
    attn_mask: Array | None = None,
    dropout_p: float = 0.0,
    is_causal: bool = False,
    *,
    scale: float | None = None,
    enable_gqa: bool = False,
) -> str:
    if dropout_p or enable_gqa:
        raise NotImplementedError("torch.onnx.export: attention with dropout or enable_gqa")

    order = [*range(key.ndim - 2), key.ndim - 1, key.ndim - 2]
    scores = g.op("MatMul", query.name, g.op("Transpose", key.name, perm=order))
    scores = g.op("Mul", scores, g.like(1 / math.sqrt(query.shape[-1]) if scale is None else scale, query))
    if is_causal:
        allowed = numpy_module().tril(numpy_module().ones((query.shape[-2], key.shape[-2]), "bool"))
        scores = g.op("Where", g.constant(allowed), scores, g.like(-math.inf, query))
    if attn_mask is not None and attn_mask.dtype == bool_dtype:
        scores = g.op("Where", attn_mask.name, scores, g.like(-math.inf, query))
    elif attn_mask is not None:
        scores = g.op("Add", scores, attn_mask.name)
    return g.op("MatMul", g.op("Softmax", scores, axis=-1), value.name)


# ---- recurrent networks

_GATES = {
    "lstm": ("LSTM", (0, 3, 1, 2)),
    "gru": ("GRU", (1, 0, 2)),
    "rnn_tanh": ("RNN", (0,)),
    "rnn_relu": ("RNN", (0,)),
}


@converts("lstm", "gru", "rnn_tanh", "rnn_relu")
def _recurrent(
    g: GraphWriter,
    input: Array,
    hx: Any,
    params: Sequence[Array],
    has_biases: bool,
    num_layers: int,
    dropout: float,
    train: bool,
    bidirectional: bool,
    batch_first: bool = False,
    *,
    op: str,
) -> list[str]:
    kind, order = _GATES[op]
    states = [hx] if isinstance(hx, Array) else list(hx)
    ways = 2 if bidirectional else 1
    each = len(params) // (num_layers * ways)
    hidden = params[1].shape[1]
    if dropout and train:
        raise NotImplementedError("torch.onnx.export: dropout between recurrent layers; call model.eval() before")
    if each > 4:
        raise NotImplementedError("torch.onnx.export: LSTM with proj_size")
    x = g.op("Transpose", input.name, perm=[1, 0, 2]) if batch_first else input.name
    last: list[list[str]] = [[] for _ in states]
    options: dict[str, Any] = {"hidden_size": hidden, "direction": "bidirectional" if bidirectional else "forward"}
    if op == "gru":
        options["linear_before_reset"] = 1
    if kind == "RNN":
        options["activations"] = ["Relu" if op == "rnn_relu" else "Tanh"] * ways
    for layer in range(num_layers):
        of_layer = params[layer * ways * each : (layer + 1) * ways * each]
        directions = [of_layer[i * each : (i + 1) * each] for i in range(ways)]
        weights = [_together(g, [d[i] for d in directions], order, hidden) for i in (0, 1)]
        biases = ""
        if has_biases:
            biases = g.op("Concat", *(_together(g, [d[i] for d in directions], order, hidden) for i in (2, 3)), axis=1)
        first = [_slice_of(g, state, layer * ways, (layer + 1) * ways) for state in states]
        found = g.op(kind, x, *weights, biases, "", *first, outputs=1 + len(states), **options)
        merged = g.op("Transpose", found[0], perm=[0, 2, 1, 3])
        x = g.op("Reshape", merged, g.ints([0, 0, ways * hidden]))
        for names, name in zip(last, found[1:], strict=True):
            names.append(name)
    y = g.op("Transpose", x, perm=[1, 0, 2]) if batch_first else x
    return [y, *(g.op("Concat", *names, axis=0) for names in last)]


def _slice_of(g: GraphWriter, state: Array, start: int, end: int) -> str:
    return g.op("Slice", state.name, g.ints([start]), g.ints([end]), g.ints([0]), g.ints([1]))


def _together(g: GraphWriter, params: Sequence[Array], order: Sequence[int], hidden: int) -> str:
    """The gates of all directions in ONNX's order."""
    rows = [i for gate in order for i in range(gate * hidden, (gate + 1) * hidden)]
    parts = [g.op("Unsqueeze", g.op("Gather", p.name, g.ints(rows), axis=0), g.ints([0])) for p in params]
    return g.op("Concat", *parts, axis=0)
