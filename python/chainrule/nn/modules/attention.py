"""Multi-head attention."""

from __future__ import annotations

from typing import Any

from ..._core import Tensor
from ...error_words import at_call
from .. import functional as F  # noqa: N812
from .. import init
from ..parameter import Parameter, fresh
from .linear import NonDynamicallyQuantizableLinear
from .module import Module

__all__ = ["MultiheadAttention"]


class MultiheadAttention(Module):
    """Attention of queries to keys and values, in several heads side by side.

    Args:
        embed_dim: features of the query and of the output; a multiple of num_heads.
        num_heads: how many heads.
        dropout: its probability, on the attention weights.
        bias: whether the projections have one.
        add_bias_kv: learn one more key and value.
        add_zero_attn: add a key and value of zeros.
        kdim, vdim: features of key and value, if they differ.
        batch_first: (batch, length, features) instead of (length, batch, features).

    >>> attention = torch.nn.MultiheadAttention(embed_dim=8, num_heads=2, batch_first=True)
    >>> x = torch.ones(1, 5, 8)
    >>> output, weights = attention(x, x, x)
    >>> output.shape, weights.shape
    (torch.Size([1, 5, 8]), torch.Size([1, 5, 5]))
    """

    in_proj_weight: Parameter | None
    in_proj_bias: Parameter | None
    q_proj_weight: Parameter | None
    k_proj_weight: Parameter | None
    v_proj_weight: Parameter | None
    bias_k: Parameter | None
    bias_v: Parameter | None

    def __init__(
        self,
        embed_dim: int,
        num_heads: int,
        dropout: float = 0.0,
        bias: bool = True,
        add_bias_kv: bool = False,
        add_zero_attn: bool = False,
        kdim: int | None = None,
        vdim: int | None = None,
        batch_first: bool = False,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        if embed_dim <= 0 or num_heads <= 0:
            raise at_call(
                ValueError,
                "embed_dim and num_heads must be greater than 0, "
                f"got embed_dim={embed_dim} and num_heads={num_heads} instead",
            )
        super().__init__()
        self.embed_dim, self.num_heads, self.head_dim = embed_dim, num_heads, embed_dim // num_heads
        self.kdim = embed_dim if kdim is None else kdim
        self.vdim = embed_dim if vdim is None else vdim
        self.dropout, self.batch_first, self.add_zero_attn = dropout, batch_first, add_zero_attn
        self._qkv_same_embed_dim = self.kdim == self.vdim == embed_dim
        if self.head_dim * num_heads != embed_dim:
            raise at_call(AssertionError, "embed_dim must be divisible by num_heads")
        self._make_projections(bias, {"device": device, "dtype": dtype})
        if add_bias_kv:
            self.bias_k = fresh(1, 1, embed_dim, device=device, dtype=dtype)
            self.bias_v = fresh(1, 1, embed_dim, device=device, dtype=dtype)
        else:
            self.bias_k = self.bias_v = None
        self._reset_parameters()

    def _make_projections(self, bias: bool, options: dict[str, Any]) -> None:
        width, names = self.embed_dim, ("q_proj_weight", "k_proj_weight", "v_proj_weight")
        if self._qkv_same_embed_dim:
            self.in_proj_weight = fresh(3 * width, width, **options)
            for name in names:
                self.register_parameter(name, None)
        else:
            for name, features in zip(names, (width, self.kdim, self.vdim), strict=True):
                self.register_parameter(name, fresh(width, features, **options))
            self.register_parameter("in_proj_weight", None)
        self.register_parameter("in_proj_bias", fresh(3 * width, **options) if bias else None)
        self.out_proj = NonDynamicallyQuantizableLinear(width, width, bias, **options)

    def _reset_parameters(self) -> None:
        for weight in (self.in_proj_weight, self.q_proj_weight, self.k_proj_weight, self.v_proj_weight):
            if weight is not None:
                init.xavier_uniform_(weight)
        if self.in_proj_bias is not None:
            init.constant_(self.in_proj_bias, 0.0)
            init.constant_(self.out_proj.bias, 0.0)  # type: ignore[arg-type]
        for extra in (self.bias_k, self.bias_v):
            if extra is not None:
                init.xavier_normal_(extra)

    def forward(
        self,
        query: Tensor,
        key: Tensor,
        value: Tensor,
        key_padding_mask: Tensor | None = None,
        need_weights: bool = True,
        attn_mask: Tensor | None = None,
        average_attn_weights: bool = True,
        is_causal: bool = False,
    ) -> tuple[Tensor, Tensor | None]:
        """The output and, need_weights: the attention weights.

        Args:
            key_padding_mask: (batch, keys), True where a key is padding; or numbers that are added.
            attn_mask: (queries, keys), True where a query may not look; or numbers that are added.
            average_attn_weights: give the mean of the heads' weights.
            is_causal: a hint that attn_mask is the causal mask.
        """
        if query.is_nested or key.is_nested or value.is_nested:
            raise at_call(
                AssertionError,
                "MultiheadAttention does not support NestedTensor outside of its fast path: "
                "functional.scaled_dot_product_attention takes nested (batch, heads, rows, depth)",
            )
        swap = self.batch_first and query.dim() == 3
        if swap:
            query, key, value = _swapped(query, key, value)
        output, weights = F.multi_head_attention_forward(
            query,
            key,
            value,
            self.embed_dim,
            self.num_heads,
            self.in_proj_weight,
            self.in_proj_bias,
            self.bias_k,
            self.bias_v,
            self.add_zero_attn,
            self.dropout,
            self.out_proj.weight,
            self.out_proj.bias,
            training=self.training,
            key_padding_mask=key_padding_mask,
            need_weights=need_weights,
            attn_mask=attn_mask,
            use_separate_proj_weight=not self._qkv_same_embed_dim,
            q_proj_weight=self.q_proj_weight,
            k_proj_weight=self.k_proj_weight,
            v_proj_weight=self.v_proj_weight,
            average_attn_weights=average_attn_weights,
            is_causal=is_causal,
        )
        return (output.transpose(0, 1) if swap else output), weights

    def merge_masks(
        self, attn_mask: Tensor | None, key_padding_mask: Tensor | None, query: Tensor
    ) -> tuple[Tensor | None, int | None]:
        """Both masks as one, and which there were: 1 padding, 2 attention or both."""
        if attn_mask is None:
            return key_padding_mask, None if key_padding_mask is None else 1
        batch, length, _ = query.shape
        if attn_mask.dim() == 3:
            merged = attn_mask.reshape(batch, -1, length, length)
        else:
            merged = attn_mask.reshape(1, 1, length, length).expand(batch, self.num_heads, -1, -1)
        if key_padding_mask is not None:
            merged = merged + key_padding_mask.reshape(batch, 1, 1, length).expand(-1, self.num_heads, -1, -1)
        return merged, 2


def _swapped(query: Tensor, key: Tensor, value: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """Length first; tensors that were the same stay the same, so that one product projects them."""
    swapped = {id(x): x.transpose(0, 1) for x in (query, key, value) if x.dim() == 3}
    return tuple(swapped.get(id(x), x) for x in (query, key, value))  # type: ignore[return-value]
