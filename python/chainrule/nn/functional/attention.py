"""Attention."""

from __future__ import annotations

import math

from ... import _core
from ..._core import Tensor
from ...error_words import at_call
from ...user_warning import warn_user
from .core import core
from .dropping import dropout
from .linear_maps import linear
from .padding import pad

_functions = _core.functions


_attention = core("scaled_dot_product_attention")


def scaled_dot_product_attention(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    attn_mask: Tensor | None = None,
    dropout_p: float = 0.0,
    is_causal: bool = False,
    *,
    scale: float | None = None,
    enable_gqa: bool = False,
) -> Tensor:
    """softmax(query @ key.T * scale + mask) @ value over the last two dimensions.

    Args:
        attn_mask: False where a query may not look, or numbers that are added.
        is_causal: a query looks at keys up to its own place only.
        scale: 1 / sqrt(query.size(-1)) if it is not given.
        enable_gqa: several heads of the query share one of key and value.

    Shape and dtype: (*, L, Ev) of query (*, L, E), key (*, S, E) and value (*, S, Ev); all have one dtype.
    Derivative: value: weights.T @ g; query and key: through softmax, with the weights' gradient g @ value.T

    >>> q, v = torch.zeros(1, 2), torch.tensor([[1., 2.], [3., 4.]])
    >>> torch.nn.functional.scaled_dot_product_attention(q, v, v)
    tensor([[2., 3.]])
    """
    if attn_mask is not None and is_causal:
        raise at_call(
            RuntimeError, "_scaled_dot_product_attention: Explicit attn_mask should not be set when is_causal=True"
        )
    return _attention(query, key, value, attn_mask, dropout_p, is_causal, scale=scale, enable_gqa=enable_gqa)


def multi_head_attention_forward(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    embed_dim_to_check: int,
    num_heads: int,
    in_proj_weight: Tensor | None,
    in_proj_bias: Tensor | None,
    bias_k: Tensor | None,
    bias_v: Tensor | None,
    add_zero_attn: bool,
    dropout_p: float,
    out_proj_weight: Tensor,
    out_proj_bias: Tensor | None,
    training: bool = True,
    key_padding_mask: Tensor | None = None,
    need_weights: bool = True,
    attn_mask: Tensor | None = None,
    use_separate_proj_weight: bool = False,
    q_proj_weight: Tensor | None = None,
    k_proj_weight: Tensor | None = None,
    v_proj_weight: Tensor | None = None,
    static_k: Tensor | None = None,
    static_v: Tensor | None = None,
    average_attn_weights: bool = True,
    is_causal: bool = False,
) -> tuple[Tensor, Tensor | None]:
    """Attention with several heads over (length, batch, width); nn.MultiheadAttention without its parameters.

    Shape and dtype: Query (L, N, E), key and value (S, N, E), or without N; the result (L, N, E) and the weights
    (N, L, S), or None; all have one dtype.
    Derivative: that of the projections and of scaled_dot_product_attention, by the chain rule

    >>> x, w, b = torch.ones(1, 1, 2), torch.zeros(6, 2), torch.zeros(6)
    >>> out = (torch.eye(2), torch.zeros(2))
    >>> torch.nn.functional.multi_head_attention_forward(x, x, x, 2, 1, w, b, None, None, False, 0., *out)
    (tensor([[[0., 0.]]]), tensor([[[1.]]]))
    """
    batched = _check_shapes(query, key, value, key_padding_mask, attn_mask, num_heads)
    if not batched:
        query, key, value = (x.unsqueeze(1) for x in (query, key, value))
        key_padding_mask = None if key_padding_mask is None else key_padding_mask.unsqueeze(0)
    length, batch, width = query.shape
    head = width // num_heads
    mask_dtype = None if attn_mask is None else attn_mask.dtype
    key_padding_mask = _added_mask(key_padding_mask, "key_padding_mask", query.dtype, mask_dtype)
    if is_causal and attn_mask is None:
        raise at_call(
            RuntimeError,
            "Need attn_mask if specifying the is_causal hint. You may use the Transformer module method "
            "`generate_square_subsequent_mask` to create this mask.",
        )
    if is_causal and key_padding_mask is None and not need_weights:
        attn_mask = None  # the core makes the causal mask itself
    else:
        attn_mask = _added_mask(attn_mask, "attn_mask", query.dtype, None)
        is_causal = is_causal and key_padding_mask is None
    _check_widths(query, key, value, embed_dim_to_check, num_heads, use_separate_proj_weight)
    if use_separate_proj_weight:
        weights = q_proj_weight, k_proj_weight, v_proj_weight
        q, k, v = _projected_separately(query, key, value, weights, in_proj_bias)
    else:
        q, k, v = _projected(query, key, value, in_proj_weight, in_proj_bias)
    attn_mask = _mask_of_heads(attn_mask, batch * num_heads, length, key.shape[0])
    if (bias_k is None) != (bias_v is None):
        raise at_call(
            AssertionError,
            f"bias_{'v' if bias_k is None else 'k'} is set but bias_{'k' if bias_k is None else 'v'} is None",
        )
    if bias_k is not None and bias_v is not None:
        if static_k is not None or static_v is not None:
            raise at_call(AssertionError, f"bias cannot be added to static {'value' if static_k is None else 'key'}.")
        k = _functions["cat"]([k, bias_k.repeat(1, batch, 1)])
        v = _functions["cat"]([v, bias_v.repeat(1, batch, 1)])
        attn_mask, key_padding_mask = (None if m is None else pad(m, (0, 1)) for m in (attn_mask, key_padding_mask))
    q = q.reshape(length, batch * num_heads, head).transpose(0, 1)
    k = _heads(k, static_k, "k", batch * num_heads, head)
    v = _heads(v, static_v, "v", batch * num_heads, head)
    if add_zero_attn:
        nothing = k.new_zeros(batch * num_heads, 1, head)
        k, v = (_functions["cat"]([x, nothing], 1) for x in (k, v))
        attn_mask, key_padding_mask = (None if m is None else pad(m, (0, 1)) for m in (attn_mask, key_padding_mask))
    attn_mask = _joined_masks(attn_mask, key_padding_mask, batch, num_heads, k.shape[1])
    dropout_p = dropout_p if training else 0.0
    if not need_weights:
        output = _without_weights(q, k, v, attn_mask, (batch, num_heads), dropout_p, is_causal)
        output = linear(output.reshape(length * batch, width), out_proj_weight, out_proj_bias)
        output = output.reshape(length, batch, output.shape[1])
        return (output if batched else output.squeeze(1)), None
    q = q * math.sqrt(1.0 / head)
    weights = q.bmm(k.transpose(1, 2)) if attn_mask is None else attn_mask.baddbmm(q, k.transpose(1, 2))
    weights = weights.softmax(-1)
    weights = dropout(weights, dropout_p) if dropout_p > 0.0 else weights
    output = weights.bmm(v).transpose(0, 1).reshape(length * batch, width)
    output = linear(output, out_proj_weight, out_proj_bias)
    output = output.reshape(length, batch, output.shape[1])
    weights = weights.reshape(batch, num_heads, length, k.shape[1])
    weights = weights.mean(1) if average_attn_weights else weights
    return (output, weights) if batched else (output.squeeze(1), weights.squeeze(0))


