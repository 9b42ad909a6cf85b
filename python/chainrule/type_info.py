"""finfo and iinfo: the limits of the number types."""

from . import _core

_FLOATS = {
    # name: (bits, eps, smallest normal, max, resolution, smallest subnormal)
    "float16": (16, 2.0**-10, 2.0**-14, 65504.0, 1e-3, 2.0**-24),
    "bfloat16": (16, 2.0**-7, 2.0**-126, (2 - 2.0**-7) * 2.0**127, 1e-2, 2.0**-133),
    "float32": (32, 2.0**-23, 2.0**-126, (2 - 2.0**-23) * 2.0**127, 1e-6, 2.0**-149),
    "float64": (64, 2.0**-52, 2.0**-1022, (2 - 2.0**-52) * 2.0**1023, 1e-15, 2.0**-1074),
}


def _name(dtype: _core.dtype) -> str:
    return repr(dtype).removeprefix("torch.")


class finfo:  # noqa: N801
    """The limits of a floating type; of a complex type, those of its parts."""

    def __init__(self, type: _core.dtype | None = None):
        name = _name((type or _core.get_default_dtype()).to_real())
        if name not in _FLOATS:
            raise TypeError(f"torch.finfo() requires a floating point input type. Use torch.iinfo to handle '{name}'")
        self.dtype = name
        self.bits, self.eps, self.tiny, self.max, self.resolution, self.smallest_subnormal = _FLOATS[name]
        self.min, self.smallest_normal = -self.max, self.tiny

    def __repr__(self) -> str:
        fields = ("resolution", "min", "max", "eps", "smallest_normal", "tiny")
        return f"finfo({', '.join(f'{k}={getattr(self, k):g}' for k in fields)}, dtype={self.dtype})"


class iinfo:  # noqa: N801
    """The limits of an integer type."""

    def __init__(self, type: _core.dtype):
        name = _name(type)
        if type.is_floating_point or type.is_complex or name == "bool":
            raise TypeError(f"torch.iinfo() requires an integer input type. Use torch.finfo to handle '{name}'")
        self.dtype, self.bits = name, 8 * type.itemsize
        self.min = -(1 << (self.bits - 1)) if type.is_signed else 0
        self.max = (1 << (self.bits - 1)) - 1 if type.is_signed else (1 << self.bits) - 1

    def __repr__(self) -> str:
        return f"iinfo(min={self.min}, max={self.max}, dtype={self.dtype})"
