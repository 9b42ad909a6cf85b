"""The switches of CUDA's libraries. Those for TF32 do something; the others are remembered for who asks."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from types import SimpleNamespace
from typing import Any

from .. import _core
from ..cuda.devices import is_available
from ..settings import set_float32_matmul_precision


class _Matmul:
    """How products of matrices are calculated."""

    allow_fp16_reduced_precision_reduction = True
    allow_bf16_reduced_precision_reduction = True
    allow_fp16_accumulation = False
    _fp32_precision = "none"

    @property
    def allow_tf32(self) -> bool:
        """Whether factors of float32 are rounded to TF32, which is several times as fast."""
        return _core._cuda.allow_tf32()

    @allow_tf32.setter
    def allow_tf32(self, on: bool) -> None:
        set_float32_matmul_precision("high" if on else "highest")

    @property
    def fp32_precision(self) -> str:
        """ "tf32", "ieee" or "none", which leaves it to the other switches."""
        return self._fp32_precision

    @fp32_precision.setter
    def fp32_precision(self, precision: str) -> None:
        if precision not in ("none", "ieee", "tf32"):
            raise RuntimeError(f"Invalid precision: {precision}")
        self._fp32_precision = precision
        if precision != "none":
            self.allow_tf32 = precision == "tf32"


matmul = _Matmul()
cufft_plan_cache = SimpleNamespace(size=0, max_size=0, clear=lambda: None)
_attention = {"flash": True, "mem_efficient": True, "math": True, "cudnn": True}


_linalg_library = "default"


class SDPAParams:
    """What attention would be asked with."""

    def __init__(
        self, query: Any, key: Any, value: Any, attn_mask: Any, dropout: float, is_causal: bool, enable_gqa: bool
    ) -> None:
        self.query, self.key, self.value, self.attn_mask = query, key, value, attn_mask
        self.dropout, self.is_causal, self.enable_gqa = dropout, is_causal, enable_gqa


def can_use_flash_attention(params: SDPAParams, debug: bool = False) -> bool:
    """False: there is no GPU."""
    return False


can_use_efficient_attention = can_use_cudnn_attention = can_use_flash_attention


def preferred_linalg_library(backend: str | None = None) -> str:
    """Remembers which of CUDA's libraries was preferred; linear algebra runs on the CPU.

    Args:
        backend: "default", "cusolver" or "magma"; None only asks.
    """
    global _linalg_library
    if backend is not None:
        if backend not in ("default", "cusolver", "magma"):
            raise RuntimeError(f"Unknown input value. Choose from: default, cusolver, magma. Got {backend!r}")
        _linalg_library = backend
    return _linalg_library


def is_built() -> bool:
    """Whether there is a GPU: chainrule needs no special build for one."""
    return is_available()


def _switch(kind: str) -> tuple[Callable[[], bool], Callable[[bool], None]]:
    """The functions that read and set one of the switches for attention."""

    def enabled() -> bool:
        """What the switch was set to; attention has one implementation, on the CPU."""
        return _attention[kind]

    def enable(enabled: bool) -> None:
        """Remembers the switch; attention has one implementation, on the CPU."""
        _attention[kind] = enabled

    return enabled, enable


flash_sdp_enabled, enable_flash_sdp = _switch("flash")
mem_efficient_sdp_enabled, enable_mem_efficient_sdp = _switch("mem_efficient")
math_sdp_enabled, enable_math_sdp = _switch("math")
cudnn_sdp_enabled, enable_cudnn_sdp = _switch("cudnn")


@contextlib.contextmanager
def sdp_kernel(
    enable_flash: bool = True, enable_math: bool = True, enable_mem_efficient: bool = True, enable_cudnn: bool = True
) -> Iterator[dict[str, bool]]:
    """Sets the switches for attention for the time of a block."""
    before = dict(_attention)
    _attention.update(flash=enable_flash, math=enable_math, mem_efficient=enable_mem_efficient, cudnn=enable_cudnn)
    try:
        yield {}
    finally:
        _attention.update(before)
