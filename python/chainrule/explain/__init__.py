"""How each gradient was calculated, why one is missing, who broke it.

`chainrule.explain(loss)` explains a result; the parts of this module answer the other questions.
"""

from __future__ import annotations

import sys
from types import ModuleType
from typing import Any

from .alive import Alive, LivingGraph, alive
from .doctor import Doctor, Finding, doctor
from .graph import Edge, Graph, Node, Output, Saved, graph
from .health import Health, HealthLog, Layer, health
from .missing import Cause, Missing, explain_none, missing
from .nan import NonFinite, NonFiniteError, nan_guard
from .routes import Route
from .source import Line
from .story import Explanation, explain

__all__ = [
    "Alive",
    "Cause",
    "Doctor",
    "Edge",
    "Explanation",
    "Finding",
    "Graph",
    "Health",
    "HealthLog",
    "Layer",
    "Line",
    "LivingGraph",
    "Missing",
    "Node",
    "NonFinite",
    "NonFiniteError",
    "Output",
    "Route",
    "Saved",
    "alive",
    "doctor",
    "explain",
    "explain_none",
    "graph",
    "health",
    "missing",
    "nan_guard",
]


class _Callable(ModuleType):
    """This module, which is also the function explain()."""

    def __call__(self, *args: Any, **kwargs: Any) -> Explanation:
        return explain(*args, **kwargs)


sys.modules[__name__].__class__ = _Callable