def _without_weights(
    q: Tensor, k: Tensor, v: Tensor, mask: Tensor | None, batch_heads: tuple, dropout_p: float, is_causal: bool
) -> Tensor:
    if mask is not None:
        alike = mask.dim() == 3 and mask.shape[0] == 1
        mask = mask.unsqueeze(0) if alike else mask.reshape(*batch_heads, -1, k.shape[1])
    q, k, v = (x.reshape(*batch_heads, x.shape[1], x.shape[2]) for x in (q, k, v))
    return scaled_dot_product_attention(q, k, v, mask, dropout_p, is_causal).permute(2, 0, 1, 3)


def _projected(
    query: Tensor, key: Tensor, value: Tensor, weight: Tensor | None, bias: Tensor | None
) -> tuple[Tensor, ...]:
    """Query, key and value by the three thirds of one weight, in one product where they are the same tensor."""
    if weight is None:
        raise at_call(AssertionError, "use_separate_proj_weight is False but in_proj_weight is None")
    width = query.shape[-1]
    if key is value and query is key:
        return linear(query, weight, bias).split(width, -1)
    biases = (None, None, None) if bias is None else bias.split(width)
    if key is value:
        bias_kv = None if bias is None else bias[width:]
        both = linear(key, weight[width:], bias_kv)
        return linear(query, weight[:width], biases[0]), *both.split(width, -1)
    return tuple(linear(x, w, b) for x, w, b in zip((query, key, value), weight.split(width), biases, strict=True))


def _projected_separately(
    query: Tensor, key: Tensor, value: Tensor, weights: tuple, bias: Tensor | None
) -> tuple[Tensor, ...]:
    width = query.shape[-1]
    results = []
    biases = (None, None, None) if bias is None else bias.chunk(3)
    for letter, x, w, b in zip("qkv", (query, key, value), weights, biases, strict=True):
        if w is None:
            raise at_call(AssertionError, f"use_separate_proj_weight is True but {letter}_proj_weight is None")
        name = {"q": "query", "k": "key", "v": "value"}[letter]
        if w.shape != (width, x.shape[-1]):
            raise at_call(
                AssertionError, f"expecting {name} weights shape of {(width, x.shape[-1])}, but got {w.shape}"
            )
        if b is not None and b.shape != (width,):
            raise at_call(AssertionError, f"expecting {name} bias shape of {(width,)}, but got {b.shape}")
        results.append(linear(x, w, b))
    return tuple(results)


