"""Transformers."""

from __future__ import annotations

import copy
import math
from collections.abc import Callable
from typing import Any

from ... import _core
from ..._core import Tensor
from ...error_words import at_call
from .. import functional as F  # noqa: N812
from .. import init
from ..functional.attention import _added_mask
from .attention import MultiheadAttention
from .container import ModuleList
from .dropout import Dropout
from .linear import Linear
from .module import Module
from .normalization import LayerNorm

__all__ = [
    "Transformer",
    "TransformerDecoder",
    "TransformerDecoderLayer",
    "TransformerEncoder",
    "TransformerEncoderLayer",
]

_functions = _core.functions
Activation = str | Callable[[Tensor], Tensor]


def _generate_square_subsequent_mask(sz: int, device: Any = None, dtype: Any = None) -> Tensor:
    return _functions["full"]((sz, sz), -math.inf, dtype=dtype, device=device).triu(1)


def _length(x: Tensor, batch_first: bool) -> int:
    return x.shape[0] if x.dim() == 2 else x.shape[1 if batch_first else 0]


def _is_causal(mask: Tensor | None, is_causal: bool | None, size: int) -> bool:
    """Whether the mask is the causal one; looked at only if nobody said."""
    if is_causal is not None or mask is None:
        return is_causal is True
    causal = _generate_square_subsequent_mask(size, dtype=mask.dtype)
    return mask.shape == causal.shape and bool((mask == causal).all())


def _get_activation_fn(activation: Activation) -> Callable[[Tensor], Tensor]:
    if not isinstance(activation, str):
        return activation
    if activation not in ("relu", "gelu"):
        raise at_call(RuntimeError, f"activation should be relu/gelu, not {activation}")
    return F.relu if activation == "relu" else F.gelu


