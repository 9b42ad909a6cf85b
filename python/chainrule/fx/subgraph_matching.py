"""Where a pattern, itself a graph, occurs in a graph."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from .._core import Tensor
from .graph import Graph
from .graph_module import _get_attr
from .node import Node

__all__ = ["InternalMatch", "SubgraphMatcher"]


@dataclass
class InternalMatch:
    """One place where the pattern occurs: which node of the graph stands for which of the pattern."""

    anchors: list[Node]
    nodes_map: dict[Node, Any] = field(default_factory=dict)
    placeholder_nodes: list[Any] = field(default_factory=list)
    returning_nodes: list[Node] = field(default_factory=list)


class SubgraphMatcher:
    """Finds a pattern. Its inputs stand for anything, its outputs may be used elsewhere, all else must be as it is.

    Args:
        remove_overlapping_matches: of places that share nodes, only the first counts.
        ignore_literals: numbers and strings of the pattern stand for any.
    """

    def __init__(
        self,
        pattern: Graph,
        match_output: bool = False,
        match_placeholder: bool = False,
        remove_overlapping_matches: bool = True,
        ignore_literals: bool = False,
    ) -> None:
        if match_output or match_placeholder:
            raise NotImplementedError(
                "SubgraphMatcher: inputs and outputs of a pattern stand for anything in chainrule"
            )
        if len(pattern.nodes) == 0:
            raise ValueError("SubgraphMatcher cannot be initialized with an empty pattern")
        for node in pattern.nodes:
            if not node.users and not node.is_impure():
                raise AssertionError("SubgraphMatcher cannot be initialized with an pattern with dead code")
        self.pattern = pattern
        self.remove_overlapping_matches, self.ignore_literals = remove_overlapping_matches, ignore_literals
        self.pattern_placeholder_nodes = [node for node in pattern.nodes if node.op == "placeholder"]
        self.pattern_returning_nodes = pattern.output_node().all_input_nodes
        self.pattern_anchors = [node for node in self.pattern_returning_nodes if len(node.users) == 1]

    def match(self, graph: Graph) -> list[InternalMatch]:
        """All places."""
        found = [InternalMatch(anchors=self.pattern_anchors)]
        for anchor in self.pattern_anchors:
            wanted = [node for node in graph.nodes if self._alike(anchor, node)]
            found = [
                m for before in found for node in wanted if (m := self._extended(before, anchor, node)) is not None
            ]
        found = [match for match in found if self._contained(match.nodes_map)]
        for match in found:
            match.placeholder_nodes = [match.nodes_map[node] for node in self.pattern_placeholder_nodes]
            match.returning_nodes = [match.nodes_map[node] for node in self.pattern_returning_nodes]
        return self._apart(found) if self.remove_overlapping_matches else found

    def _extended(self, before: InternalMatch, anchor: Node, node: Node) -> InternalMatch | None:
        match = InternalMatch(before.anchors, dict(before.nodes_map))
        return match if self._nodes_match(anchor, node, match.nodes_map) else None

    def _alike(self, pattern: Node, node: Node) -> bool:
        if pattern.op == "placeholder":
            return True
        if pattern.op != node.op:
            return False
        if pattern.op == "get_attr":
            theirs, ours = (_get_attr(n.graph.owning_module, n.target) for n in (pattern, node))  # type: ignore[arg-type]
            return isinstance(theirs, Tensor) and type(theirs) is type(ours)
        return pattern.op == "output" or pattern.target == node.target

    def _nodes_match(self, pattern: Node, node: Node, known: dict[Node, Any]) -> bool:
        if pattern in known:
            return known[pattern] is node
        if any(node is other for other in known.values()) or not self._alike(pattern, node):
            return False
        known[pattern] = node
        if pattern.op == "placeholder":
            return True
        names = list(pattern.kwargs)
        if len(pattern.args) == len(node.args) and names == list(node.kwargs):
            pairs = ([*pattern.args, *pattern.kwargs.values()], [*node.args, *node.kwargs.values()])
            if self._arguments_match(*pairs, known):
                return True
        del known[pattern]
        return False

    def _arguments_match(self, pattern: Sequence, values: Sequence, known: dict[Node, Any]) -> bool:
        return len(pattern) == len(values) and all(
            self._values_match(a, b, known) for a, b in zip(pattern, values, strict=True)
        )

    def _values_match(self, pattern: Any, value: Any, known: dict[Node, Any]) -> bool:
        if isinstance(pattern, Node) and isinstance(value, Node):
            return self._nodes_match(pattern, value, known)
        if isinstance(pattern, (list, tuple)) and isinstance(value, (list, tuple)):
            return self._arguments_match(pattern, value, known)
        if isinstance(pattern, Node):
            if pattern.op != "placeholder":
                return False
            return known.setdefault(pattern, value) == value
        return self.ignore_literals or (type(pattern) is type(value) and pattern == value)

    def _contained(self, known: dict[Node, Any]) -> bool:
        """Whether nobody outside uses what is inside, but for what the pattern returns."""
        inside = {node: pattern for pattern, node in known.items() if pattern.op != "placeholder"}
        return all(
            pattern in self.pattern_returning_nodes or all(user in inside for user in node.users)
            for node, pattern in inside.items()
        )

    def _apart(self, matches: list[InternalMatch]) -> list[InternalMatch]:
        taken: set[Node] = set()
        kept = []
        for match in matches:
            own = {node for pattern, node in match.nodes_map.items() if pattern.op != "placeholder"}
            if not own & taken:
                kept.append(match)
                taken |= own
        return kept
