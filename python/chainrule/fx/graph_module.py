"""torch.fx.GraphModule: a module whose forward is the code of a graph."""

from __future__ import annotations

import copy
import itertools
import linecache
from collections.abc import Callable
from typing import Any, Self

from .._core import Tensor
from ..nn.modules.module import Module
from ..nn.parameter import Parameter
from .code import PythonCode
from .graph import Graph
from .names import CUSTOM_BUILTINS, public_module

__all__ = ["GraphModule"]

_USER_PRESERVED_ATTRIBUTES_KEY = "_user_preserved_attributes"
_files = itertools.count()


def _forward_from_src(src: str, globals: dict[str, Any]) -> Callable:
    """The function `forward` of a text; the text can be read in tracebacks and by inspect."""
    name = f"<eval_with_key>.{next(_files)}"
    linecache.cache[name] = (len(src), None, src.splitlines(keepends=True), name)
    namespace = dict(globals)
    exec(compile(src, name, "exec"), namespace)
    forward = namespace["forward"]
    forward.__globals__.pop("forward", None)
    return forward


def _owner(module: Any, path: list[str], make: bool = True) -> Any:
    """The module at a path; those that are missing on the way are made."""
    for part in path:
        inner = getattr(module, part, None)
        if inner is None and make:
            inner = Module()
            setattr(module, part, inner)
        module = inner
    return module


def _assign_attr(value: Any, to_module: Module, target: str) -> None:
    """Puts a value at a dotted name; a tensor that is no parameter becomes a buffer."""
    *path, field = target.split(".")
    to_module = _owner(to_module, path)
    if isinstance(value, Tensor) and not isinstance(value, Parameter):
        to_module.register_buffer(field, value)
    else:
        setattr(to_module, field, value)


def _copy_attr(from_module: Module, to_module: Module, target: str) -> None:
    """Gives one module what another has at a dotted name; modules on the way are made, not shared."""
    *path, _ = target.split(".")
    for i in range(len(path)):
        there = _owner(from_module, path[: i + 1], make=False)
        if there is not None and there is _owner(to_module, path[: i + 1], make=False):
            return  # a module above it is shared already
    value: Any = from_module
    for part in target.split("."):
        value = getattr(value, part)
    _assign_attr(value, to_module, target)


def _get_attr(model: Module, attr_name: str) -> Any:
    value: Any = model
    for part in attr_name.split("."):
        value = getattr(value, part)
    return value


class _CodeOnlyModule(Module):
    """A module with the attributes of a GraphModule, from which one is made anew."""

    def __init__(self, body: dict[str, Any]) -> None:
        super().__init__()
        self.__setstate__(body)


