"""The settings of PyTorch's compiler that scripts change; chainrule does not compile, so they change nothing."""

from ..compiler import allow_in_graph as allow_in_graph
from ..compiler import assume_constant_result as assume_constant_result
from ..compiler import disable as disable
from ..compiler import is_compiling as is_compiling
from ..compiler import list_backends as list_backends
from ..compiler import reset as reset
from . import config as config
from .optimized_module import OptimizedModule as OptimizedModule


def mark_static_address(t: object, guard: bool = False) -> None:
    """Does nothing: no compiled code remembers where a tensor lies."""


def mark_dynamic(t: object, index: object, **hints: object) -> None:
    """Does nothing: every size may change from call to call."""


def reset_code_caches() -> None:
    """Does nothing: there is no compiled code."""


mark_static = maybe_mark_dynamic = mark_unbacked = mark_dynamic

from . import eval_frame as eval_frame  # noqa: E402  (it asks for the class above)
