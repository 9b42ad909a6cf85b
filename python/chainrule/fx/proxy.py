"""torch.fx.Proxy: what stands for a value while a program is recorded. What is done with it becomes a node."""

from __future__ import annotations

import dis
import enum
import operator
import sys
from collections import OrderedDict
from collections.abc import Callable, Iterator
from dataclasses import fields, is_dataclass
from typing import Any

from .._core import Generator, Size, device, dtype, layout, memory_format
from ..nn.parameter import Parameter
from ..ops.dispatcher_names import OpOverload, OpOverloadPacket
from ..overrides import is_tensor_method_or_property
from ..pytree import tree_leaves
from .code import magic_methods, reflectable_magic_methods
from .graph import Graph
from .node import Node, base_types, map_arg

__all__ = ["Attribute", "GraphAppendingTracer", "ParameterProxy", "Proxy", "TraceError", "TracerBase"]

_CONSTANTS = (*base_types, dtype, device, layout, memory_format, Generator, OpOverload, OpOverloadPacket, enum.Enum)


class TraceError(ValueError):
    """Raised where a program asks for a value that is not there yet, in an `if` or a loop."""


class Scope:
    """In which module the program is."""

    def __init__(self, module_path: str, module_type: Any) -> None:
        self.module_path, self.module_type = module_path, module_type


class TracerBase:
    """What makes nodes of the operations on proxies."""

    graph: Graph
    record_stack_traces = False
    check_mutable_operations = False
    trace_asserts = False
    proxy_buffer_attributes = False
    traced_func_name = "forward"
    scope: Scope
    module_stack: OrderedDict[str, tuple[str, Any]]
    node_name_to_scope: dict[str, tuple[str, Any]]

    def create_node(
        self,
        kind: str,
        target: Any,
        args: tuple,
        kwargs: dict[str, Any],
        name: str | None = None,
        type_expr: Any = None,
    ) -> Node:
        """Adds a node to the graph."""
        node = self.graph.create_node(kind, target, args, kwargs, name, type_expr)
        self.node_name_to_scope[node.name] = (self.scope.module_path, self.scope.module_type)
        if self.module_stack:
            node.meta["nn_module_stack"] = OrderedDict(self.module_stack)
        if self.record_stack_traces:
            node.stack_trace = _stack_trace()
        return node

    def proxy(self, node: Node) -> Proxy:
        """The value of a node, for the program that runs on."""
        return Proxy(node, self)

    def create_proxy(
        self,
        kind: str,
        target: Any,
        args: tuple,
        kwargs: dict[str, Any],
        name: str | None = None,
        type_expr: Any = None,
        proxy_factory_fn: Callable[[Node], Proxy] | None = None,
    ) -> Proxy:
        """Adds a node with arguments that may be proxies, and gives its value."""
        node = self.create_node(kind, target, self.create_arg(args), self.create_arg(kwargs), name, type_expr)
        return (proxy_factory_fn or self.proxy)(node)

    def create_arg(self, a: Any) -> Any:
        """The argument of a node for a value of the program."""
        if isinstance(a, Proxy):
            return a.node
        if hasattr(a, "__fx_create_arg__"):
            return a.__fx_create_arg__(self)
        if isinstance(a, Size):
            return tuple(a)
        if isinstance(a, tuple):
            parts = [self.create_arg(part) for part in a]
            return type(a)(*parts) if hasattr(a, "_fields") else type(a)(parts)
        if isinstance(a, list):
            return [self.create_arg(part) for part in a]
        if isinstance(a, dict):
            return {self._key(key): self.create_arg(value) for key, value in a.items()}
        if isinstance(a, slice):
            return slice(self.create_arg(a.start), self.create_arg(a.stop), self.create_arg(a.step))
        if isinstance(a, range):
            return range(self.create_arg(a.start), self.create_arg(a.stop), self.create_arg(a.step))
        if is_dataclass(a) and not isinstance(a, type):
            values = {field.name: self.create_arg(getattr(a, field.name)) for field in fields(a)}
            return self.create_node("call_function", type(a), (), values)
        if isinstance(a, _CONSTANTS) or a is None or a is ... or isinstance(a, Node):
            return a
        raise NotImplementedError(f"argument of type: {type(a)}")

    def _key(self, key: Any) -> Any:
        def refuse(node: Node) -> None:
            raise RuntimeError(f"Keys for dictionaries used as an argument cannot contain a Node. Got key: {node}")

        key = key if isinstance(key, str) else self.create_arg(key)
        map_arg(key, refuse)
        return key

    def to_bool(self, obj: Proxy) -> bool:
        """What an `if` gets; a subclass may know."""
        raise TraceError("symbolically traced variables cannot be used as inputs to control flow")

    def iter(self, obj: Proxy) -> Iterator:
        """What a loop gets; a subclass may know."""
        raise TraceError(
            "Proxy object cannot be iterated. This can be attempted when the Proxy is used in a loop or as a *args or "
            "**kwargs function argument. See the torch.fx docs on pytorch.org for a more detailed explanation of what "
            "types of control flow can be traced, and check out the Proxy docstring for help troubleshooting Proxy "
            "iteration errors"
        )

    def keys(self, obj: Proxy) -> Any:
        """What ** gets; a subclass may know."""
        return Attribute(obj, "keys")()


