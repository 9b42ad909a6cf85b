"""The few names of PyTorch's compiled part that other packages call in passing."""  # noqa: N999  (PyTorch's name)

from __future__ import annotations

from enum import Enum
from typing import Any

from ._core import Generator as Generator
from ._core import Tensor
from ._core import in_transform as _are_functorch_transforms_active  # noqa: F401
from .linalg import LinAlgError as _LinAlgError  # noqa: F401
from .overrides import DisableTorchFunctionSubclass, _disabled_torch_function_impl  # noqa: F401
from .refusal import refused_class

_TensorMeta = type(Tensor)
_PROGRAMS = "chainrule runs Python and has no programs"
Graph, Value, Function, ScriptFunction = (
    refused_class(f"_C.{_name}", _PROGRAMS) for _name in ("Graph", "Value", "Function", "ScriptFunction")
)
_ARCHIVES = "torch.load and torch.save read and write chainrule's files"
PyTorchFileReader, PyTorchFileWriter = (
    refused_class(f"_C.{_name}", _ARCHIVES) for _name in ("PyTorchFileReader", "PyTorchFileWriter")
)
_ExcludeDispatchKeyGuard = refused_class("_C._ExcludeDispatchKeyGuard", "chainrule has no dispatcher")


class DispatchKey(Enum):
    """Names of the ways that PyTorch's dispatcher has; packages put them in sets while they are imported."""

    CPU, CUDA, Meta, Autograd, AutogradCPU, AutogradCUDA = range(6)
    AutocastCPU, AutocastCUDA, AutocastXPU, AutocastMPS, CompositeImplicitAutograd = range(6, 11)


class DispatchKeySet(frozenset):
    """A set of such names, of one or several."""

    def __new__(cls, keys: Any) -> DispatchKeySet:
        return super().__new__(cls, (keys,) if isinstance(keys, DispatchKey) else keys)

    def __or__(self, other: Any) -> DispatchKeySet:
        return DispatchKeySet(frozenset(self) | other)


class _nn:  # noqa: N801
    """PyTorch's compiled part of torch.nn."""

    @staticmethod
    def _parse_to(*args: Any, **kwargs: Any) -> tuple:
        """The arguments of Module.to(): device, dtype, non_blocking, memory format."""
        from .nn.modules.conversion import read_to

        waits = kwargs.get("non_blocking", False)
        dtype, device, memory_format, _ = read_to(*args, **kwargs)
        return device, dtype, waits, memory_format


def _log_api_usage_once(event: str) -> None:
    """Does nothing: chainrule reports nobody's use."""


def _get_tracing_state() -> None:
    """None: nothing is traced."""
    return
