"""torch.types: names for annotations."""

from __future__ import annotations

import builtins
import os
from collections.abc import Sequence
from typing import IO, Any, TypeAlias

from ._core import Size, Tensor, device, dtype, layout

Device: TypeAlias = device | str | int | None
Number: TypeAlias = int | float | bool
FileLike: TypeAlias = str | os.PathLike[str] | IO[bytes]
Storage: TypeAlias = Any
_int, _float, _bool, _complex, _bytes = builtins.int, builtins.float, builtins.bool, builtins.complex, builtins.bytes
_dtype, _device, _layout = dtype, device, layout
_size: TypeAlias = Size | list[int] | tuple[int, ...]
_TensorOrTensors: TypeAlias = Tensor | Sequence[Tensor]
