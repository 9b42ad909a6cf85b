"""finfo and iinfo: the limits of the number types."""

from . import _core
from .error_words import at_call

_FLOATS = {
    # name: (bits, eps, smallest normal, max, resolution, smallest subnormal)
    "float16": (16, 2.0**-10, 2.0**-14, 65504.0, 1e-3, 2.0**-24),
    "bfloat16": (16, 2.0**-7, 2.0**-126, (2 - 2.0**-7) * 2.0**127, 1e-2, 2.0**-133),
    "float32": (32, 2.0**-23, 2.0**-126, (2 - 2.0**-23) * 2.0**127, 1e-6, 2.0**-149),
    "float8_e4m3fn": (8, 2.0**-3, 2.0**-6, 448.0, 1.0, 2.0**-9),
    "float8_e4m3fnuz": (8, 2.0**-3, 2.0**-7, 240.0, 1.0, 2.0**-10),
    "float8_e5m2": (8, 2.0**-2, 2.0**-14, 57344.0, 1.0, 2.0**-16),
    "float8_e5m2fnuz": (8, 2.0**-3, 2.0**-15, 57344.0, 1.0, 2.0**-17),
    "float8_e8m0fnu": (8, 1.0, 2.0**-127, 2.0**127, 1.0, 2.0**-127),
    "float64": (64, 2.0**-52, 2.0**-1022, (2 - 2.0**-52) * 2.0**1023, 1e-15, 2.0**-1074),
}


def _name(dtype: object) -> str:
    return repr(dtype).removeprefix("torch.")


_PYTHON_TYPES = {float: _core.float64, int: _core.int64, bool: _core.bool, complex: _core.complex128}


def _checked(function: str, dtype) -> _core.dtype:
    if isinstance(dtype, _core.dtype):
        return dtype
    if isinstance(dtype, type) and dtype in _PYTHON_TYPES:
        return _PYTHON_TYPES[dtype]
    raise at_call(
        TypeError, f"{function}(): argument 'type' (position 1) must be torch.dtype, not {type(dtype).__name__}"
    )


def _real_name(dtype) -> str:
    return _name((_core.get_default_dtype() if dtype is None else _checked("finfo", dtype)).to_real())


class finfo:  # noqa: N801
    """The limits of a floating type; of a complex type, those of its parts.

    >>> torch.finfo(torch.float32).eps
    1.1920928955078125e-07
    >>> torch.finfo(torch.bfloat16).max
    3.3895313892515355e+38
    """

    def __init__(self, type: _core.dtype | None = None):
        name = _real_name(type)
        if name not in _FLOATS:
            raise at_call(
                TypeError, f"torch.finfo() requires a floating point input type. Use torch.iinfo to handle '{name}'"
            )
        self.dtype = name
        self.bits, self.eps, self.tiny, self.max, self.resolution, self.smallest_subnormal = _FLOATS[name]
        self.min = self.tiny if name.endswith("e8m0fnu") else -self.max  # a type without signs
        self.smallest_normal = self.tiny

    def __repr__(self) -> str:
        fields = ("resolution", "min", "max", "eps", "smallest_normal", "tiny")
        return f"finfo({', '.join(f'{k}={getattr(self, k):g}' for k in fields)}, dtype={self.dtype})"


class iinfo:  # noqa: N801
    """The limits of an integer type.

    >>> torch.iinfo(torch.int8).min, torch.iinfo(torch.int8).max
    (-128, 127)
    """

    def __init__(self, type: _core.dtype):
        type = _checked("iinfo", type)
        name = _name(type)
        if name == "bool":
            raise at_call(TypeError, "torch.bool is not supported by torch.iinfo")
        if type.is_floating_point or type.is_complex:
            raise at_call(
                TypeError, f"torch.iinfo() requires an integer input type. Use torch.finfo to handle '{name}'"
            )
        self.dtype, self.bits = name, 8 * type.itemsize
        self.min = -(1 << (self.bits - 1)) if type.is_signed else 0
        self.max = (1 << (self.bits - 1)) - 1 if type.is_signed else (1 << self.bits) - 1

    def __repr__(self) -> str:
        return f"iinfo(min={self.min:g}, max={self.max:g}, dtype={self.dtype})"  # as floats, as in PyTorch
