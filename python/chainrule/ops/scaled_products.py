"""Products of narrow numbers that packages call by PyTorch's private names: whole numbers, and float8 with scales."""

from __future__ import annotations

from typing import Any

from .. import _core
from .._core import Tensor
from ..error_words import at_call
from ..nn.functional.grouped import grouped_mm

__all__ = ["_grouped_mm", "_int_mm", "_scaled_mm"]

_NARROW = (_core.int8, _core.uint8)
_FLOAT8 = (_core.float8_e4m3fn, _core.float8_e5m2, _core.float8_e4m3fnuz, _core.float8_e5m2fnuz)


def _int_mm(self: Tensor, mat2: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The product of two matrices of int8, in int32."""
    for name, factor in (("self", self), ("mat2", mat2)):
        if factor.dim() != 2:
            raise at_call(RuntimeError, f"int_mm_out_cpu: Expected {name} to be of dimension 2 but got {factor.dim()}")
    if self.shape[1] != mat2.shape[0]:
        raise at_call(
            RuntimeError,
            f"int_mm_out_cpu: self.size(1) needs to match mat2.size(0) but got {self.shape[1]} and {mat2.shape[0]}",
        )
    for name, factor in (("self", self), ("mat2", mat2)):
        if factor.dtype not in _NARROW:
            kind = str(factor.dtype).rpartition(".")[2].replace("float32", "float")
            raise at_call(RuntimeError, f"int_mm_out_cpu: Expected {name} dtype to be int8 or uint8 but got {kind}")
    found = self.to(_core.int32) @ mat2.to(_core.int32)
    return found if out is None else out.copy_(found)


def _scaled_mm(
    self: Tensor,
    mat2: Tensor,
    scale_a: Tensor,
    scale_b: Tensor,
    bias: Tensor | None = None,
    scale_result: Tensor | None = None,
    out_dtype: Any = None,
    use_fast_accum: bool = False,
) -> Tensor:
    """The product of two float8 matrices, of which each has a scale, or one for each row (of mat2: column)."""
    if not (_is_scaled(self, scale_a, (self.shape[0], 1)) and _is_scaled(mat2, scale_b, (1, mat2.shape[-1]))):
        raise at_call(
            ValueError,
            "Invalid scaling configuration.\n- For TensorWise scaling, a and b should be float8, scales should be "
            "float and singletons.\n- For RowWise scaling, a and b should be float8, scales should be float, scale_a "
            f"should be ({self.shape[0]}, 1) and scale_b should be (1, {mat2.shape[-1]}).",
        )
    if scale_result is not None:
        raise at_call(NotImplementedError, "_scaled_mm: scale_result is for results of float8 on a GPU")
    found = (self.to(_core.float32) @ mat2.to(_core.float32)) * (scale_a * scale_b)
    if bias is not None:
        found = found + bias.to(_core.float32)
    return found.to(self.dtype if out_dtype is None else out_dtype)


def _is_scaled(factor: Tensor, scale: Tensor, lines: tuple[int, int]) -> bool:
    fits = scale.numel() == 1 or tuple(scale.shape) == lines
    return factor.dtype in _FLOAT8 and scale.dtype is _core.float32 and fits


_grouped_mm = grouped_mm
