"""torch.quantization: torch.ao.quantization by its old name. Its names raise when they are used."""

from .compat.refusal import UNQUANTISED, refuses_all

__path__: list[str] = []  # a package: compat/stand_ins.py has its files
__getattr__ = refuses_all("quantization", UNQUANTISED)
