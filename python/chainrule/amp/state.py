"""Whether autocast is on, and to which dtype, by device type and thread."""

from __future__ import annotations

import threading

from .. import _core
from ..error_words import at_call
from ..user_warning import warn_user

# Those that PyTorch knows an autocast for. The core has the CPU's and that of GPUs; the others are kept for who asks.
_OTHERS = {
    "hpu": _core.bfloat16,
    "ipu": _core.float16,
    "maia": _core.bfloat16,
    "mps": _core.float16,
    "mtia": _core.bfloat16,
    "privateuseone": _core.float16,
    "xla": _core.bfloat16,
    "xpu": _core.float16,
}


class _OfOtherDevices(threading.local):
    def __init__(self):
        self.enabled = dict.fromkeys(_OTHERS, False)
        self.dtypes = dict(_OTHERS)


_others = _OfOtherDevices()


def is_autocast_available(device_type: str) -> bool:
    """Whether autocast knows this type of device.

    >>> torch.amp.is_autocast_available("cpu")
    True
    """
    return device_type != "meta" and bool(_checked(device_type))


def _checked(device_type: str) -> str:
    if not isinstance(device_type, str):
        raise at_call(ValueError, f"Expected `device_type` of type `str`, got: `{type(device_type)}`")
    if device_type == "meta":
        raise at_call(RuntimeError, "unsupported scalarType: autocast has no dtype for meta tensors")
    if device_type not in ("cpu", "cuda") and device_type not in _OTHERS:
        _core.device(device_type)  # raises, in the words for what is wrong with it
        raise at_call(RuntimeError, f"Invalid device string: '{device_type}'")
    return device_type


def is_autocast_enabled(device_type: str = "cuda") -> bool:
    """Whether autocast is on for this type of device, on this thread; of the CPU, say is_autocast_enabled("cpu").

    >>> torch.is_autocast_enabled("cpu")
    False
    """
    if _checked(device_type) in _OTHERS:
        return _others.enabled[device_type]
    return _core.autocasts(device_type == "cuda")


def set_autocast_enabled(device_type: str | bool, enabled: bool | None = None) -> None:
    """Switches autocast on or off for a type of device; set_autocast_enabled(on) means cuda's, as in PyTorch.

    >>> torch.set_autocast_enabled("cpu", torch.is_autocast_enabled("cpu"))
    """
    if enabled is None:
        device_type, enabled = "cuda", bool(device_type)
    if not isinstance(device_type, str):
        raise at_call(
            TypeError, f"set_autocast_enabled(): argument 'device_type' must be str, not {type(device_type).__name__}"
        )
    if _checked(device_type) in _OTHERS:
        _others.enabled[device_type] = enabled
    else:
        _core.set_autocasts(device_type == "cuda", enabled)


def get_autocast_dtype(device_type: str) -> _core.dtype:
    """The lower precision that autocast uses on this type of device.

    >>> torch.get_autocast_dtype("cpu")
    torch.bfloat16
    """
    if _checked(device_type) in _OTHERS:
        return _others.dtypes[device_type]
    return _core.get_autocast_dtype(device_type == "cuda")


def set_autocast_dtype(device_type: str, dtype: _core.dtype) -> None:
    """Chooses the lower precision that autocast uses on this type of device.

    >>> torch.set_autocast_dtype("cpu", torch.get_autocast_dtype("cpu"))
    """
    if _checked(device_type) in _OTHERS:
        _others.dtypes[device_type] = dtype
    else:
        _core.set_autocast_dtype(device_type == "cuda", dtype)


def is_autocast_cache_enabled() -> bool:
    """Whether autocast keeps the lower form of weights until the outermost region ends.

    >>> torch.is_autocast_cache_enabled()
    True
    """
    return _core.is_autocast_cache_enabled()


def set_autocast_cache_enabled(enabled: bool) -> None:
    """Whether autocast keeps the lower form of weights until the outermost region ends.

    >>> torch.set_autocast_cache_enabled(torch.is_autocast_cache_enabled())
    """
    _core.set_autocast_cache_enabled(enabled)


def clear_autocast_cache() -> None:
    """Lets go of the lower form of weights.

    >>> torch.clear_autocast_cache()
    """
    _core.clear_autocast_cache()


def autocast_increment_nesting() -> int:
    """Notes that a region begins; gives the number of regions around.

    >>> depth = torch.autocast_increment_nesting()
    >>> torch.autocast_decrement_nesting() == depth - 1
    True
    """
    return _core.change_autocast_nesting(1)


def autocast_decrement_nesting() -> int:
    """Notes that a region ends; gives the number of regions left.

    >>> depth = torch.autocast_increment_nesting()
    >>> torch.autocast_decrement_nesting() == depth - 1
    True
    """
    return _core.change_autocast_nesting(-1)


# ---- PyTorch's older names


def _renamed(old: str, new: str) -> None:
    warn_user(f"torch.{old} is deprecated. Please use torch.{new} instead.", DeprecationWarning)


def is_autocast_cpu_enabled() -> bool:
    """The same as is_autocast_enabled("cpu").

    >>> torch.is_autocast_cpu_enabled()
    False
    """
    _renamed("is_autocast_cpu_enabled()", "is_autocast_enabled('cpu')")
    return is_autocast_enabled("cpu")


def set_autocast_cpu_enabled(enabled: bool) -> None:
    """The same as set_autocast_enabled("cpu", enabled).

    >>> torch.set_autocast_cpu_enabled(torch.is_autocast_cpu_enabled())
    """
    _renamed("set_autocast_cpu_enabled(enabled)", "set_autocast_enabled('cpu', enabled)")
    set_autocast_enabled("cpu", enabled)


def get_autocast_cpu_dtype() -> _core.dtype:
    """The same as get_autocast_dtype("cpu").

    >>> torch.get_autocast_cpu_dtype()
    torch.bfloat16
    """
    _renamed("get_autocast_cpu_dtype()", "get_autocast_dtype('cpu')")
    return get_autocast_dtype("cpu")


def set_autocast_cpu_dtype(dtype: _core.dtype) -> None:
    """The same as set_autocast_dtype("cpu", dtype).

    >>> torch.set_autocast_cpu_dtype(torch.get_autocast_cpu_dtype())
    """
    _renamed("set_autocast_cpu_dtype(dtype)", "set_autocast_dtype('cpu', dtype)")
    set_autocast_dtype("cpu", dtype)


def get_autocast_gpu_dtype() -> _core.dtype:
    """The same as get_autocast_dtype("cuda").

    >>> torch.get_autocast_gpu_dtype()
    torch.float16
    """
    _renamed("get_autocast_gpu_dtype()", "get_autocast_dtype('cuda')")
    return get_autocast_dtype("cuda")


def set_autocast_gpu_dtype(dtype: _core.dtype) -> None:
    """The same as set_autocast_dtype("cuda", dtype).

    >>> torch.set_autocast_gpu_dtype(torch.get_autocast_gpu_dtype())
    """
    _renamed("set_autocast_gpu_dtype(dtype)", "set_autocast_dtype('cuda', dtype)")
    set_autocast_dtype("cuda", dtype)