def _heads(projected: Tensor, static: Tensor | None, letter: str, count: int, head: int) -> Tensor:
    if static is None:
        return projected.reshape(projected.shape[0], count, head).transpose(0, 1)
    for dim, expected in ((0, count), (2, head)):
        if static.shape[dim] != expected:
            raise at_call(
                AssertionError, f"expecting static_{letter}.size({dim}) of {expected}, but got {static.shape[dim]}"
            )
    return static


# ---- masks


def _added_mask(mask: Tensor | None, name: str, dtype: _core.dtype, other: _core.dtype | None) -> Tensor | None:
    """A mask as numbers to add: -inf where a bool mask is True."""
    if mask is None:
        return None
    if mask.dtype is not _core.bool and not mask.is_floating_point():
        raise at_call(AssertionError, f"only bool and floating types of {name} are supported")
    if other is not None and mask.dtype is not other:
        warn_user(f"Support for mismatched {name} and attn_mask is deprecated. Use same type for both instead.")
    if mask.is_floating_point():
        return mask
    return _functions["where"](mask, -math.inf, _functions["zeros_like"](mask, dtype=dtype))


def _mask_of_heads(mask: Tensor | None, heads: int, length: int, keys: int) -> Tensor | None:
    if mask is None:
        return None
    expected = {2: (length, keys), 3: (heads, length, keys)}.get(mask.dim())
    if expected is None:
        raise at_call(RuntimeError, f"attn_mask's dimension {mask.dim()} is not supported")
    if mask.shape != expected:
        raise at_call(
            RuntimeError, f"The shape of the {mask.dim()}D attn_mask is {mask.shape}, but should be {expected}."
        )
    return mask.unsqueeze(0) if mask.dim() == 2 else mask


def _joined_masks(mask: Tensor | None, padding: Tensor | None, batch: int, heads: int, keys: int) -> Tensor | None:
    if padding is None:
        return mask
    for dim, expected in ((0, batch), (1, keys)):
        if padding.shape[dim] != expected:
            raise at_call(
                AssertionError, f"Expected key_padded_mask.shape[{dim}] to be {expected}, but got {padding.shape[dim]}"
            )
    padding = padding.reshape(batch, 1, 1, keys).expand(-1, heads, -1, -1).reshape(batch * heads, 1, keys)
    return padding if mask is None else mask + padding


# ---- checks


def _check_shapes(
    query: Tensor, key: Tensor, value: Tensor, padding: Tensor | None, mask: Tensor | None, num_heads: int
) -> bool:
    if query.dim() not in (2, 3):
        raise at_call(
            AssertionError,
            f"query should be unbatched 2D or batched 3D tensor but received {query.dim()}-D query tensor",
        )
    batched, dims = query.dim() == 3, query.dim()
    given = f"For {'' if batched else 'un'}batched ({dims}-D) `query`, expected"
    if key.dim() != dims or value.dim() != dims:
        raise at_call(
            AssertionError,
            f"{given} `key` and `value` to be {dims}-D but found {key.dim()}-D and {value.dim()}-D tensors "
            "respectively",
        )
    if padding is not None and padding.dim() != dims - 1:
        raise at_call(
            AssertionError,
            f"{given} `key_padding_mask` to be `None` or {dims - 1}-D but found {padding.dim()}-D tensor instead",
        )
    if mask is not None and mask.dim() not in (2, 3):
        raise at_call(
            AssertionError, f"{given} `attn_mask` to be `None`, 2-D or 3-D but found {mask.dim()}-D tensor instead"
        )
    if not batched and mask is not None and mask.dim() == 3:
        expected = (num_heads, query.shape[0], key.shape[0])
        if mask.shape != expected:
            raise at_call(AssertionError, f"Expected `attn_mask` shape to be {expected} but got {mask.shape}")
    return batched


def _check_widths(query: Tensor, key: Tensor, value: Tensor, expected: int, num_heads: int, separate: bool) -> None:
    width = query.shape[-1]
    if width != expected:
        raise at_call(AssertionError, f"was expecting embedding dimension of {expected}, but got {width}")
    if width % num_heads:
        raise at_call(AssertionError, f"embed_dim {width} not divisible by num_heads {num_heads}")
    if separate and key.shape[:2] != value.shape[:2]:
        raise at_call(
            AssertionError, f"key's sequence and batch dims {key.shape[:2]} do not match value's {value.shape[:2]}"
        )
    if not separate and key.shape != value.shape:
        raise at_call(AssertionError, f"key shape {key.shape} does not match value shape {value.shape}")
