"""torch.fx: programs recorded as graphs, which can be read, changed, and run as Python code."""

from ..lazy import load

_FILES = {
    "_symbolic_trace": "PH Tracer symbolic_trace",
    "graph": "CodeGen Graph",
    "graph_module": "GraphModule",
    "interpreter": "Interpreter Transformer",
    "node": "Node has_side_effect map_arg",
    "proxy": "Proxy",
    "subgraph_rewriter": "replace_pattern",
    "traced_functions": "wrap",
}
__getattr__, __dir__, __all__ = load(
    __name__, _FILES, ("experimental", "immutable_collections", "passes", "operator_schemas", "traceback")
)
