"""torch.fx.Interpreter runs a graph node by node; Transformer makes another graph by running one."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from ..nn.modules.module import Module
from ._symbolic_trace import Tracer
from .graph import Graph
from .graph_module import GraphModule
from .node import Node, map_aggregate, map_arg
from .proxy import Proxy

__all__ = ["Interpreter", "Transformer"]


class Interpreter:
    """Runs a graph; a subclass may do something else for a kind of node, or around each of them.

    Args:
        module: whose attributes the graph names.
        garbage_collect_values: whether values are let go of behind their last use.
        graph: another graph than the module's.
    """

    def __init__(self, module: Module, garbage_collect_values: bool = True, graph: Graph | None = None) -> None:
        self.module: Any = module
        self.submodules = dict(module.named_modules())
        self.graph: Graph = self.module.graph if graph is None else graph
        self.env: dict[Node, Any] = {}
        self.name = "Interpreter"
        self.garbage_collect_values = garbage_collect_values
        self.extra_traceback = True
        self.user_to_last_uses: dict[Node, list[Node]] = {}
        if garbage_collect_values:
            seen: set[Node] = set()
            for node in reversed(self.graph.nodes):
                for used in node._input_nodes:
                    if used not in seen:
                        seen.add(used)
                        self.user_to_last_uses.setdefault(node, []).append(used)

    def run(self, *args: Any, initial_env: dict[Node, Any] | None = None, enable_io_processing: bool = True) -> Any:
        """Runs the graph with these inputs.

        Args:
            initial_env: values of nodes that need not be calculated.
            enable_io_processing: whether the graph's codegen prepares inputs and outputs.
        """
        self.env = {} if initial_env is None else initial_env
        if enable_io_processing:
            args = self.graph.process_inputs(*args)
        self.args_iter: Iterator[Any] = iter(args)
        for node in self.graph.nodes:
            if node in self.env:
                continue
            try:
                self.env[node] = self.run_node(node)
            except Exception as error:
                if self.extra_traceback:
                    words = f"While executing {node.format_node()}"
                    error.args = (f"{error.args[0]}\n\n{words}" if error.args else words, *error.args[1:])
                raise
            for used in self.user_to_last_uses.get(node, ()):
                del self.env[used]
            if node.op == "output":
                value = self.env[node]
                return self.graph.process_outputs(value) if enable_io_processing else value
        return None

    def run_node(self, n: Node) -> Any:
        """The value of one node."""
        args, kwargs = self.fetch_args_kwargs_from_env(n)
        return getattr(self, n.op)(n.target, args, kwargs)

    def placeholder(self, target: Any, args: tuple, kwargs: dict[str, Any]) -> Any:
        """The next input."""
        if target.startswith("*"):
            return list(self.args_iter)
        try:
            return next(self.args_iter)
        except StopIteration:
            if args:
                return args[0]
            raise RuntimeError(
                f"Expected positional argument for parameter {target}, but one was not passed in!"
            ) from None

    def get_attr(self, target: Any, args: tuple, kwargs: dict[str, Any]) -> Any:
        """An attribute of the module."""
        return self.fetch_attr(target)

    def call_function(self, target: Any, args: tuple, kwargs: dict[str, Any]) -> Any:
        """What a function gives."""
        return target(*args, **kwargs)

    def call_method(self, target: Any, args: tuple, kwargs: dict[str, Any]) -> Any:
        """What a method of the first argument gives."""
        return getattr(args[0], target)(*args[1:], **kwargs)

    def call_module(self, target: Any, args: tuple, kwargs: dict[str, Any]) -> Any:
        """What a submodule gives."""
        return self.fetch_attr(target)(*args, **kwargs)

    def output(self, target: Any, args: tuple, kwargs: dict[str, Any]) -> Any:
        """What the graph gives."""
        return args[0]

    def fetch_attr(self, target: str) -> Any:
        """An attribute of the module by its dotted name."""
        value: Any = self.module
        parts = target.split(".")
        for i, part in enumerate(parts):
            if not hasattr(value, part):
                raise RuntimeError(f"Node referenced nonexistent target {'.'.join(parts[: i + 1])}")
            value = getattr(value, part)
        return value

    def fetch_args_kwargs_from_env(self, n: Node) -> tuple[tuple, dict]:
        """The values of a node's arguments."""
        return self.map_nodes_to_values((n.args, dict(n.kwargs)), n)

    def map_nodes_to_values(self, args: Any, n: Node) -> Any:
        """The argument with values in the places of nodes."""

        def value_of(used: Node) -> Any:
            if used not in self.env:
                raise RuntimeError(
                    f"Node {n} referenced nonexistent value {used}! Run Graph.lint() to diagnose such issues"
                )
            return self.env[used]

        return map_arg(args, value_of)


class Transformer(Interpreter):
    """Runs a graph on proxies, so that it is recorded anew, with what a subclass does for a kind of node."""

    def __init__(self, module: GraphModule) -> None:
        super().__init__(module)
        self.new_graph = Graph()
        self.new_graph.set_codegen(module.graph._codegen)
        self.tracer = _TransformerTracer(self.new_graph)
        self.tracer.root = module

    def placeholder(self, target: Any, args: tuple, kwargs: dict[str, Any]) -> Proxy:
        """An input of the new graph."""
        return Proxy(self.new_graph.placeholder(target, default_value=args[0] if args else ...), self.tracer)

    def get_attr(self, target: Any, args: tuple, kwargs: dict[str, Any]) -> Proxy:
        """A look-up in the new graph."""
        return self.tracer.create_proxy("get_attr", target, args, kwargs)

    def call_module(self, target: Any, args: tuple, kwargs: dict[str, Any]) -> Any:
        """A call in the new graph."""
        module = self.fetch_attr(target)
        return self.tracer.call_module(module, module.forward, args, kwargs)

    def call_function(self, target: Callable, args: tuple, kwargs: dict[str, Any]) -> Any:
        """A call in the new graph."""
        return self.tracer.create_proxy("call_function", target, args, kwargs)

    def transform(self) -> GraphModule:
        """The module of the new graph."""
        result = super().run(enable_io_processing=False)
        returned = (
            map_aggregate(result, lambda a: a.node if isinstance(a, Proxy) else a) if result is not None else None
        )
        old = self.graph.output_node()
        new = self.new_graph.output(returned, type_expr=old.type)
        new.meta.update(old.meta)
        return GraphModule(self.module, self.new_graph)


class _TransformerTracer(Tracer):
    """Adds to the new graph; every module is one node."""

    def __init__(self, graph: Graph) -> None:
        super().__init__()
        self.graph = graph
        self.tensor_attrs = {}

    def is_leaf_module(self, m: Module, module_qualified_name: str) -> bool:
        return True
