"""torch.library: operations that a program makes of Python functions, with gradients of their own."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from ._core import Tensor
from .autograd.function import Function
from .ops.dispatcher_names import Namespace
from .refusal import refused, refused_class

__all__ = ["CustomOpDef", "custom_op", "register_autograd", "register_fake"]

_DISPATCHER = "chainrule has no dispatcher to register with; torch.library.custom_op makes an operation"
_defined: dict[str, CustomOpDef] = {}


class CustomOpDef:
    """An operation made of a Python function; torch.ops has it by its name. Gradients come from register_autograd."""

    def __init__(self, name: str, function: Callable) -> None:
        self._qualname, self._function = name, function
        self._namespace, self._name = name.split("::")
        self._signature = inspect.signature(function)
        self._backward: Callable | None = None
        self._setup_context: Callable | None = None
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

    @functools.cached_property
    def _node(self) -> type[Function]:
        """The autograd.Function of the operation."""

        def forward(ctx: Any, *args: Any) -> Any:
            result = self._function(*args)
            if self._setup_context is not None:
                names = inspect.signature(self._setup_context).parameters
                keywords = {"keyword_only_inputs": {}} if "keyword_only_inputs" in names else {}
                self._setup_context(ctx=ctx, inputs=args, output=result, **keywords)
            return result

        def backward(ctx: Any, *gradients: Tensor) -> Any:
            if self._backward is None:
                raise RuntimeError(
                    f"Trying to backward through {self._namespace}.{self._name}.default but no autograd formula was "
                    "registered. Please use register_autograd to add one."
                )
            return self._backward(ctx, *gradients)

        members = {"forward": staticmethod(forward), "backward": staticmethod(backward)}
        return type(f"GeneratedBackwardFor_{self._namespace}_{self._name}_default", (Function,), members)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        bound = self._signature.bind(*args, **kwargs)
        bound.apply_defaults()
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
        raise ValueError(f"Expected the name of the op to be in the form 'namespace::name', got {name!r}")
    op = _defined[name] = CustomOpDef(name, fn)
    namespace, short = name.split("::")
    from . import ops

    setattr(_namespace(ops, namespace), short, op)
    return op


def _namespace(ops: Any, name: str) -> Namespace:
    return getattr(ops, name)


def _op(op: Any) -> CustomOpDef:
    found = op if isinstance(op, CustomOpDef) else _defined.get(op)
    if found is None:
        raise RuntimeError(f"torch.library: there is no operation {op}; torch.library.custom_op makes one")
    return found


def register_autograd(
    op: str | CustomOpDef, backward: Callable, /, *, setup_context: Callable | None = None, lib: Any = None
) -> None:
    """Gives an operation of custom_op its gradient."""
    _op(op).register_autograd(backward, setup_context=setup_context)


def register_kernel(
    op: str | CustomOpDef, device_types: str | Sequence[str] | None, func: Callable | None = None, /, *, lib: Any = None
) -> Any:
    """Another function for an operation of custom_op."""
    return _op(op).register_kernel(device_types, func)


def register_fake(op: Any, func: Callable | None = None, /, *, lib: Any = None, _stacklevel: int = 1) -> Any:
    """Returns the function: it is for who traces, and chainrule runs."""
    return (lambda each: each) if func is None else func


impl_abstract = register_fake
define, impl, register_vmap = (
    refused(f"library.{_name}", _DISPATCHER) for _name in ("define", "impl", "register_vmap")
)
Library = refused_class("library.Library", _DISPATCHER)
