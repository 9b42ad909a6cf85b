"""autocast: regions in which operations choose their own precision."""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Literal

from .. import _core
from .._core import Tensor
from ..cuda.devices import is_available
from ..error_words import at_call
from ..user_warning import warn_user
from .state import (
    autocast_decrement_nesting,
    autocast_increment_nesting,
    clear_autocast_cache,
    get_autocast_dtype,
    is_autocast_available,
    is_autocast_cache_enabled,
    is_autocast_enabled,
    set_autocast_cache_enabled,
    set_autocast_dtype,
    set_autocast_enabled,
)

__all__ = ["autocast", "autocast_decorator", "custom_bwd", "custom_fwd", "is_autocast_available"]

_SUPPORTED = (_core.bfloat16, _core.float16)


def autocast_decorator(autocast_instance: autocast, func: Callable) -> Callable:
    """`func`, run in that region."""

    @functools.wraps(func)
    def decorated(*args: Any, **kwargs: Any) -> Any:
        with autocast_instance:
            return func(*args, **kwargs)

    return decorated


class autocast:  # noqa: N801
    """Products and convolutions run in a lower precision, losses in float32; a context manager and a decorator.

    Args:
        device_type: "cpu" or "cuda"; regions of other devices change nothing.
        dtype: the lower precision, bfloat16 or float16; get_autocast_dtype(device_type) if None.
        enabled: False makes a region without autocast inside another.
        cache_enabled: whether the lower form of weights is kept until the outermost region ends.

    >>> with torch.amp.autocast("cpu", dtype=torch.bfloat16):
    ...     (torch.ones(2, 2) @ torch.ones(2, 2)).dtype
    torch.bfloat16
    """

    def __init__(
        self,
        device_type: str,
        dtype: _core.dtype | None = None,
        enabled: bool = True,
        cache_enabled: bool | None = None,
    ):
        is_autocast_available(device_type)  # raises for those that nobody knows
        self.device = device_type
        self.fast_dtype = get_autocast_dtype(device_type) if dtype is None else dtype
        self._cache_enabled = is_autocast_cache_enabled() if cache_enabled is None else cache_enabled
        if enabled and device_type == "cuda" and not is_available():
            warn_user("CUDA is not available or torch_xla is imported. Disabling autocast.")
            enabled = False
        elif enabled and self.fast_dtype not in _SUPPORTED:
            name = device_type.upper()
            warn_user(
                f"In {name} autocast, but the target dtype is not supported. Disabling autocast.\n{name} Autocast only "
                "supports dtypes of torch.bfloat16, torch.float16 currently."
            )
            enabled = False
        self._enabled = enabled
        self._before: list[tuple[bool, _core.dtype, bool]] = []  # one instance may be entered inside itself

    def __enter__(self) -> autocast:
        device = self.device
        self._before.append((is_autocast_enabled(device), get_autocast_dtype(device), is_autocast_cache_enabled()))
        set_autocast_dtype(device, self.fast_dtype)
        set_autocast_enabled(device, self._enabled)
        set_autocast_cache_enabled(self._cache_enabled)
        autocast_increment_nesting()
        return self

    def __exit__(self, *exception: object) -> Literal[False]:
        if autocast_decrement_nesting() == 0:
            clear_autocast_cache()
        enabled, dtype, caches = self._before.pop()
        set_autocast_enabled(self.device, enabled)
        set_autocast_dtype(self.device, dtype)
        set_autocast_cache_enabled(caches)
        return False

    def __call__(self, func: Callable) -> Callable:
        if not callable(func):
            raise at_call(
                TypeError,
                f"autocast()(func) requires a callable, but got {type(func).__name__}. Did you mean to use autocast as "
                "a context manager? For example:\n    with torch.autocast(device_type=...):\n        output = "
                "model(input)",
            )
        return autocast_decorator(self, func)


# ---- functions with a gradient of their own


