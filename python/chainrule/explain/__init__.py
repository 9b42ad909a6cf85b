"""How each gradient was calculated, why one is missing, who broke it.

`chainrule.explain(loss)` explains a result; the parts of this module answer the other questions.
"""

from __future__ import annotations

import sys
from types import ModuleType
from typing import Any

from .graph import Edge, Graph, Node, Output, Saved, graph
from .missing import Cause, Missing, explain_none, missing
from .routes import Route
from .source import Line
from .story import Explanation, explain

__all__ = [
    "Cause",
    "Edge",
    "Explanation",
    "Graph",
    "Line",
    "Missing",
    "Node",
    "Output",
    "Route",
    "Saved",
    "explain",
    "explain_none",
    "graph",
    "missing",
]


class _Callable(ModuleType):
    """This module, which is also the function explain()."""

    def __call__(self, *args: Any, **kwargs: Any) -> Explanation:
        return explain(*args, **kwargs)


sys.modules[__name__].__class__ = _Callable
