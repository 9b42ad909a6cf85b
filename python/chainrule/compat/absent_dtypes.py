"""PyTorch's dtypes that chainrule leaves out. Packages name them in tables; a tensor of one cannot be made."""

from __future__ import annotations

from typing import NoReturn

from ..error_words import at_call

__all__ = [
    "bits1x8",
    "bits2x4",
    "bits4x2",
    "bits8",
    "bits16",
    "float4_e2m1fn_x2",
    "qint8",
    "qint32",
    "quint2x4",
    "quint4x2",
    "quint8",
    "uint1",
    "uint2",
    "uint3",
    "uint4",
    "uint5",
    "uint6",
    "uint7",
]


class AbsentDType:
    """The name of a dtype, and what can be said of it; functions refuse it as they refuse anything that is no dtype."""

    refusal = "chainrule has no such dtype"

    def __init__(self, name: str, itemsize: int, is_floating_point: bool) -> None:
        self._name, self.itemsize, self.is_floating_point = name, itemsize, is_floating_point
        self.is_complex, self.is_signed = False, name[0] not in "qb"

    def to_real(self) -> AbsentDType:
        """Itself."""
        return self

    def to_complex(self) -> NoReturn:
        """Raises: there is no complex dtype whose parts have this one."""
        words = self._name[0].upper() + self._name[1:].replace("uint", "UInt").replace("int", "Int")
        raise at_call(RuntimeError, f"Unknown Complex ScalarType for {words}")

    def __repr__(self) -> str:
        return f"torch.{self._name}"

    def __reduce__(self) -> str:
        return self._name


def _absent(name: str, itemsize: int, is_floating_point: bool) -> AbsentDType:
    """Each in a class of its own name: that is what the errors tell."""
    return type(name, (AbsentDType,), {"__module__": "chainrule"})(name, itemsize, is_floating_point)


float4_e2m1fn_x2 = _absent("float4_e2m1fn_x2", 1, True)
qint8, quint8, qint32 = (_absent(_name, _size, False) for _name, _size in (("qint8", 1), ("quint8", 1), ("qint32", 4)))
quint4x2, quint2x4 = _absent("quint4x2", 1, False), _absent("quint2x4", 1, False)
bits8, bits1x8, bits2x4, bits4x2 = (_absent(_name, 1, False) for _name in ("bits8", "bits1x8", "bits2x4", "bits4x2"))
uint1, uint2, uint3, uint4, uint5, uint6, uint7 = (_absent(f"uint{_bits}", 1, False) for _bits in range(1, 8))
bits16 = _absent("bits16", 2, False)
