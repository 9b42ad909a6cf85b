"""torch.library: operations that a program makes of Python functions, with gradients of their own."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from ._core import Tensor, is_grad_enabled
from .autograd.function import Function
from .compat.refusal import refused
from .error_words import at_call
from .library_definitions import Library, announce, define, find, impl
from .operation_schemas import infer_schema

__all__ = [
    "CustomOpDef",
    "Library",
    "custom_op",
    "define",
    "impl",
    "infer_schema",
    "register_autograd",
    "register_fake",
]

_DISPATCHER = "chainrule has no dispatcher to register with; torch.library.custom_op makes an operation"


def function_node(
    qualname: str, calculate: Callable, gradient: Callable | None, keep: Callable | None
) -> type[Function]:
    """The autograd.Function of an operation.

    Args:
        calculate: its function, of arguments by position.
        gradient: `gradient(ctx, *gradients)`; None raises when it is asked for.
        keep: `keep(ctx, inputs, output)` keeps what the gradient needs.
    """
    library, name = qualname.split("::")

    def forward(ctx: Any, *args: Any) -> Any:
        result = calculate(*args)
        if keep is not None:
            names = inspect.signature(keep).parameters
            keywords = {"keyword_only_inputs": {}} if "keyword_only_inputs" in names else {}
            keep(ctx=ctx, inputs=args, output=result, **keywords)
        return result

    def backward(ctx: Any, *gradients: Tensor) -> Any:
        if gradient is None:
            raise at_call(
                RuntimeError,
                f"Trying to backward through {library}.{name}.default but no autograd formula was registered. Please "
                "use register_autograd to add one.",
            )
        return gradient(ctx, *gradients)

    members = {"forward": staticmethod(forward), "backward": staticmethod(backward)}
    return type(f"GeneratedBackwardFor_{library}_{name}_default", (Function,), members)


class CustomOpDef:
    """An operation made of a Python function; torch.ops has it by its name. Gradients come from register_autograd."""

    def __init__(self, name: str, function: Callable) -> None:
        self._qualname, self._function = name, function
        self._namespace, self._name = name.split("::")
        self._signature = inspect.signature(function)
        self._backward: Callable | None = None
        self._setup_context: Callable | None = None
        self._recording: Callable | None = None  # its gradient is that of the operations in it
        functools.update_wrapper(self, function)

    @property
    def default(self) -> CustomOpDef:
        """Its only signature."""
        return self

    @property
    def _opoverload(self) -> CustomOpDef:
        return self

    def register_autograd(self, backward: Callable, /, *, setup_context: Callable | None = None) -> None:
        """`setup_context(ctx, inputs, output)` keeps what `backward(ctx, *gradients)` needs."""
        self._backward, self._setup_context = backward, setup_context
        self.__dict__.pop("_node", None)

    def register_fake(self, fn: Callable, /) -> Callable:
        """Returns the function. It says what the result's shape is to who traces; chainrule runs and never traces."""
        return fn

    def register_kernel(self, device_types: str | Sequence[str] | None, func: Callable | None = None, /) -> Any:
        """For "cpu", or None for all devices: takes this function for the calculation."""
        if func is None:
            return lambda each: self.register_kernel(device_types, each)
        if device_types is None or "cpu" in device_types:
            self._function = func
        return func

    def register(self, key: str, function: Callable) -> None:
        """Another function for a dispatch key, from Library.impl; those of other devices are never called."""
        if key.upper() in ("CPU", "COMPOSITEIMPLICITAUTOGRAD", "COMPOSITEEXPLICITAUTOGRAD"):
            self._function = function
        elif key.upper() == "META":
            self.register_fake(function)
        elif key.upper() in ("AUTOGRAD", "AUTOGRADCPU"):
            self._recording = function

    @functools.cached_property
    def _node(self) -> type[Function]:
        return function_node(self._qualname, lambda *args: self._function(*args), self._backward, self._setup_context)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        bound = self._signature.bind(*args, **kwargs)
        bound.apply_defaults()
        if self._recording is not None and is_grad_enabled():
            return self._recording(*bound.args, **bound.kwargs)
        if bound.kwargs:  # arguments by keyword only have no gradient's place
            return self._function(*bound.args, **bound.kwargs)
        return self._node.apply(*bound.args)

    def __repr__(self) -> str:
        return f"<CustomOpDef({self._qualname})>"


def custom_op(
    name: str,
    fn: Callable | None = None,
    /,
    *,
    mutates_args: str | Iterable[str],
    device_types: str | Sequence[str] | None = None,
    schema: str | None = None,
    tags: Any = None,
) -> Any:
    """Makes an operation of a Python function, @custom_op("library::name", mutates_args=()). Its body has no history.

    >>> @torch.library.custom_op("shapes::area", mutates_args=())
    ... def area(r: torch.Tensor) -> torch.Tensor:
    ...     return 3 * r * r
    >>> area.register_autograd(lambda ctx, g: g * 6, setup_context=lambda ctx, inputs, output: None)
    >>> r = torch.tensor(1.0, requires_grad=True)
    >>> torch.ops.shapes.area(r).backward()
    >>> r.grad
    tensor(6.)
    """
    if fn is None:
        return lambda function: custom_op(
            name, function, mutates_args=mutates_args, device_types=device_types, schema=schema, tags=tags
        )
    if name.count("::") != 1:
        raise at_call(ValueError, f"Expected the name of the op to be in the form 'namespace::name', got {name!r}")
    op = CustomOpDef(name, fn)
    announce(name, op)
    return op


def register_autograd(
    op: Any, backward: Callable, /, *, setup_context: Callable | None = None, lib: Any = None
) -> None:
    """Gives an operation its gradient."""
    find(op).register_autograd(backward, setup_context=setup_context)


def register_kernel(
    op: Any, device_types: str | Sequence[str] | None, func: Callable | None = None, /, *, lib: Any = None
) -> Any:
    """Another function for an operation."""
    return find(op).register_kernel(device_types, func)


def register_fake(
    op: Any, func: Callable | None = None, /, *, lib: Any = None, _stacklevel: int = 1, allow_override: bool = False
) -> Any:
    """What the result of an operation looks like: tensors without elements take this function."""
    if func is None:
        return lambda each: register_fake(op, each)
    find(op).register_fake(func)
    return func


impl_abstract = register_fake


def fallthrough_kernel() -> None:
    """Raises: there is no dispatcher whose next way could be taken."""
    raise NotImplementedError("fallthrough_kernel() should never be called.")


def triton_op(
    name: str, fn: Callable | None = None, /, *, mutates_args: str | Iterable[str], schema: str | None = None
) -> Any:
    """custom_op: a compiler would look into the function, which none does here. Kernels of Triton raise."""
    return custom_op(name, fn, mutates_args=mutates_args, schema=schema)


(register_vmap, register_torch_dispatch, register_autocast, wrap_triton, opcheck, get_ctx, get_kernel) = (
    refused(f"library.{_name}", _DISPATCHER)
    for _name in (
        *("register_vmap", "register_torch_dispatch", "register_autocast", "wrap_triton", "opcheck"),
        *("get_ctx", "get_kernel"),
    )
)
