"""Fourier transforms, as torch.fft: the functions of the core that begin with `fft_`."""

from . import _core

_PREFIX = "fft_"
_functions = {name.removeprefix(_PREFIX): f for name, f in _core.functions.items() if name.startswith(_PREFIX)}
__all__ = sorted(_functions)

globals().update(_functions)
