"""Special functions, as torch.special: the core's functions whose names begin with `special_`."""

from . import _core

_PREFIX = "special_"
__all__ = sorted(name.removeprefix(_PREFIX) for name in _core.functions if name.startswith(_PREFIX))

globals().update({name: _core.functions[_PREFIX + name] for name in __all__})