class GraphModule(Module):
    """A module that is made of a graph and of the modules and tensors that the graph names.

    `graph` is the graph, `code` its text. After the graph was changed, recompile() writes the code anew.

    >>> traced = torch.fx.symbolic_trace(lambda x: torch.relu(x) + 1)
    >>> print(traced.code.strip())
    def forward(self, x):
        relu = torch.relu(x);  x = None
        add = relu + 1;  relu = None
        return add
    """

    def __new__(cls, *args: Any, **kwargs: Any) -> Self:
        # Each instance has a forward of its own, and so a class of its own.
        base = next(kind for kind in cls.__mro__ if kind.__qualname__.rpartition(".")[2] != "GraphModuleImpl")
        own = type("GraphModuleImpl", (base,), {"__module__": cls.__module__, "__qualname__": "GraphModuleImpl"})
        return super().__new__(own)  # type: ignore[arg-type]

    def __init__(self, root: Module | dict[str, Any], graph: Graph, class_name: str = "GraphModule") -> None:
        super().__init__()
        type(self).__name__ = class_name
        targets = [node.target for node in graph.nodes if node.op in ("get_attr", "call_module")]
        if isinstance(root, Module):
            self.training = root.training
            if isinstance(root, _CodeOnlyModule):
                for kind in ("_modules", "_buffers", "_parameters"):
                    targets += [name for name, value in getattr(root, kind).items() if value is not None]
            for target in targets:
                _copy_attr(root, self, target)
        elif isinstance(root, dict):
            for node in graph.nodes:
                if node.op in ("get_attr", "call_module") and node.target not in root:
                    raise RuntimeError(
                        f"Node {node} referenced target {node.target} but that target was not provided in ``root``!"
                    )
            for target in sorted(targets, key=lambda t: t.count(".")):
                _assign_attr(root[target], self, target)
        else:
            raise RuntimeError(f"Unsupported type {root} passed for root!")
        self.graph = graph
        tracer = graph._tracer_cls
        self._tracer_cls = tracer if tracer is not None and "<locals>" not in tracer.__qualname__ else None
        self.meta: dict[str, Any] = {}

    @property
    def graph(self) -> Graph:
        """The graph; who assigns another one gets new code."""
        return self._graph

    @graph.setter
    def graph(self, g: Graph) -> None:
        if not isinstance(g, Graph):
            raise AssertionError(f"Expected a Graph instance, but got {type(g)}")
        self._graph = g
        g.owning_module = self
        self.recompile()

    @property
    def code(self) -> str:
        """The text of forward."""
        return self._code

    def recompile(self) -> PythonCode:
        """Writes the code of the graph anew, after it was changed."""
        python_code = self._graph.python_code(root_module="self")
        self._code = python_code.src
        type(self).forward = _forward_from_src(self._code, python_code.globals)
        for inner in self.children():
            if isinstance(inner, GraphModule):
                inner.recompile()
        return python_code

    # ---- submodules

    def add_submodule(self, target: str, m: Module) -> bool:
        """Puts a module at a dotted name; whether that was possible."""
        *path, field = target.split(".")
        module: Any = self
        for part in path:
            module = _owner(module, [part])
            if not isinstance(module, Module):
                return False
        module.add_module(field, m)
        return True

    def delete_submodule(self, target: str) -> bool:
        """Takes out the module at a dotted name; whether there was one."""
        *path, field = target.split(".")
        module: Any = _owner(self, path, make=False)
        if not isinstance(module, Module) or not isinstance(getattr(module, field, None), Module):
            return False
        delattr(module, field)
        return True

    def delete_all_unused_submodules(self) -> None:
        """Takes out the modules that the graph neither calls nor takes an attribute from."""
        used: set[str] = {""}
        for node in self.graph.nodes:
            if node.op in ("call_module", "get_attr"):
                used.update(itertools.accumulate(node.target.split("."), lambda a, b: f"{a}.{b}"))
                called = _owner(self, node.target.split("."), make=False) if node.op == "call_module" else None
                if isinstance(called, Module):
                    used.update(f"{node.target}.{name}" for name, _ in called.named_modules() if name)
        for name in [name for name, _ in self.named_modules() if name not in used]:
            self.delete_submodule(name)

    # ---- copies and pickles

    def __deepcopy__(self, memo: dict) -> GraphModule:
        copied = type(self).__new__(type(self))
        memo[id(self)] = copied
        attributes = {name: value for name, value in self.__dict__.items() if name != "_graph"}
        stand_in = _CodeOnlyModule(copy.deepcopy(attributes, memo))
        GraphModule.__init__(copied, stand_in, copy.deepcopy(self._graph, memo), type(self).__name__)
        copied.meta = copy.deepcopy(self.meta, memo)
        for name, value in copied.meta.get(_USER_PRESERVED_ATTRIBUTES_KEY, {}).items():
            setattr(copied, name, value)
        return copied

    def __copy__(self) -> GraphModule:
        copied = GraphModule(self, self.graph)
        copied.meta = self.meta
        return copied

    def __reduce__(self) -> tuple:
        """The code is pickled, not the graph: it is traced again from the code."""
        globals = self.recompile().globals
        attributes = {name: value for name, value in self.__dict__.items() if name != "_graph"}
        return reduce_graph_module, (attributes, _import_block(globals))

    # ---- printing

    def __str__(self) -> str:
        reminder = "# To see more debug info, please use `graph_module.print_readable()`"
        return "\n".join([super().__str__(), self._code, reminder])

    def print_readable(self, print_output: bool = True, **options: Any) -> str:
        """Prints the code as that of a class, with those of graph modules inside; the text."""
        wanted = sorted(name for name, value in options.items() if value)
        if wanted:
            raise NotImplementedError(f"print_readable: chainrule writes plain code only, without {wanted}")
        text = self._readable(self._get_name())
        if print_output:
            print(text)
        return text

    def _readable(self, name: str) -> str:
        own = f"class {name}(torch.nn.Module):\n" + self._graph.python_code("self").src.lstrip("\n")
        inner = [m._readable(n) for n, m in self.named_children() if isinstance(m, GraphModule)]
        return _indented(own) + _indented("\n".join(["", *inner]))


def _indented(text: str) -> str:
    first, *rest = text.split("\n")
    return "\n".join([first, *(("    " + line) if line else line for line in rest)])


def _import_block(globals: dict[str, Any]) -> str:
    """Lines that import what the code needs."""
    lines = []
    for name, value in globals.items():
        if name in CUSTOM_BUILTINS:
            lines.append(CUSTOM_BUILTINS[name][1])
            continue
        module, wanted = getattr(value, "__module__", None), getattr(value, "__qualname__", None)
        if not isinstance(module, str) or not isinstance(wanted, str) or "<" in wanted:
            raise RuntimeError(f"a GraphModule that needs {value!r} cannot be pickled: it cannot be imported by name")
        first, *rest = wanted.split(".")
        lines.append(f"from {public_module(module)} import {first}")
        if rest or first != name:
            lines.append(f"{name} = {wanted}")
    return "\n".join(lines)


def reduce_graph_module(body: dict[Any, Any], import_block: str) -> Module:
    """Makes a GraphModule again from its attributes and its code, which is traced."""
    import chainrule

    from ._symbolic_trace import Tracer

    namespace: dict[str, Any] = {"torch": chainrule, "device": chainrule.device}
    lines = [line for line in import_block.split("\n") if not line.endswith(("import torch", "torch import device"))]
    exec("\n".join(lines), namespace)
    forward = _forward_from_src(body["_code"], namespace)
    body = dict(body)
    tracer_class, meta = body.pop("_tracer_cls", None) or Tracer, body.pop("meta", {})
    module = type("_CodeOnlyModule", (_CodeOnlyModule,), {"forward": forward})(body)

    class KeepModules(tracer_class):  # type: ignore[misc]
        def is_leaf_module(self, m: Module, module_qualified_name: str) -> bool:
            return True

    graph = KeepModules().trace(module)
    graph._tracer_cls = tracer_class
    made = GraphModule(module, graph)
    made.meta = meta
    return made
