"""Differentiation: backward, grad, modes, graphs, forward mode."""

from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING

from .._core import Node
from . import forward_ad, function, graph
from .anomaly_mode import detect_anomaly, set_detect_anomaly
from .differentiable import differentiable, keep
from .differentiate import backward, grad
from .function import Function, FunctionCtx
from .grad_mode import (
    enable_grad,
    enforce_grad_layout_policy,
    inference_mode,
    is_multithreading_enabled,
    no_grad,
    set_grad_enabled,
    set_multithreading_enabled,
)
from .gradcheck import gradcheck, gradgradcheck
from .saved_tensor import SavedTensor
from .variable import Variable

if TYPE_CHECKING:
    from . import functional

__all__ = [
    "Function",
    "FunctionCtx",
    "Node",
    "SavedTensor",
    "Variable",
    "backward",
    "detect_anomaly",
    "differentiable",
    "enable_grad",
    "enforce_grad_layout_policy",
    "forward_ad",
    "function",
    "functional",
    "grad",
    "gradcheck",
    "gradgradcheck",
    "graph",
    "inference_mode",
    "is_multithreading_enabled",
    "keep",
    "no_grad",
    "set_detect_anomaly",
    "set_grad_enabled",
    "set_multithreading_enabled",
]


def _profiler_enabled() -> bool:
    """False: PyTorch's own tracer is off; torch.profiler is chainrule's."""
    return False


def kineto_available() -> bool:
    """False: PyTorch's library for traces of devices."""
    return False


def __getattr__(name: str) -> ModuleType:
    if name in ("functional", "profiler", "profiler_legacy"):
        return import_module(f".{name}", __name__)
    if name == "torch":  # PyTorch's module has it, and programs took functions from there
        return import_module(__name__.rpartition(".")[0])
    raise AttributeError(f"module '{__name__}' has no attribute '{name}'")
