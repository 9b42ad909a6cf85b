"""torch.fx.Graph: a recorded program, as a list of steps that can be changed."""

from __future__ import annotations

import contextlib
import copy
import re
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

from ..user_warning import warn_user
from .code import CodeGen, PythonCode, inplace_methods, magic_methods, reflectable_magic_methods
from .names import Namespace
from .node import Node, _legal_ops, map_arg

if TYPE_CHECKING:
    from .graph_module import GraphModule

__all__ = ["CodeGen", "Graph", "PythonCode", "inplace_methods", "magic_methods", "reflectable_magic_methods"]

_Namespace = Namespace


class _NodeList:
    """The nodes of a graph in their order; while it is walked over, nodes may be erased and inserted."""

    def __init__(self, graph: Graph, backwards: bool = False) -> None:
        self._graph, self._backwards = graph, backwards

    def __len__(self) -> int:
        return self._graph._len

    def _walk(self, backwards: bool) -> Iterator[Node]:
        root = self._graph._root
        node = root._prev if backwards else root._next
        while node is not root:
            if not node._erased:
                yield node
            node = node._prev if backwards else node._next

    def __iter__(self) -> Iterator[Node]:
        return self._walk(self._backwards)

    def __reversed__(self) -> Iterator[Node]:
        return self._walk(not self._backwards)


class _InsertPoint:
    """Where new nodes go, in a block or from now on."""

    def __init__(self, graph: Graph, insert: Callable[[Node], None]) -> None:
        self._graph, self._before = graph, graph._insert
        graph._insert = insert

    def __enter__(self) -> None:
        pass

    def __exit__(self, *exception: object) -> None:
        self._graph._insert = self._before


