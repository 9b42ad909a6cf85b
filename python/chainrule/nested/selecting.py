"""torch.nested.masked_select: what a mask leaves of each row of an ordinary tensor."""

from __future__ import annotations

from .. import _core
from .._core import Tensor
from ..error_words import at_call
from .jagged import wrapped
from .pattern import Pattern


def masked_select(tensor: Tensor, mask: Tensor) -> Tensor:
    """A nested tensor of what a mask leaves of each row of an ordinary tensor.

    Shape and dtype: (rows, ragged), as the tensor.

    Derivative: the gradient goes to the items that were selected.

    >>> x = torch.arange(6.).reshape(2, 3)
    >>> torch.nested.masked_select(x, x > 1).unbind()
    (tensor([2.]), tensor([3., 4., 5.]))
    """
    for name, given in (("tensor", tensor), ("mask", mask)):
        if given.layout is not _core.strided:
            raise at_call(
                RuntimeError,
                f"torch.nested.masked_select requires a strided {name}, given{':' * (name == 'mask')} {given.layout}",
            )
    lengths = mask.expand(tensor.shape).sum(dim=tensor.dim() - 1).view(-1)
    offsets = _core.functions["cat"]([lengths.new_zeros(1), lengths.cumsum(0)])
    return wrapped(tensor.masked_select(mask), Pattern(offsets))
