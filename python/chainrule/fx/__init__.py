"""torch.fx, as far as it can be imported: marks are kept, and programs are not recorded."""

from __future__ import annotations

from typing import TypeVar

from ..nn.modules.module import Module
from ..refusal import refused, refused_class

F = TypeVar("F")
_REASON = "chainrule runs Python and records no programs; chainrule.explain shows the graph of gradients"


def wrap(fn_or_name: F) -> F:
    """Returns the function (or its name) as it is: nothing is recorded that it could be kept out of."""
    return fn_or_name


map_arg = refused("fx.map_arg", _REASON)
symbolic_trace = refused("fx.symbolic_trace", _REASON)
replace_pattern = refused("fx.replace_pattern", _REASON)
GraphModule = refused_class("fx.GraphModule", _REASON, base=Module)
Graph, Interpreter, Node, Proxy, Tracer, Transformer = (
    refused_class(f"fx.{_name}", _REASON)
    for _name in ("Graph", "Interpreter", "Node", "Proxy", "Tracer", "Transformer")
)

from . import graph_module, node, proxy  # noqa: E402  (they need the classes above)
