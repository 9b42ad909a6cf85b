"""How linear_cross_entropy is cut into chunks of examples."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ...error_words import at_call

__all__ = ["LinearCrossEntropyOptions"]


@dataclass(slots=True, frozen=True)
class LinearCrossEntropyOptions:
    """The size of the chunks, and the dtype that the loss and its gradients are calculated in.

    "aspect_ratio" makes a chunk's logits about as large as the input, "aspect_ratio:2" half of that. `acc_policy`
    chooses among PyTorch's ways to keep half-precision sums; here the sums are in `acc_dtype` under each of them.

    >>> torch.nn.LinearCrossEntropyOptions() is not None
    True
    """

    allow_retain_graph: bool = False
    batch_chunk_size: int | None = None
    chunking_method: str | None = "auto"
    acc_policy: str = "auto"
    acc_dtype: Any = None

    def __post_init__(self) -> None:
        if self.acc_policy not in ("auto", "accurate", "balanced", "compact"):
            raise at_call(ValueError, f"invalid acc_policy: {self.acc_policy!r}")
        if self.chunking_method not in (None, "auto"):
            name, _, factor = str(self.chunking_method).partition(":")
            if name != "aspect_ratio" or not (factor or "1").isdigit() or int(factor or "1") == 0:
                raise at_call(ValueError, f"invalid chunking_method: {self.chunking_method!r}")
        size = self.batch_chunk_size
        if size is not None and not (isinstance(size, int) and size > 0):
            raise at_call(ValueError, f"batch_chunk_size must be positive int or None, got {size!r}")
