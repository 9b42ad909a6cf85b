"""Special functions, as torch.special: the functions of the core that begin with `special_`, and three more."""

from . import _core

_PREFIX = "special_"
_functions = {name.removeprefix(_PREFIX): f for name, f in _core.functions.items() if name.startswith(_PREFIX)}
_functions |= {
    name: _core.functions[name] for name in ("softmax", "log_softmax", "logsumexp") if name in _core.functions
}
__all__ = sorted(_functions)

globals().update(_functions)
