"""torch._ops: the classes of what torch.ops has."""

from . import ops as ops
from .compat.refusal import refused_class
from .ops.dispatcher_names import Namespace as _OpNamespace  # noqa: F401
from .ops.dispatcher_names import OpOverload as OpOverload
from .ops.dispatcher_names import OpOverloadPacket as OpOverloadPacket

HigherOrderOperator = refused_class(
    "_ops.HigherOrderOperator", "chainrule has no dispatcher; a Python function can take functions as arguments"
)