def _stack_trace() -> str:
    """The user's frames from `forward` on, as a traceback prints them."""
    import traceback

    frames = traceback.extract_stack()
    first = next((i for i, frame in enumerate(frames) if frame.name == "forward"), len(frames))
    own = __file__.rpartition("fx")[0]
    return "".join(traceback.format_list([f for f in frames[first:] if not f.filename.startswith(own)])).strip()


class GraphAppendingTracer(TracerBase):
    """Adds to a graph that exists."""

    def __init__(self, graph: Graph) -> None:
        self.graph = graph
        self.scope = Scope("", None)
        self.module_stack = OrderedDict()
        self.node_name_to_scope = {}


def _instruction(frame: Any) -> dis.Instruction | None:
    """The instruction that a frame runs."""
    return next((i for i in dis.get_instructions(frame.f_code) if i.offset == frame.f_lasti), None)


class Proxy:
    """Stands for a value: operators, methods and functions of it become nodes of the tracer's graph."""

    def __init__(self, node: Node, tracer: TracerBase | None = None) -> None:
        self.tracer = GraphAppendingTracer(node.graph) if tracer is None else tracer
        self.node = node

    def __repr__(self) -> str:
        return f"Proxy({self.node.name})"

    def __getattr__(self, k: str) -> Attribute:
        if k in ("tracer", "node", "__fx_create_arg__"):  # before __init__; a copy asks
            raise AttributeError(k)
        return Attribute(self, k)

    def __getstate__(self) -> dict[str, Any]:
        return self.__dict__

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)

    def __call__(self, *args: Any, **kwargs: Any) -> Proxy:
        return self.tracer.create_proxy("call_method", "__call__", (self, *args), kwargs)

    def __iter__(self) -> Iterator:
        frame = sys._getframe(1)
        instruction = _instruction(frame)
        if instruction is not None and instruction.opname == "UNPACK_SEQUENCE":
            return (self[i] for i in range(instruction.argval))  # type: ignore[index]
        return self.tracer.iter(self)

    def __abs__(self) -> Proxy:
        return self.tracer.create_proxy("call_function", operator.abs, (self,), {})

    def __bool__(self) -> bool:
        return self.tracer.to_bool(self)

    def __hash__(self) -> int:
        return id(self)

    def keys(self) -> Any:
        """What ** asks for."""
        return self.tracer.keys(self)

    def __len__(self) -> int:
        raise RuntimeError(
            "'len' is not supported in symbolic tracing by default. If you want this call to be recorded, please call "
            "torch.fx.wrap('len') at module scope"
        )

    @classmethod
    def __torch_function__(
        cls, orig_method: Callable, types: Any, args: tuple | None = None, kwargs: dict | None = None
    ) -> Proxy:
        args, kwargs = args or (), kwargs or {}
        tracers = {leaf.tracer: None for leaf in tree_leaves((args, kwargs)) if isinstance(leaf, Proxy)}
        if len(tracers) > 1:
            raise RuntimeError(
                f"Found multiple different tracers {list(tracers)} while trying to trace operations {orig_method}"
            )
        tracer = next(iter(tracers))
        name = orig_method.__name__
        if is_tensor_method_or_property(orig_method):
            return tracer.create_proxy("call_method", name, args, kwargs)
        return tracer.create_proxy("call_function", orig_method, args, kwargs, name=tracer.graph._target_to_str(name))


class Attribute(Proxy):
    """proxy.name: a node only if it is used otherwise than as a method."""

    def __init__(self, root: Proxy, attr: str) -> None:
        self.root, self.attr, self.tracer = root, attr, root.tracer
        self._node: Node | None = None

    @property
    def node(self) -> Node:  # type: ignore[override]
        """Made when somebody asks."""
        if self._node is None:
            self._node = self.tracer.create_proxy("call_function", getattr, (self.root, self.attr), {}).node
        return self._node

    def __call__(self, *args: Any, **kwargs: Any) -> Proxy:
        return self.tracer.create_proxy("call_method", self.attr, (self.root, *args), kwargs)


class ParameterProxy(Proxy):
    """A parameter whose shape is known while the program is recorded."""

    def __init__(self, tracer: TracerBase, node: Node, name: str, param: Parameter) -> None:
        super().__init__(node, tracer)
        self.param, self.name = param, name

    def __repr__(self) -> str:
        return f"ParameterProxy({self.name})"

    @property
    def shape(self) -> Size:
        """Known."""
        return self.param.shape

    @property
    def ndim(self) -> int:
        """Known."""
        return self.param.ndim

    def size(self) -> Size:
        """Known."""
        return self.param.size()

    def dim(self) -> int:
        """Known."""
        return self.param.dim()

    def numel(self) -> int:
        """Known."""
        return self.param.numel()

    nelement = numel


def _operator_method(name: str, reflected: bool) -> Callable:
    function = getattr(operator, name)

    def method(self: Proxy, *args: Any) -> Proxy:
        values = (*args, self) if reflected else (self, *args)
        return self.tracer.create_proxy("call_function", function, values, {})

    method.__name__ = f"__{'r' if reflected else ''}{name.strip('_')}__"
    return method


for _name in magic_methods:
    _method = _operator_method(_name, False)
    setattr(Proxy, _method.__name__, _method)
for _name in reflectable_magic_methods:
    _method = _operator_method(_name, True)
    setattr(Proxy, _method.__name__, _method)
