"""How each gradient was calculated, why one is missing, who broke it.

`chainrule.explain(loss)` explains a result; the parts of this module answer the other questions.
"""

from __future__ import annotations

import importlib
import sys
from types import ModuleType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .._core import Tensor
    from .alive import Alive, LivingGraph, alive
    from .causes import Cause
    from .doctor import Doctor, Finding, doctor
    from .graph import Edge, Graph, Node, Output, Saved, graph
    from .health import Health, HealthLog, Layer, health
    from .missing import Missing, explain_none, missing
    from .nan import NonFinite, NonFiniteError, nan_guard
    from .recording import Recorded, recording
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
    "Recorded",
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
    "recording",
]

# Where the parts are; each is loaded when it is first asked for. Some have the name of their file.
_PARTS = {
    **dict.fromkeys(("Alive", "LivingGraph", "alive"), "alive"),
    **dict.fromkeys(("Doctor", "Finding", "doctor"), "doctor"),
    **dict.fromkeys(("Edge", "Graph", "Node", "Output", "Saved", "graph"), "graph"),
    **dict.fromkeys(("Health", "HealthLog", "Layer", "health"), "health"),
    **dict.fromkeys(("Missing", "explain_none", "missing"), "missing"),
    **dict.fromkeys(("NonFinite", "NonFiniteError", "nan_guard"), "nan"),
    **dict.fromkeys(("Recorded", "recording"), "recording"),
    **dict.fromkeys(("Explanation", "explain"), "story"),
    "Cause": "causes",
    "Line": "source",
    "Route": "routes",
}


class ExplainModule(ModuleType):
    """This module, which is also the function explain()."""

    if TYPE_CHECKING:  # for checkers, to whom chainrule.explain is an object of this class
        Explanation = Explanation
        Alive = Alive
        Cause = Cause
        Doctor = Doctor
        Edge = Edge
        Finding = Finding
        Graph = Graph
        Health = Health
        HealthLog = HealthLog
        Layer = Layer
        Line = Line
        LivingGraph = LivingGraph
        Missing = Missing
        Node = Node
        NonFinite = NonFinite
        NonFiniteError = NonFiniteError
        Output = Output
        Recorded = Recorded
        Route = Route
        Saved = Saved
        nan_guard = nan_guard
        recording = recording
        alive = staticmethod(alive)
        doctor = staticmethod(doctor)
        explain_none = staticmethod(explain_none)
        explain = staticmethod(explain)
        graph = staticmethod(graph)
        health = staticmethod(health)
        missing = staticmethod(missing)

    def __call__(
        self, tensor: Tensor, wrt: Any = None, index: int | tuple[int, ...] | None = None, depth: int | None = None
    ) -> Explanation:
        from .story import explain

        return explain(tensor, wrt, index, depth)

    def __getattribute__(self, name: str) -> Any:
        if name in _PARTS:
            return getattr(importlib.import_module(f"{__name__}.{_PARTS[name]}"), name)
        return super().__getattribute__(name)


sys.modules[__name__].__class__ = ExplainModule