class _Layer(Module):
    """What encoder and decoder layers share: self-attention, then two linear maps for each place.

    Args:
        d_model: features.
        nhead: heads of attention.
        dim_feedforward: features between the two linear maps.
        dropout: its probability, everywhere in the layer.
        activation: "relu", "gelu" or a function, between the two linear maps.
        layer_norm_eps: the eps of the normalisations.
        batch_first: (batch, length, features) instead of (length, batch, features).
        norm_first: normalise before each block and not after it.
        bias: whether linear maps and normalisations have one.
    """

    dropout1: Dropout

    def __init__(
        self,
        d_model: int,
        nhead: int,
        dim_feedforward: int = 2048,
        dropout: float = 0.1,
        activation: Activation = F.relu,
        layer_norm_eps: float = 1e-5,
        batch_first: bool = False,
        norm_first: bool = False,
        bias: bool = True,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__()
        options: dict[str, Any] = {"device": device, "dtype": dtype}
        attention = {"dropout": dropout, "bias": bias, "batch_first": batch_first, **options}
        self._make_attention(d_model, nhead, attention)
        self.linear1 = Linear(d_model, dim_feedforward, bias=bias, **options)
        self.dropout = Dropout(dropout)
        self.linear2 = Linear(dim_feedforward, d_model, bias=bias, **options)
        self.norm_first = norm_first
        blocks = range(1, self._blocks + 1)
        for i in blocks:
            self.add_module(f"norm{i}", LayerNorm(d_model, eps=layer_norm_eps, bias=bias, **options))
        for i in blocks:
            self.add_module(f"dropout{i}", Dropout(dropout))
        self.activation = _get_activation_fn(activation)

    _blocks: int

    def _make_attention(self, d_model: int, nhead: int, options: dict[str, Any]) -> None:
        self.self_attn = MultiheadAttention(d_model, nhead, **options)

    def __setstate__(self, state: dict) -> None:
        super().__setstate__(state)
        self.__dict__.setdefault("activation", F.relu)

    def _around(self, x: Tensor, norm: Module, block: Callable[[Tensor], Tensor]) -> Tensor:
        """x and what the block adds to it, normalised before or after."""
        return x + block(norm(x)) if self.norm_first else norm(x + block(x))

    def _sa_block(
        self, x: Tensor, attn_mask: Tensor | None, key_padding_mask: Tensor | None, is_causal: bool = False
    ) -> Tensor:
        x = self.self_attn(
            x, x, x, attn_mask=attn_mask, key_padding_mask=key_padding_mask, need_weights=False, is_causal=is_causal
        )[0]
        return self.dropout1(x)

    def _ff_block(self, x: Tensor) -> Tensor:
        x = self.linear2(self.dropout(self.activation(self.linear1(x))))
        return getattr(self, f"dropout{self._blocks}")(x)


class TransformerEncoderLayer(_Layer):
    """Self-attention and a feed-forward network. See _Layer for the arguments.

    Args:
        d_model: the number of features.
        nhead: the number of heads.
        dim_feedforward: features between the two linear layers.
        dropout: the part that is dropped.
        activation: "relu", "gelu" or a function.
        layer_norm_eps: of the normalisations.
        batch_first: whether the first dimension is the batch.
        norm_first: whether to normalise before attention and linear layers instead of after them.
        bias: whether layers have one.
        device, dtype: of the parameters.

    >>> layer = torch.nn.TransformerEncoderLayer(d_model=8, nhead=2, batch_first=True)
    >>> layer(torch.ones(1, 5, 8)).shape
    torch.Size([1, 5, 8])
    """

    _blocks = 2

    @property
    def activation_relu_or_gelu(self) -> int:
        """1 for relu, 2 for gelu, 0 for anything else."""
        return {F.relu: 1, F.gelu: 2}.get(self.activation, 0)

    def forward(
        self,
        src: Tensor,
        src_mask: Tensor | None = None,
        src_key_padding_mask: Tensor | None = None,
        is_causal: bool = False,
    ) -> Tensor:
        """The layer's output for the sequence."""
        padding = _mask(src_key_padding_mask, "src_key_padding_mask", src, src_mask)
        mask = _mask(src_mask, "src_mask", src)
        x = self._around(src, self.norm1, lambda x: self._sa_block(x, mask, padding, is_causal))
        return self._around(x, self.norm2, self._ff_block)


def _mask(mask: Tensor | None, name: str, like: Tensor, other: Tensor | None = None) -> Tensor | None:
    return _added_mask(mask, name, like.dtype, None if other is None else other.dtype)


class TransformerDecoderLayer(_Layer):
    """Self-attention, attention to the encoder's output, a feed-forward network. See _Layer for the arguments.

    Args:
        d_model: the number of features.
        nhead: the number of heads.
        dim_feedforward: features between the two linear layers.
        dropout: the part that is dropped.
        activation: "relu", "gelu" or a function.
        layer_norm_eps: of the normalisations.
        batch_first: whether the first dimension is the batch.
        norm_first: whether to normalise before attention and linear layers instead of after them.
        bias: whether layers have one.
        device, dtype: of the parameters.

    >>> layer = torch.nn.TransformerDecoderLayer(d_model=8, nhead=2, batch_first=True)
    >>> layer(torch.ones(1, 3, 8), torch.ones(1, 5, 8)).shape
    torch.Size([1, 3, 8])
    """

    _blocks = 3

    def _make_attention(self, d_model: int, nhead: int, options: dict[str, Any]) -> None:
        super()._make_attention(d_model, nhead, options)
        self.multihead_attn = MultiheadAttention(d_model, nhead, **options)

    def forward(
        self,
        tgt: Tensor,
        memory: Tensor,
        tgt_mask: Tensor | None = None,
        memory_mask: Tensor | None = None,
        tgt_key_padding_mask: Tensor | None = None,
        memory_key_padding_mask: Tensor | None = None,
        tgt_is_causal: bool = False,
        memory_is_causal: bool = False,
    ) -> Tensor:
        """The layer's output for the sequence `tgt`, with the encoder's output `memory`."""
        x = self._around(tgt, self.norm1, lambda x: self._sa_block(x, tgt_mask, tgt_key_padding_mask, tgt_is_causal))
        x = self._around(
            x,
            self.norm2,
            lambda x: self._mha_block(x, memory, memory_mask, memory_key_padding_mask, memory_is_causal),
        )
        return self._around(x, self.norm3, self._ff_block)

    def _mha_block(
        self,
        x: Tensor,
        mem: Tensor,
        attn_mask: Tensor | None,
        key_padding_mask: Tensor | None,
        is_causal: bool = False,
    ) -> Tensor:
        x = self.multihead_attn(
            x,
            mem,
            mem,
            attn_mask=attn_mask,
            key_padding_mask=key_padding_mask,
            is_causal=is_causal,
            need_weights=False,
        )[0]
        return self.dropout2(x)


class TransformerEncoder(Module):
    """Copies of an encoder layer, one after the other.

    Args:
        encoder_layer: the layer to copy.
        num_layers: how often.
        norm: a normalisation of the output.
        enable_nested_tensor, mask_check: for PyTorch's nested tensors, which are not here.

    >>> layer = torch.nn.TransformerEncoderLayer(d_model=8, nhead=2, batch_first=True)
    >>> torch.nn.TransformerEncoder(layer, num_layers=2)(torch.ones(1, 5, 8)).shape
    torch.Size([1, 5, 8])
    """

    def __init__(
        self,
        encoder_layer: Module,
        num_layers: int,
        norm: Module | None = None,
        enable_nested_tensor: bool = True,
        mask_check: bool = True,
    ) -> None:
        super().__init__()
        self.layers = _copies(encoder_layer, num_layers)
        self.num_layers, self.norm = num_layers, norm
        self.enable_nested_tensor, self.mask_check = enable_nested_tensor, mask_check

    def forward(
        self,
        src: Tensor,
        mask: Tensor | None = None,
        src_key_padding_mask: Tensor | None = None,
        is_causal: bool | None = None,
    ) -> Tensor:
        """What the last layer gives for the sequence."""
        padding = _mask(src_key_padding_mask, "src_key_padding_mask", src, mask)
        mask = _mask(mask, "mask", src)
        batch_first = self.layers[0].self_attn.batch_first
        causal = _is_causal(mask, is_causal, _length(src, batch_first))
        output = src
        for layer in self.layers:
            output = layer(output, src_mask=mask, is_causal=causal, src_key_padding_mask=padding)
        return output if self.norm is None else self.norm(output)


class TransformerDecoder(Module):
    """Copies of a decoder layer, one after the other.

    Args:
        decoder_layer: the layer to copy.
        num_layers: how often.
        norm: a normalisation of the output.

    >>> layer = torch.nn.TransformerDecoderLayer(d_model=8, nhead=2, batch_first=True)
    >>> torch.nn.TransformerDecoder(layer, num_layers=2)(torch.ones(1, 3, 8), torch.ones(1, 5, 8)).shape
    torch.Size([1, 3, 8])
    """

    def __init__(self, decoder_layer: Module, num_layers: int, norm: Module | None = None) -> None:
        super().__init__()
        self.layers = _copies(decoder_layer, num_layers)
        self.num_layers, self.norm = num_layers, norm

    def forward(
        self,
        tgt: Tensor,
        memory: Tensor,
        tgt_mask: Tensor | None = None,
        memory_mask: Tensor | None = None,
        tgt_key_padding_mask: Tensor | None = None,
        memory_key_padding_mask: Tensor | None = None,
        tgt_is_causal: bool | None = None,
        memory_is_causal: bool = False,
    ) -> Tensor:
        """What the last layer gives for the sequence `tgt`, with the encoder's output `memory`."""
        causal = _is_causal(tgt_mask, tgt_is_causal, _length(tgt, self.layers[0].self_attn.batch_first))
        output = tgt
        for layer in self.layers:
            output = layer(
                output,
                memory,
                tgt_mask=tgt_mask,
                memory_mask=memory_mask,
                tgt_key_padding_mask=tgt_key_padding_mask,
                memory_key_padding_mask=memory_key_padding_mask,
                tgt_is_causal=causal,
                memory_is_causal=memory_is_causal,
            )
        return output if self.norm is None else self.norm(output)


def _copies(module: Module, count: int) -> ModuleList:
    return ModuleList([copy.deepcopy(module) for _ in range(count)])


class Transformer(Module):
    """An encoder and a decoder.

    Args:
        d_model, nhead, dim_feedforward, dropout, activation, layer_norm_eps, batch_first, norm_first, bias: those of
            the layers.
        num_encoder_layers, num_decoder_layers: how many layers.
        custom_encoder, custom_decoder: modules to use instead.

    >>> model = torch.nn.Transformer(8, nhead=2, num_encoder_layers=1, num_decoder_layers=1, batch_first=True)
    >>> model(torch.ones(1, 5, 8), torch.ones(1, 3, 8)).shape
    torch.Size([1, 3, 8])
    """

    def __init__(
        self,
        d_model: int = 512,
        nhead: int = 8,
        num_encoder_layers: int = 6,
        num_decoder_layers: int = 6,
        dim_feedforward: int = 2048,
        dropout: float = 0.1,
        activation: Activation = F.relu,
        custom_encoder: Any = None,
        custom_decoder: Any = None,
        layer_norm_eps: float = 1e-5,
        batch_first: bool = False,
        norm_first: bool = False,
        bias: bool = True,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__()
        options: dict[str, Any] = {"bias": bias, "device": device, "dtype": dtype}
        layer = (d_model, nhead, dim_feedforward, dropout, activation, layer_norm_eps, batch_first, norm_first)
        if custom_encoder is None:
            encoder_layer = TransformerEncoderLayer(*layer, **options)
            norm = LayerNorm(d_model, eps=layer_norm_eps, **options)
            custom_encoder = TransformerEncoder(encoder_layer, num_encoder_layers, norm)
        self.encoder = custom_encoder
        if custom_decoder is None:
            decoder_layer = TransformerDecoderLayer(*layer, **options)
            norm = LayerNorm(d_model, eps=layer_norm_eps, **options)
            custom_decoder = TransformerDecoder(decoder_layer, num_decoder_layers, norm)
        self.decoder = custom_decoder
        self._reset_parameters()
        self.d_model, self.nhead, self.batch_first = d_model, nhead, batch_first

    def _reset_parameters(self) -> None:
        for parameter in self.parameters():
            if parameter.dim() > 1:
                init.xavier_uniform_(parameter)

    def forward(
        self,
        src: Tensor,
        tgt: Tensor,
        src_mask: Tensor | None = None,
        tgt_mask: Tensor | None = None,
        memory_mask: Tensor | None = None,
        src_key_padding_mask: Tensor | None = None,
        tgt_key_padding_mask: Tensor | None = None,
        memory_key_padding_mask: Tensor | None = None,
        src_is_causal: bool | None = None,
        tgt_is_causal: bool | None = None,
        memory_is_causal: bool = False,
    ) -> Tensor:
        """The decoder's output for `tgt`, with the encoder's for `src`."""
        batch_dim = 0 if self.batch_first else 1
        if src.dim() == 3 and src.shape[batch_dim] != tgt.shape[batch_dim]:
            raise at_call(RuntimeError, "the batch number of src and tgt must be equal")
        if src.shape[-1] != self.d_model or tgt.shape[-1] != self.d_model:
            raise at_call(RuntimeError, "the feature number of src and tgt must be equal to d_model")
        memory = self.encoder(src, mask=src_mask, src_key_padding_mask=src_key_padding_mask, is_causal=src_is_causal)
        return self.decoder(
            tgt,
            memory,
            tgt_mask=tgt_mask,
            memory_mask=memory_mask,
            tgt_key_padding_mask=tgt_key_padding_mask,
            memory_key_padding_mask=memory_key_padding_mask,
            tgt_is_causal=tgt_is_causal,
            memory_is_causal=memory_is_causal,
        )

    @staticmethod
    def generate_square_subsequent_mask(sz: int, device: Any = None, dtype: Any = None) -> Tensor:
        """The causal mask: -inf above the diagonal."""
        return _generate_square_subsequent_mask(sz, device, dtype)