class Graph:
    """A program as a list of nodes, which has methods to add, move, copy and erase them.

    >>> graph = torch.fx.Graph()
    >>> x = graph.placeholder("x")
    >>> y = graph.call_function(torch.relu, (x,))
    >>> _ = graph.output(y)
    >>> print(graph)
    graph():
        %x : [num_users=1] = placeholder[target=x]
        %relu : [num_users=1] = call_function[target=torch.relu](args = (%x,), kwargs = {})
        return relu
    """

    def __init__(
        self,
        owning_module: GraphModule | None = None,
        tracer_cls: type | None = None,
        tracer_extras: dict[str, Any] | None = None,
    ) -> None:
        self._graph_namespace = Namespace()
        self._root = Node(self, "", "root", "", (), {})
        self._len = 0
        self._insert: Callable[[Node], None] = self._root.prepend
        self.owning_module = owning_module
        self._tracer_cls, self._tracer_extras = tracer_cls, tracer_extras
        self._codegen = CodeGen()

    # ---- its nodes

    @property
    def nodes(self) -> _NodeList:
        """The nodes in the order in which they run."""
        return _NodeList(self)

    def output_node(self) -> Node:
        """The node that returns."""
        return next(node for node in reversed(self.nodes) if node.op == "output")

    def find_nodes(self, *, op: str, target: Any = None, sort: bool = True) -> list[Node]:
        """The nodes of one kind, or those of them that call one target."""
        if op == "call_function" and target is None:
            raise AssertionError("target must not be None for op='call_function'")
        return [node for node in self.nodes if node.op == op and (target is None or node.target == target)]

    def create_node(
        self,
        op: str,
        target: Any,
        args: tuple | None = None,
        kwargs: dict[str, Any] | None = None,
        name: str | None = None,
        type_expr: Any = None,
    ) -> Node:
        """Adds a node where new nodes go."""
        if args and not isinstance(args, tuple):
            raise AssertionError(f"args must be a tuple, got {type(args)}")
        if kwargs and not isinstance(kwargs, dict):
            raise AssertionError(f"kwargs must be a dict, got {type(kwargs)}")
        name = self._graph_namespace.create_name(self._target_to_str(target) if name is None else name, None)
        node = Node(self, name, op, target, args or (), kwargs or {}, type_expr)
        self._graph_namespace.associate(name, node)
        self._insert(node)
        self._len += 1
        return node

    def _target_to_str(self, target: Any) -> str:
        text = target if isinstance(target, str) else getattr(target, "__name__", type(target).__name__)
        if text.startswith("__") and text.endswith("__"):
            text = text[2:-2]
        return re.sub(r"(?<=[a-z])([A-Z])", r"_\1", text).lower()

    def erase_node(self, to_erase: Node) -> None:
        """Takes out a node that nobody uses."""
        if to_erase.users:
            raise RuntimeError(
                f"Tried to erase Node {to_erase} but it still had {len(to_erase.users)} users in the graph: "
                f"{to_erase.users}!"
            )
        if to_erase.graph is not self:
            raise RuntimeError(f"Attempting to remove {to_erase} from wrong graph!")
        if to_erase._erased:
            warn_user(f"erase_node({to_erase}) on an already erased node")
            return
        to_erase._leave()
        to_erase._erased = True  # it keeps its neighbours, so that a walk that stands on it goes on
        self._len -= 1
        to_erase._take(*map_arg((to_erase.args, to_erase.kwargs), lambda n: None))

    def inserting_before(self, n: Node | None = None) -> _InsertPoint:
        """New nodes go before this one; in a `with` block, or from now on."""
        if n is None:
            return self.inserting_after(self._root)
        if n.graph is not self:
            raise AssertionError("Node to insert before is not in graph.")
        return _InsertPoint(self, n.prepend)

    def inserting_after(self, n: Node | None = None) -> _InsertPoint:
        """New nodes go behind this one; in a `with` block, or from now on."""
        if n is None:
            return self.inserting_before(self._root)
        if n.graph is not self:
            raise AssertionError("Node to insert after is not in graph.")
        return _InsertPoint(self, n.append)

    # ---- nodes by kind

    def placeholder(self, name: str, type_expr: Any = None, default_value: Any = ...) -> Node:
        """Adds an input."""
        args = () if default_value is ... else (default_value,)
        return self.create_node("placeholder", name, args=args, type_expr=type_expr)

    def get_attr(self, qualified_name: str, type_expr: Any = None) -> Node:
        """Adds a look-up of a parameter, buffer or other attribute, by its dotted name."""
        if self.owning_module is not None and not _attribute_exists(self.owning_module, qualified_name):
            warn_user(
                "Attempted to insert a get_attr Node with no underlying reference in the owning GraphModule! Call "
                "GraphModule.add_submodule to add the necessary submodule, GraphModule.add_parameter to add the "
                "necessary Parameter, or nn.Module.register_buffer to add the necessary buffer"
            )
        return self.create_node("get_attr", qualified_name, type_expr=type_expr)

    def call_module(
        self, module_name: str, args: tuple | None = None, kwargs: dict | None = None, type_expr: Any = None
    ) -> Node:
        """Adds a call of a submodule, by its dotted name."""
        if self.owning_module is not None and not _attribute_exists(self.owning_module, module_name):
            warn_user(
                "Attempted to insert a call_module Node with no underlying reference in the owning GraphModule! Call "
                "GraphModule.add_submodule to add the necessary submodule"
            )
        return self.create_node("call_module", module_name, args, kwargs, type_expr=type_expr)

    def call_method(
        self, method_name: str, args: tuple | None = None, kwargs: dict | None = None, type_expr: Any = None
    ) -> Node:
        """Adds a call of a method of the first argument."""
        return self.create_node("call_method", method_name, args, kwargs, type_expr=type_expr)

    def call_function(
        self,
        the_function: Callable[..., Any],
        args: tuple | None = None,
        kwargs: dict[str, Any] | None = None,
        type_expr: Any = None,
        name: str | None = None,
    ) -> Node:
        """Adds a call of a function."""
        return self.create_node("call_function", the_function, args, kwargs, name=name, type_expr=type_expr)

    def output(self, result: Any, type_expr: Any = None) -> Node:
        """Adds the return statement."""
        return self.create_node("output", "output", (result,), type_expr=type_expr)

    # ---- copies

    def node_copy(self, node: Node, arg_transform: Callable[[Node], Any] = lambda x: x) -> Node:
        """Adds a node like one of another graph; the function says what its arguments are in this one."""
        args, kwargs = map_arg((node.args, node.kwargs), arg_transform)
        copied = self.create_node(node.op, node.target, args, kwargs, node.name, node.type)
        copied.meta = copy.copy(node.meta)
        return copied

    def graph_copy(self, g: Graph, val_map: dict[Node, Node], return_output_node: bool = False) -> Any:
        """Adds all nodes of another graph but its output, which is returned in terms of this one."""
        for node in g.nodes:
            if node in val_map:
                continue
            if node.op == "output":
                result = map_arg(node.args[0], lambda n: val_map[n])
                return (result, node) if return_output_node else result
            val_map[node] = self.node_copy(node, lambda n: val_map[n])
        return None

    def __deepcopy__(self, memo: dict | None = None) -> Graph:
        memo = {} if memo is None else memo
        graph = Graph(tracer_cls=self._tracer_cls)
        memo[id(self)] = graph
        graph._codegen = copy.copy(self._codegen)
        copied: dict[Node, Node] = {}
        for node in self.nodes:
            copied[node] = graph.node_copy(node, lambda n: copied[n])
        return graph

    # ---- code

    def python_code(self, root_module: str, **options: Any) -> PythonCode:
        """The program as the text of a function; attributes are looked up in a variable called `root_module`."""
        unknown = {name for name, value in options.items() if value}
        if unknown:
            raise NotImplementedError(f"python_code: chainrule writes plain code only, without {sorted(unknown)}")
        namespace = Namespace()
        for node in self.nodes:
            node._repr_fn = lambda n: namespace.create_name(n.name, n)
        try:
            return self._codegen._gen_python_code(self.nodes, root_module, namespace)
        finally:
            for node in self.nodes:
                node._repr_fn = None

    def set_codegen(self, codegen: CodeGen) -> None:
        """Says who writes the code."""
        self._codegen = codegen

    def on_generate_code(self, make_transformer: Callable) -> contextlib.AbstractContextManager[None]:
        """Says who changes the lines of code before they are compiled, from now on or in a `with` block."""
        codegen = self._codegen
        before = codegen._body_transformer
        codegen._body_transformer = make_transformer(before)

        @contextlib.contextmanager
        def block() -> Iterator[None]:
            try:
                yield
            finally:
                codegen._body_transformer = before

        return block()

    def process_inputs(self, *args: Any) -> Any:
        """The arguments of the graph, from those of the function."""
        return self._codegen.process_inputs(*args)

    def process_outputs(self, out: Any) -> Any:
        """What the function returns, from what the graph does."""
        return self._codegen.process_outputs(out)

    # ---- looking at it

    def __str__(self) -> str:
        return "graph():" + "".join(f"\n    {node.format_node()}" for node in self.nodes)

    def print_tabular(self) -> None:
        """Prints the nodes as a table."""
        rows = [[str(v) for v in (node.op, node.name, node.target, node.args, node.kwargs)] for node in self.nodes]
        head = ["opcode", "name", "target", "args", "kwargs"]
        widths = [
            max(len(title) + 2, *(len(row[i]) for row in rows)) if rows else len(title) + 2
            for i, title in enumerate(head)
        ]
        for row in (head, ["-" * width for width in widths], *rows):
            print("  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip())

    def lint(self) -> None:
        """Raises if the graph is no program: a value used before it is there, a name twice, an attribute missing."""
        seen: dict[Node, None] = {}
        names: set[str] = set()
        for node in self.nodes:
            if node.op not in _legal_ops:
                raise RuntimeError(f"Node {node} had unknown opcode {node.op}!")
            if node.graph is not self:
                raise RuntimeError(f"Node '{node}' does not belong to this Graph!")
            for used in node._input_nodes:
                self._check_use(used, node, seen)
            if node.name in names:
                raise RuntimeError(f"Node redefined name {node.name}!")
            seen[node] = None
            names.add(node.name)
            if self.owning_module is not None and node.op in ("get_attr", "call_module"):
                _check_attribute(self.owning_module, node)

    def _check_use(self, used: Node, node: Node, seen: dict[Node, None]) -> None:
        if used.graph is not self:
            raise RuntimeError(
                f"Argument '{used}' of Node '{node}' does not belong to this Graph, but was used as an argument! If "
                "you are copying nodes from another graph, make sure to use ``arg_transform`` on node_copy() to remap "
                f"values\n{self}"
            )
        if used not in seen:
            raise RuntimeError(
                f"Argument '{used}' of Node '{node}' was used before it has been defined! Please check that Nodes in "
                f"the graph are topologically ordered\n{self}"
            )

    def eliminate_dead_code(self, is_impure_node: Callable[[Node], bool] | None = None) -> bool:
        """Erases the nodes that nobody uses and that change nothing; whether there were any."""
        self.lint()
        impure = is_impure_node or Node.is_impure
        changed = False
        for node in reversed(self.nodes):
            if not node.users and not impure(node):
                self.erase_node(node)
                changed = True
        return changed


def _attribute_exists(module: Any, dotted: str) -> bool:
    for part in dotted.split("."):
        module = getattr(module, part, None)
        if module is None:
            return False
    return True


def _check_attribute(module: Any, node: Node) -> None:
    from ..nn.modules.module import Module

    parts = node.target.split(".")
    for i, part in enumerate(parts):
        module = getattr(module, part, None)
        where = f"Node {node} target {node.target}"
        if module is None:
            raise RuntimeError(f"{where} references nonexistent attribute {part} of {'.'.join(parts[:i])}")
        if node.op == "call_module" and not isinstance(module, Module):
            raise RuntimeError(f"{where} {part} of {'.'.join(parts[:i])} does not reference an nn.Module")