def cast(value: Any, device_type: str, dtype: _core.dtype) -> Any:
    """`value` with the floating-point tensors in it cast, except those of float64."""
    if isinstance(value, Tensor):
        floats = value.is_floating_point() and value.dtype is not _core.float64
        return value.to(dtype) if floats and value.device.type == device_type else value
    numpy = sys.modules.get("numpy")
    if isinstance(value, (str, bytes)) or (numpy is not None and isinstance(value, numpy.ndarray)):
        return value
    if isinstance(value, Mapping):
        return {cast(k, device_type, dtype): cast(v, device_type, dtype) for k, v in value.items()}
    if isinstance(value, Iterable):
        items = (cast(item, device_type, dtype) for item in value)
        return type(value)(items) if isinstance(value, (list, tuple)) else items  # pyright: ignore[reportCallIssue]
    return value


def custom_fwd(
    fwd: Callable | None = None, *, device_type: str, cast_inputs: _core.dtype | None = None
) -> Callable[..., Any]:
    """For the forward of an autograd.Function: casts its inputs and runs without autocast, or notes its state.

    Args:
        fwd: the forward; without it, the result is a decorator.
        device_type: whose autocast.
        cast_inputs: what floating-point inputs become inside an autocast region; None leaves inputs and autocast alone.

    >>> class Square(torch.autograd.Function):
    ...     @staticmethod
    ...     @torch.amp.custom_fwd(device_type="cpu")
    ...     def forward(ctx, x):
    ...         ctx.save_for_backward(x)
    ...         return x * x
    ...     @staticmethod
    ...     @torch.amp.custom_bwd(device_type="cpu")
    ...     def backward(ctx, g):
    ...         return 2 * ctx.saved_tensors[0] * g
    >>> Square.apply(torch.tensor(3.))
    tensor(9.)
    """
    if not isinstance(device_type, str):
        raise at_call(ValueError, f"Expected `device_type` of type `str`, got: `{type(device_type)}`")
    if fwd is None:
        return functools.partial(custom_fwd, device_type=device_type, cast_inputs=cast_inputs)

    @functools.wraps(fwd)
    def decorated(ctx: Any, *args: Any, **kwargs: Any) -> Any:
        ctx._dtype = get_autocast_dtype(device_type)
        inside = is_autocast_enabled(device_type)
        ctx._fwd_used_autocast = inside and cast_inputs is None
        if cast_inputs is None or not inside:
            return fwd(ctx, *args, **kwargs)
        with autocast(device_type=device_type, enabled=False):
            return fwd(ctx, *cast(args, device_type, cast_inputs), **cast(kwargs, device_type, cast_inputs))

    return decorated


def custom_bwd(bwd: Callable | None = None, *, device_type: str) -> Callable[..., Any]:
    """For the backward of an autograd.Function: runs it with autocast as it was for the forward.

    >>> class Double(torch.autograd.Function):
    ...     @staticmethod
    ...     @torch.amp.custom_fwd(device_type="cpu")
    ...     def forward(ctx, x):
    ...         return 2 * x
    ...     @staticmethod
    ...     @torch.amp.custom_bwd(device_type="cpu")
    ...     def backward(ctx, g):
    ...         return 2 * g
    >>> x = torch.tensor(3., requires_grad=True)
    >>> Double.apply(x).backward()
    >>> x.grad
    tensor(2.)
    """
    if not isinstance(device_type, str):
        raise at_call(ValueError, f"Expected `device_type` of type `str`, got: `{type(device_type)}`")
    if bwd is None:
        return functools.partial(custom_bwd, device_type=device_type)

    @functools.wraps(bwd)
    def decorated(ctx: Any, *args: Any, **kwargs: Any) -> Any:
        with autocast(device_type=device_type, enabled=ctx._fwd_used_autocast, dtype=ctx._dtype):
            return bwd(ctx, *args, **kwargs)

    return decorated
