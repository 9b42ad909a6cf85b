"""Linear algebra, as torch.linalg: the functions of the core that begin with `linalg_`.

Their bodies are in the files beside this one, one subject each; core/bindings/calls/python_operations.cpp says how they
are bound. LAPACK does the factorisations (`lapack`), and the derivatives stand beside the functions.
"""

from .. import _core
from .failures import LinAlgError

_PREFIX = "linalg_"
_functions = {name.removeprefix(_PREFIX): f for name, f in _core.functions.items() if name.startswith(_PREFIX)}
_functions["matmul"] = _core.functions["matmul"]
__all__ = ["LinAlgError", *sorted(_functions)]

globals().update(_functions)
