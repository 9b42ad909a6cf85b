"""torch.ao.quantization: packages name its names in passing, so they can be imported; they raise when they are used."""

from ..compat.refusal import UNQUANTISED, refuses_all

__path__: list[str] = []  # a package: compat/stand_ins.py has its files
__getattr__ = refuses_all("ao.quantization", UNQUANTISED)
