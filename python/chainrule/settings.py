"""Switches that PyTorch programs set: determinism, precision, devices, threads."""

from __future__ import annotations

from importlib import import_module
from types import ModuleType
from typing import Any

from . import _core
from .error_words import at_call
from .user_warning import warn_user

# ---- determinism: on the CPU results never depend on threads or timing; on a GPU some do unless it is asked for

_deterministic, _warn_only = False, False
_fills_new_memory = True
_DEBUG_MODES = {"default": 0, "warn": 1, "error": 2}


def use_deterministic_algorithms(mode: bool, *, warn_only: bool = False) -> None:
    """Asks for deterministic algorithms; on the CPU there are no others. New memory is filled with NaN meanwhile.

    put_() and max_unpool raise, as in PyTorch: what they write twice is not the same everywhere. warn_only: they warn.

    >>> torch.use_deterministic_algorithms(False)
    """
    global _deterministic, _warn_only
    if not isinstance(mode, bool):
        raise at_call(
            TypeError,
            "_set_deterministic_algorithms(): argument 'mode' (position 1) must be bool, not " + type(mode).__name__,
        )
    if not isinstance(warn_only, bool):
        raise at_call(
            TypeError,
            "_set_deterministic_algorithms(): argument 'warn_only' must be bool, not " + type(warn_only).__name__,
        )
    _deterministic, _warn_only = mode, warn_only
    _core.set_fills_new_memory(_deterministic and _fills_new_memory)
    _core.set_only_deterministic(mode, warn_only)
    _core._cuda.set_only_deterministic(mode)


def get_fill_uninitialized_memory() -> bool:
    """Whether empty() and its kin fill what they make, while deterministic algorithms are asked for."""
    return _fills_new_memory


def set_fill_uninitialized_memory(mode: bool) -> None:
    """Sets it: floating-point memory is then NaN, integers are the largest of their dtype."""
    global _fills_new_memory
    _fills_new_memory = mode
    _core.set_fills_new_memory(_deterministic and mode)


def are_deterministic_algorithms_enabled() -> bool:
    """Whether deterministic algorithms were asked for.

    >>> torch.are_deterministic_algorithms_enabled()
    False
    """
    return _deterministic


def is_deterministic_algorithms_warn_only_enabled() -> bool:
    """Whether they were asked for with warn_only.

    >>> torch.is_deterministic_algorithms_warn_only_enabled()
    False
    """
    return _warn_only


def get_deterministic_debug_mode() -> int:
    """0 for not asked for, 1 with warn_only, 2 without.

    >>> torch.get_deterministic_debug_mode()
    0
    """
    return (1 if _warn_only else 2) if _deterministic else 0


def set_deterministic_debug_mode(debug_mode: int | str) -> None:
    """use_deterministic_algorithms by number or name.

    >>> torch.set_deterministic_debug_mode("default")
    """
    if not isinstance(debug_mode, (int, str)):
        raise at_call(TypeError, f"debug_mode must be str or int, but got {type(debug_mode)}")
    if isinstance(debug_mode, str):
        if debug_mode not in _DEBUG_MODES:
            raise at_call(
                RuntimeError,
                "invalid value of debug_mode, expected one of `default`, `warn`, `error`, but got " + debug_mode,
            )
        debug_mode = _DEBUG_MODES[debug_mode]
    if debug_mode not in _DEBUG_MODES.values():
        raise at_call(RuntimeError, f"invalid value of debug_mode, expected 0, 1, or 2, but got {debug_mode}")
    use_deterministic_algorithms(debug_mode > 0, warn_only=debug_mode == 1)


# ---- precision

_matmul_precision = "highest"


def get_float32_matmul_precision() -> str:
    """The precision that was asked for.

    >>> torch.get_float32_matmul_precision()
    'highest'
    """
    return _matmul_precision


def set_float32_matmul_precision(precision: str) -> None:
    """Allows less precise products of float32 matrices: on a GPU their factors are rounded to TF32 then.

    >>> torch.set_float32_matmul_precision("highest")
    """
    global _matmul_precision
    if precision in ("highest", "high", "medium"):
        _matmul_precision = precision
        _core._cuda.set_allow_tf32(precision != "highest")
        return
    warn_user(
        f"{precision} is not one of 'highest', 'high', or 'medium'; the current setFloat32MatmulPrecision call has no "
        "effect."
    )


def set_flush_denormal(mode: bool) -> bool:
    """False, which says that the switch does not exist: tiny numbers are kept."""
    return False


# ---- devices


def get_default_device() -> _core.device:
    """Where tensors are made unless a device is given.

    >>> torch.get_default_device()
    device(type='cpu')
    """
    return _core.default_device()


def set_default_device(device: Any) -> None:
    """Says where tensors are made from now on: "cpu", "meta", or None for the CPU; anything else raises.

    >>> torch.set_default_device("cpu")
    >>> torch.set_default_device(None)
    """
    _core.set_default_device(device)


def get_device_module(device: Any = None) -> ModuleType:
    """The module that has the functions of a device; without one, that of a GPU if there is one, else chainrule.cpu.

    >>> torch.get_device_module("cpu").__name__.endswith(".cpu")
    True
    """
    gpu = "cuda" if _core._cuda.device_count()[0] else "cpu"
    kind = gpu if device is None else _core.device(device).type
    return import_module(f"{__package__}.{kind}")


# ---- threads and warnings

_warn_always = False


def get_num_interop_threads() -> int:
    """1: operations run one after another on the caller's thread.

    >>> torch.get_num_interop_threads() >= 1
    True
    """
    return 1


def set_num_interop_threads(num: int) -> None:
    """Takes only 1: operations run one after another on the caller's thread."""
    if num != 1:
        raise at_call(
            RuntimeError, f"set_num_interop_threads({num}): chainrule runs operations one after another, on one thread"
        )


def set_warn_always(b: bool) -> None:
    """Whether what is warned of once in a process is said each time.

    >>> torch.set_warn_always(False)
    """
    global _warn_always
    _warn_always = b
    _core.set_warns_always(bool(b))


def is_warn_always_enabled() -> bool:
    """What set_warn_always() was given.

    >>> torch.is_warn_always_enabled()
    False
    """
    return _warn_always


def compiled_with_cxx11_abi() -> bool:
    """True: the core uses the C++11 ABI.

    >>> torch.compiled_with_cxx11_abi()
    True
    """
    return True
