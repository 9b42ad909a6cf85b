"""Differentiation: backward, grad, modes, graphs, forward mode."""

from .._core import Node
from . import forward_ad, functional, graph
from .differentiate import backward, grad
from .grad_mode import enable_grad, inference_mode, no_grad, set_grad_enabled

__all__ = [
    "Node",
    "backward",
    "enable_grad",
    "forward_ad",
    "functional",
    "grad",
    "graph",
    "inference_mode",
    "no_grad",
    "set_grad_enabled",
]
