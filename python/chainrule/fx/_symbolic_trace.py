"""torch.fx.symbolic_trace: runs a program on proxies and gives what it did as a graph."""

from __future__ import annotations

import inspect
import math
from collections import OrderedDict
from collections.abc import Callable
from types import FunctionType, ModuleType
from typing import Any

from .._core import Tensor
from ..conditions import _assert
from ..nn.modules.container import Sequential
from ..nn.modules.module import Module
from ..nn.parameter import Parameter
from ..user_warning import warn_user
from .graph import Graph
from .graph_module import GraphModule
from .names import public_module
from .node import base_types
from .proxy import ParameterProxy, Proxy, Scope, TracerBase
from .traced_functions import Patches, functional_recorded, without_varargs, wrap

__all__ = ["PH", "Tracer", "symbolic_trace", "wrap"]

_tracing = 0


def is_fx_tracing() -> bool:
    """Whether a program is being recorded."""
    return _tracing > 0


is_fx_symbolic_tracing = is_fx_tracing


class PHBase:
    """Says in concrete_args that an argument stays an input."""

    def __repr__(self) -> str:
        return "PH"


PH = PHBase()


def _assert_is_none(value: Any, msg: str) -> None:
    if value is not None:
        raise AssertionError(msg)


class Tracer(TracerBase):
    """Records a module or function; subclasses say which modules are one node (is_leaf_module), and more.

    Args:
        autowrap_modules: modules whose functions become nodes.
        autowrap_functions: functions that do.
        param_shapes_constant: shapes of parameters are numbers, so that an `if` may ask for them.
    """

    def __init__(
        self,
        autowrap_modules: tuple[ModuleType, ...] = (math,),
        autowrap_functions: tuple[Callable, ...] = (),
        param_shapes_constant: bool = False,
    ) -> None:
        named = [pair for module in autowrap_modules for pair in vars(module).items()]
        self._autowrap_function_ids = {id(f) for name, f in named if not name.startswith("_") and callable(f)}
        self._autowrap_function_ids |= {id(f) for f in autowrap_functions}
        self._autowrap_search = list(autowrap_modules)
        self.param_shapes_constant = param_shapes_constant
        self.submodule_paths: dict[Module, str] | None = None
        self.root_module_name = ""
        self.scope = Scope("", None)
        self.module_stack = OrderedDict()
        self.num_calls: dict[str, int] = {}
        self.node_name_to_scope = {}

    # ---- what subclasses change

    def is_leaf_module(self, m: Module, module_qualified_name: str) -> bool:
        """Whether a module is one node; those of torch.nn are, and containers are not."""
        return public_module(m.__module__).startswith("torch.nn") and not isinstance(m, Sequential)

    def path_of_module(self, mod: Module) -> str:
        """The dotted name of a module below the root."""
        paths = self.submodule_paths or {module: name for name, module in self.root.named_modules()}
        if mod not in paths:
            raise NameError("module is not installed as a submodule")
        return paths[mod]

    def call_module(self, m: Module, forward: Callable, args: tuple, kwargs: dict[str, Any]) -> Any:
        """What a call of a module becomes: a node, or what it is made of."""
        path = self.path_of_module(m)
        before = (self.scope.module_path, self.scope.module_type)
        self.scope.module_path, self.scope.module_type = path, type(m)
        calls = self.num_calls.get(path, 0)
        self.num_calls[path] = calls + 1
        key = f"{path}@{calls}" if calls else path
        self.module_stack[key] = (path, type(m))
        try:
            if self.is_leaf_module(m, path):
                return self.create_proxy("call_module", path, args, kwargs)
            return forward(*args, **kwargs)
        finally:
            self.module_stack.pop(key, None)
            self.scope.module_path, self.scope.module_type = before

    def getattr(self, attr: str, attr_val: Any, parameter_proxy_cache: dict[str, Proxy]) -> Any:
        """What an attribute of a module becomes: a parameter is a node, made once."""
        if isinstance(attr_val, Parameter):
            named = self.root.named_parameters()
        elif self.proxy_buffer_attributes and isinstance(attr_val, Tensor):
            named = self.root.named_buffers()
        else:
            return attr_val
        name = next((name for name, value in named if value is attr_val), None)
        if name is None:
            return attr_val
        if name not in parameter_proxy_cache:
            options: dict[str, Any] = {}
            if self.param_shapes_constant and isinstance(attr_val, Parameter):
                options["proxy_factory_fn"] = lambda node: ParameterProxy(self, node, name, attr_val)
            parameter_proxy_cache[name] = self.create_proxy("get_attr", name, (), {}, **options)
        return parameter_proxy_cache[name]

    def create_arg(self, a: Any) -> Any:
        """The argument of a node: tensors and modules become attributes of the root."""
        if isinstance(a, Parameter):
            name = next((name for name, value in self.root.named_parameters() if value is a), None)
            if name is None:
                raise NameError("parameter is not a member of this module")
            return self.create_node("get_attr", name, (), {})
        if isinstance(a, Module):
            name = next((name for name, value in self.root.named_modules() if value is a), None)
            if name is not None:
                return self.create_node("get_attr", name, (), {})
        if isinstance(a, Tensor):
            return self.create_node("get_attr", self._tensor_name(a), (), {})
        if isinstance(a, tuple) and hasattr(a, "_fields"):
            return self.create_node("call_function", type(a), tuple(self.create_arg(part) for part in a), {})
        return super().create_arg(a)

    def get_fresh_qualname(self, prefix: str) -> str:
        """A name that the root has no attribute of."""
        return next(name for i in range(10**9) if not hasattr(self.root, name := f"{prefix}{i}"))

    def _tensor_name(self, tensor: Tensor) -> str:
        """The name of a tensor below the root, which gets one that it did not have."""
        for name, buffer in self.root.named_buffers():
            if buffer is tensor:
                return name
        name = self.tensor_attrs.get(tensor)
        if name is None:
            name = self.tensor_attrs[tensor] = self.get_fresh_qualname("_tensor_constant")
            setattr(self.root, name, tensor)
        return name

    # ---- recording

    def trace(self, root: Module | Callable[..., Any], concrete_args: dict[str, Any] | None = None) -> Graph:
        """Records a module's forward, or a function; arguments in concrete_args keep their values."""
        global _tracing
        is_module = isinstance(root, Module)
        if is_module:
            self.root: Any = root
            function = getattr(type(root), self.traced_func_name)
            self.root_module_name = root._get_name()
            self.submodule_paths = {module: name for name, module in root.named_modules()}
        else:
            self.root, function = Module(), root
        self.graph = Graph(tracer_cls=type(self))
        self.tensor_attrs = {
            value: f"{path}.{name}" if path else name
            for path, module in self.root.named_modules()
            for name, value in vars(module).items()
            if isinstance(value, Tensor)
        }
        function, args = self.create_args_for_root(function, is_module, concrete_args)
        patches = Patches()
        _tracing += 1
        try:
            self._patch(patches, function)
            with functional_recorded():
                returned = self.create_arg(function(*args))
        finally:
            patches.undo()
            _tracing -= 1
        annotations = inspect.get_annotations(inspect.unwrap(function))
        self.create_node("output", "output", (returned,), {}, type_expr=annotations.get("return"))
        self.submodule_paths = None
        return self.graph

    def _patch(self, patches: Patches, function: Any) -> None:
        """Calls and attributes of modules, and functions that become nodes, come to the tracer from now on."""
        cache: dict[str, Proxy] = {}
        call, find = Module.__call__, vars(Module).get("__getattribute__", object.__getattribute__)
        tracer = self

        def look_up(module: Any, name: str) -> Any:
            try:
                value = find(module, name)
            except AttributeError:
                value = type(module).__getattr__(module, name)
            return tracer.getattr(name, value, cache) if isinstance(value, Tensor) else value

        def called(module: Any, *args: Any, **kwargs: Any) -> Any:
            forward = getattr(module, "forward", module)
            patches.functions_of(getattr(forward, "__globals__", {}), tracer._autowrap_function_ids)
            return tracer.call_module(module, lambda *a, **k: call(module, *a, **k), args, kwargs)

        patches.attribute(Module, "__getattribute__", look_up)
        patches.attribute(Module, "__call__", called)
        patches.wrapped_functions()
        patches.functions_of(getattr(inspect.unwrap(function), "__globals__", {}), self._autowrap_function_ids)
        for module in self._autowrap_search:
            patches.functions_of(vars(module), self._autowrap_function_ids)

    def create_args_for_root(
        self, root_fn: Any, is_module: bool, concrete_args: dict[str, Any] | tuple | None = None
    ) -> tuple[Callable, list]:
        """The function and its arguments: a proxy for each parameter that has no value in concrete_args."""
        plain = inspect.unwrap(root_fn)
        if not isinstance(plain, FunctionType):
            raise AssertionError(f"Expected FunctionType, got {type(plain)}")
        code, signature = plain.__code__, inspect.signature(plain)
        count = code.co_argcount + code.co_kwonlyargcount
        if is_module and count == 0:
            raise RuntimeError("``self`` argument cannot be part of *args expansion!")
        names = list(code.co_varnames[int(is_module) : count])
        if isinstance(concrete_args, tuple):
            if len(names) != len(concrete_args):
                raise RuntimeError(
                    f"Tracing expected {len(names)} arguments but got {len(concrete_args)} concrete arguments"
                )
            concrete_args = dict(zip(names, concrete_args, strict=True))
        stars = [flag for flag in (inspect.CO_VARARGS, inspect.CO_VARKEYWORDS) if code.co_flags & flag]
        rest = iter(code.co_varnames[count:])
        names += [("*" if flag == inspect.CO_VARARGS else "**") + next(rest) for flag in stars]
        given = concrete_args or {}
        args = [self.root] if is_module else []
        for name in names:
            args.append(
                self._fixed(name, given[name], signature)
                if name in given
                else self._placeholder(name, signature, plain.__annotations__)
            )
        if code.co_kwonlyargcount or stars:
            root_fn = without_varargs(plain, len(args))
        return root_fn, args

    def _placeholder(self, name: str, signature: inspect.Signature, annotations: dict) -> Proxy:
        default = () if name[0] == "*" else _default(signature, name)
        return self.create_proxy("placeholder", name, default, {}, type_expr=annotations.get(name))

    def _fixed(self, name: str, value: Any, signature: inspect.Signature) -> Any:
        """The value of an argument that is fixed; the graph checks that it gets the same one."""
        if isinstance(value, (dict, list, tuple)):
            raise NotImplementedError(
                f"symbolic_trace: concrete_args[{name!r}] is a container; chainrule fixes plain values, and a function "
                "around the program can take a container apart"
            )
        proxy = self.create_proxy("placeholder", f"{name}_1", _default(signature, name), {})
        if isinstance(value, PHBase):
            return proxy
        words = f"{name} has been specialized to have value {value} but got another value"
        if isinstance(value, base_types):
            self.create_proxy("call_function", _assert, (proxy == value, words), {})
        elif value is None:
            self.create_proxy("call_function", _assert_is_none, (proxy, words), {})
        else:
            warn_user(
                f"Was not able to add assertion to guarantee correct input {name} to specialized function. It is up to "
                "the user to make sure that your inputs match the inputs you specialized the function with."
            )
        return value


def _default(signature: inspect.Signature, name: str) -> tuple:
    default = signature.parameters[name].default
    return () if default is inspect.Parameter.empty else (default,)


def symbolic_trace(root: Module | Callable[..., Any], concrete_args: dict[str, Any] | None = None) -> GraphModule:
    """Records what a module or function does with its inputs, and gives that as a module.

    Args:
        concrete_args: values of arguments that stay as they are, so that an `if` may ask for them.

    >>> traced = torch.fx.symbolic_trace(lambda x: (x + 1).relu())
    >>> [node.name for node in traced.graph.nodes]
    ['x', 'add', 'relu', 'output']
    >>> traced(torch.tensor([-2., 2.]))
    tensor([0., 3.])
    """
    tracer = Tracer()
    graph = tracer.trace(root, concrete_args)
    name = type(root).__name__ if isinstance(root, Module) else root.__name__
    return GraphModule(tracer.root, graph, name)
