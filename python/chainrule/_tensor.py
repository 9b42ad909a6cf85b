"""torch._tensor: where PyTorch defines Tensor."""

from ._core import Tensor as Tensor
from ._utils import _rebuild_from_type_v2 as _rebuild_from_type_v2
