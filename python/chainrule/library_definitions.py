"""torch.library's registrations by schema: define() names an operation, impl() says what calculates it.

Packages register dozens of operations while they are imported. What has a function for the CPU runs; what has one for
other devices only raises when it is called.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable
from typing import Any

from ._core import Tensor, is_grad_enabled
from .operation_schemas import parse_schema, split_schema
from .pytree import tree_leaves

__all__ = ["DefinedOp", "Library", "define", "find", "impl"]

_defined: dict[str, Any] = {}  # all operations of torch.library, by library::name
# Which registration a call on the CPU takes, the first that there is.
_ORDER = ("AUTOGRADCPU", "AUTOGRAD", "COMPOSITEIMPLICITAUTOGRAD", "CPU", "COMPOSITEEXPLICITAUTOGRAD", "DEFAULT")

# What packages ask their compiled libraries while they are imported: nothing in them is available.
_QUESTION = re.compile("_?cuda_version|is_[a-z0-9_]*available")
_ANY = inspect.Signature(
    [
        inspect.Parameter("args", inspect.Parameter.VAR_POSITIONAL),
        inspect.Parameter("kwargs", inspect.Parameter.VAR_KEYWORD),
    ]
)


class DefinedOp:
    """An operation with a schema; what calculates it was or will be registered."""

    def __init__(self, qualname: str, schema: str | None, compiled_in: str = "") -> None:
        self._qualname, self._schema, self._compiled_in = qualname, schema, compiled_in
        self._namespace, self._name = qualname.split("::")
        self.__name__ = self._name
        self._signature: inspect.Signature = _ANY if schema is None else parse_schema(schema)
        self._kernels: dict[str, Callable] = {}
        self._backward: Callable | None = None
        self._setup_context: Callable | None = None
        self._node: Any = None

    @property
    def default(self) -> DefinedOp:
        """Its only signature."""
        return self

    _opoverload = default

    def name(self) -> str:
        """library::name"""
        return self._qualname

    @property
    def refusal(self) -> str | None:
        """Why a call would raise, for `chainrule check`."""
        return None if any(key in self._kernels for key in _ORDER) else "no function for the CPU is registered"

    def register(self, key: str, function: Callable) -> None:
        """The function that calculates it for a device or dispatch key."""
        self._kernels[key.upper()] = function

    def register_autograd(self, backward: Callable, /, *, setup_context: Callable | None = None) -> None:
        """What its gradient is."""
        self._backward, self._setup_context, self._node = backward, setup_context, None

    def register_fake(self, fn: Callable, /) -> Callable:
        """What its result looks like, for tensors without elements."""
        self._kernels["META"] = fn
        return fn

    def register_kernel(self, device_types: Any, func: Callable | None = None, /) -> Any:
        """The function that calculates it on a device; None for all of them."""
        if func is None:
            return lambda each: self.register_kernel(device_types, each)
        for key in (device_types,) if isinstance(device_types, str) else device_types or ("default",):
            self.register(key, func)
        return func

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        bound = self._signature.bind(*args, **kwargs)
        bound.apply_defaults()
        function = self._function(bound)
        if self._backward is None or bound.kwargs or not is_grad_enabled():
            return function(*bound.args, **bound.kwargs)
        return self._recorded().apply(*bound.args)

    def _function(self, bound: inspect.BoundArguments) -> Callable:
        tensors = [leaf for leaf in tree_leaves(bound.arguments) if isinstance(leaf, Tensor)]
        if "META" in self._kernels and any(tensor.is_meta for tensor in tensors):
            return self._kernels["META"]
        key = next((key for key in _ORDER if key in self._kernels), None)
        if key is None and self._compiled_in and _QUESTION.fullmatch(self._name):
            return lambda: False if self._name.startswith("is_") else None
        if key is None:
            where = f"; it is compiled for PyTorch's own core, in {self._compiled_in}" if self._compiled_in else ""
            raise NotImplementedError(
                f"Could not run '{self._qualname}' with arguments from the 'CPU' backend. chainrule runs what "
                f'torch.library.impl("{self._qualname}", "CPU") registers, and nothing is{where}'
            )
        return self._kernels[key]

    def _recorded(self) -> Any:
        """The autograd.Function of an operation that has a gradient of its own."""
        if self._node is None:
            from .library import function_node

            def calculate(*args: Any) -> Any:
                return self._function(self._signature.bind(*args))(*args)

            self._node = function_node(self._qualname, calculate, self._backward, self._setup_context)
        return self._node

    def __repr__(self) -> str:
        return f"<OpOverload(op='{self._namespace}.{self._name}', overload='default')>"

    def __str__(self) -> str:
        return f"{self._namespace}.{self._name}.default"


def announce(qualname: str, op: Any) -> None:
    """Puts an operation under its name in torch.ops."""
    from . import ops

    _defined[qualname] = op
    library, name = qualname.split("::")
    setattr(getattr(ops, library), name, op)


def find(op: Any) -> Any:
    """An operation by its name, or the operation itself."""
    if not isinstance(op, str):
        return op
    op = op.removesuffix(".default")
    found = _defined.get(op) or _in_namespace(op)
    if found is None:
        raise RuntimeError(f"torch.library: there is no operation {op}; torch.library.define or custom_op makes one")
    return found


def _in_namespace(qualname: str) -> Any:
    """An operation that came with chainrule, or that a compiled library has."""
    from . import ops

    library, _, name = qualname.partition("::")
    return getattr(getattr(ops, library), name, None) if name and library != "aten" else None


def define(
    qualname: Any, schema: Any = None, *args: Any, lib: Any = None, alias_analysis: str = "", tags: Any = ()
) -> Any:
    """Names an operation "library::name" and its signature, "(Tensor x) -> Tensor".

    >>> torch.library.define("shapes::twice", "(Tensor x) -> Tensor")
    >>> @torch.library.impl("shapes::twice", "CPU")
    ... def twice(x):
    ...     return 2 * x
    >>> torch.ops.shapes.twice(torch.ones(2))
    tensor([2., 2.])
    """
    if isinstance(qualname, Library):  # define(library, schema), as a decorator
        name = qualname.define(schema, alias_analysis)
        return lambda function: qualname.impl(name, function) or function
    if not isinstance(qualname, str):
        raise ValueError(f"define(qualname, schema): expected qualname to be instance of str, got {type(qualname)}")
    if qualname.count("::") != 1:
        raise ValueError(f"Expected the name of the op to be in the form 'namespace::name', got {qualname!r}")
    if not schema.strip().startswith("("):
        raise ValueError(
            f'define(qualname, schema, ...): expected schema to look like e.g. "(Tensor x) -> Tensor" but got '
            f'"{schema}"'
        )
    announce(qualname, DefinedOp(qualname, schema))
    return None


def impl(qualname: Any, types: Any, func: Callable | None = None, *args: Any, lib: Any = None) -> Any:
    """Registers what calculates an operation: for "cpu", "default", or a dispatch key as "Autograd"."""
    if isinstance(qualname, Library):  # impl(library, name, key), as a decorator
        key = func if isinstance(func, str) else ""
        return lambda function: qualname.impl(types, function, key) or function
    if func is None:
        return lambda function: impl(qualname, types, function, lib=lib)
    for key in (types,) if isinstance(types, str) else types:
        find(qualname).register(key, func)
    return func


class Library:
    """A library of operations: Library("shapes", "DEF") makes them, with define() and impl().

    >>> library = torch.library.Library("figures", "DEF")
    >>> library.define("thrice(Tensor x) -> Tensor")
    'thrice'
    >>> library.impl("thrice", lambda x: 3 * x, "CPU")
    >>> torch.ops.figures.thrice(torch.ones(2))
    tensor([3., 3.])
    """

    def __init__(self, ns: str, kind: str, dispatch_key: str = "") -> None:
        if kind not in ("IMPL", "DEF", "FRAGMENT"):
            raise ValueError(f"Unsupported kind: {kind}")
        if ns in ("prim", "prims") and kind == "DEF":
            raise ValueError(f"{ns} is a reserved namespace. Please try creating a library with another name.")
        self.ns, self.kind, self.dispatch_key = ns, kind, dispatch_key

    def define(self, schema: str, alias_analysis: str = "", *, tags: Any = ()) -> str:
        """Names an operation and its signature, "name(Tensor x) -> Tensor"; gives the name."""
        if alias_analysis not in ("", "FROM_SCHEMA", "CONSERVATIVE"):
            raise RuntimeError(f"Invalid alias_analysis type {alias_analysis}")
        name, rest = split_schema(schema)
        announce(f"{self.ns}::{name}", DefinedOp(f"{self.ns}::{name}", rest))
        return name

    def impl(
        self,
        op_name: Any,
        fn: Callable,
        dispatch_key: str = "",
        *,
        with_keyset: bool = False,
        allow_override: bool = False,
    ) -> None:
        """Registers what calculates an operation."""
        if not callable(fn):
            raise TypeError(f"Input function is required to be a callable but found type {type(fn)}")
        if with_keyset:
            raise NotImplementedError("Library.impl: chainrule has no dispatcher, and so no set of keys to give")
        name = op_name if isinstance(op_name, str) else op_name.name()
        name = (name if "::" in name else f"{self.ns}::{name}").removesuffix(".default")
        if name.startswith("aten::"):
            raise NotImplementedError(
                f"Library.impl: chainrule's own operation {name} cannot be replaced; an autograd.Function or a "
                "TorchFunctionMode can stand around it"
            )
        find(name).register(dispatch_key or self.dispatch_key or "CompositeImplicitAutograd", fn)

    def fallback(self, fn: Callable, dispatch_key: str = "", *, with_keyset: bool = False) -> None:
        """Raises: there is no dispatcher that could fall back."""
        raise NotImplementedError("Library.fallback: chainrule has no dispatcher")

    def _register_fake(self, op_name: str, fn: Callable, _stacklevel: int = 1, *, allow_override: bool = False) -> None:
        find(op_name if "::" in op_name else f"{self.ns}::{op_name}").register_fake(fn)

    def _destroy(self) -> None:
        """Forgets the operations of the library."""
        from . import ops

        for qualname in [name for name in _defined if name.startswith(f"{self.ns}::")]:
            del _defined[qualname]
            vars(getattr(ops, self.ns)).pop(qualname.split("::")[1], None)
