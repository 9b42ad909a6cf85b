"""torch.fx.replace_pattern: puts one piece of a program in the place of another, wherever it occurs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

from ..nn.modules.module import Module
from ._symbolic_trace import symbolic_trace
from .graph import Graph
from .graph_module import GraphModule, _copy_attr
from .node import Node
from .subgraph_matching import InternalMatch, SubgraphMatcher

__all__ = ["Match", "ReplacedPatterns", "replace_pattern", "replace_pattern_with_filters"]


class Match(NamedTuple):
    """A place where the pattern was, by its last node."""

    anchor: Node
    nodes_map: dict[Node, Node]


@dataclass
class ReplacedPatterns:
    """The same, with the nodes that are there now."""

    anchor: Node
    nodes_map: dict[Node, Node]
    replacements: list[Node]


def _graph(program: Callable | Graph | GraphModule) -> Graph:
    if isinstance(program, GraphModule):
        return program.graph
    return program if isinstance(program, Graph) else symbolic_trace(program).graph


def replace_pattern(
    gm: GraphModule, pattern: Callable[..., Any] | GraphModule, replacement: Callable[..., Any] | GraphModule
) -> list[Match]:
    """Replaces a pattern in a module's graph, wherever it occurs; both are given as functions.

    >>> traced = torch.fx.symbolic_trace(lambda x: torch.relu(x) * 2)
    >>> _ = torch.fx.replace_pattern(traced, lambda x: torch.relu(x), lambda x: torch.tanh(x))
    >>> print(traced.code.strip())
    def forward(self, x):
        tanh = torch.tanh(x);  x = None
        mul = tanh * 2;  tanh = None
        return mul
    """
    return [Match(m.anchor, m.nodes_map) for m in replace_pattern_with_filters(gm, pattern, replacement)]


def replace_pattern_with_filters(
    gm: GraphModule,
    pattern: Callable[..., Any] | Graph | GraphModule,
    replacement: Callable[..., Any] | Graph | GraphModule | None = None,
    match_filters: list[Callable[[InternalMatch, Graph, Graph], bool]] | None = None,
    ignore_literals: bool = False,
    replacement_callback: Callable[[InternalMatch, Graph, Graph], Graph] | None = None,
) -> list[ReplacedPatterns]:
    """replace_pattern for those places that the filters let pass; the callback may give a replacement for each."""
    if replacement is None and replacement_callback is None:
        raise AssertionError("Must provide either a replacement GraphModule or a replacement callback")
    graph, wanted = gm.graph, _graph(pattern)
    common = _graph(replacement) if replacement is not None else None
    matches = SubgraphMatcher(wanted, ignore_literals=ignore_literals).match(graph)
    matches = [m for m in matches if all(passes(m, graph, wanted) for passes in match_filters or ())]
    changed: dict[Node, Node] = {}
    results = []
    for match in matches:
        new = replacement_callback(match, graph, wanted) if replacement_callback is not None else common
        assert new is not None
        results.append(_replace(graph, wanted, new, match, changed))
    gm.recompile()
    if isinstance(replacement, Module):
        _take_attributes(gm, replacement)
    return results


def _replace(
    graph: Graph, pattern: Graph, replacement: Graph, match: InternalMatch, changed: dict[Node, Node]
) -> ReplacedPatterns:
    inputs = [node for node in replacement.nodes if node.op == "placeholder"]
    if len(inputs) != len(match.placeholder_nodes):
        raise AssertionError(f"Placeholder count mismatch: {len(match.placeholder_nodes)} vs {len(inputs)}")
    # What an earlier replacement took away stands for what it put there.
    match.placeholder_nodes = [changed.get(n, n) if isinstance(n, Node) else n for n in match.placeholder_nodes]
    values = dict(zip(inputs, match.placeholder_nodes, strict=True))
    users = {user for node in match.returning_nodes for user in node.users}
    behind = [node for node in graph.nodes if node in users] or [match.returning_nodes[-1].next]
    with graph.inserting_before(behind[0]):
        returned = graph.graph_copy(replacement, values)
    returned = (returned,) if isinstance(returned, Node) else returned
    if len(match.returning_nodes) != len(returned):
        raise AssertionError(f"Returning nodes count mismatch: {len(match.returning_nodes)} vs {len(returned)}")
    for old, new in zip(match.returning_nodes, returned, strict=True):
        old.replace_all_uses_with(new)
        changed[old] = new
    for node in reversed(pattern.nodes):
        if node.op not in ("placeholder", "output"):
            graph.erase_node(match.nodes_map[node])
    new_nodes = [node for node in values.values() if node not in match.placeholder_nodes]
    return ReplacedPatterns(match.anchors[0], match.nodes_map, new_nodes)


def _take_attributes(gm: GraphModule, replacement: Module) -> None:
    """Gives the module what the new nodes name, and takes away what no node names any more."""
    gm.delete_all_unused_submodules()
    for node in gm.graph.nodes:
        if node.op in ("call_module", "get_attr"):
            parts = node.target.split(".")
            found: Any = gm
            for part in parts:
                found = getattr(found, part, None)
            if found is None:
                _copy_attr(replacement, gm, node.target)
    gm.graph.lint()
