"""The few names of PyTorch's compiled part that other packages call in passing."""

from __future__ import annotations

from enum import Enum
from typing import Any

from .._core import Generator as Generator
from .._core import Tensor, _cuda, current_run, device, is_grad_enabled, is_inference_mode_enabled
from .._core import in_transform as _are_functorch_transforms_active
from ..compat.refusal import refused_class
from ..linalg import LinAlgError as _LinAlgError
from ..overrides import DisableTorchFunctionSubclass, _disabled_torch_function_impl

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
    """Names of the ways that PyTorch's dispatcher has; packages put them in sets while they are imported.

    >>> torch.DispatchKey.CPU.name
    'CPU'
    """

    CPU, CUDA, Meta, Autograd, AutogradCPU, AutogradCUDA = range(6)
    AutocastCPU, AutocastCUDA, AutocastXPU, AutocastMPS, CompositeImplicitAutograd = range(6, 11)
    CompositeExplicitAutograd, Python, PythonTLSSnapshot, Functionalize, FuncTorchBatched = range(11, 16)
    ADInplaceOrView, BackendSelect, Undefined, PrivateUse1, AutogradPrivateUse1, XPU, MPS = range(16, 23)


class DispatchKeySet(frozenset):
    """A set of such names, of one or several.

    >>> torch.DispatchKeySet(torch.DispatchKey.CPU).has(torch.DispatchKey.CPU)
    True
    """

    def has(self, k: DispatchKey) -> bool:
        """Whether a name is among them."""
        return k in self

    def __new__(cls, keys: Any) -> DispatchKeySet:
        return super().__new__(cls, (keys,) if isinstance(keys, DispatchKey) else keys)

    def __or__(self, other: Any) -> DispatchKeySet:
        return DispatchKeySet(frozenset(self) | other)


class _nn:  # noqa: N801
    """PyTorch's compiled part of torch.nn."""

    @staticmethod
    def _parse_to(*args: Any, **kwargs: Any) -> tuple:
        """The arguments of Module.to(): device, dtype, non_blocking, memory format."""
        from ..nn.modules.conversion import read_to

        waits = kwargs.get("non_blocking", False)
        dtype, device, memory_format, _ = read_to(*args, **kwargs)
        return device, dtype, waits, memory_format


def _log_api_usage_once(event: str) -> None:
    """Does nothing: chainrule reports nobody's use."""


def _is_tracing() -> bool:
    """Whether torch.jit.trace records what this code does."""
    from ..jit.recorder import is_recording

    return is_recording()


def _get_tracing_state() -> None:
    """None: nothing is traced."""
    return


# ---- questions about devices and compilers: there are none

_has_xpu = _has_cuda = _has_mps = _has_mkldnn = _has_kleidiai = False
TensorBase = Tensor
ScriptObject = refused_class("_C.ScriptObject", _PROGRAMS)
ScriptMethod = refused_class("_C.ScriptMethod", _PROGRAMS)
Node = refused_class("_C.Node", _PROGRAMS)
ExtraFilesMap = dict


def _get_accelerator(check: bool | None = None) -> device:
    """The GPU where there is one, else the CPU."""
    return device("cuda" if _cuda.device_count()[0] else "cpu")


def _get_privateuse1_backend_name() -> str:
    """PyTorch's name of a device that somebody else adds."""
    return "privateuseone"


def _get_default_device() -> str:
    """ "cpu"."""
    return "cpu"


def _get_cudnn_enabled() -> bool:
    """False."""
    return False


def _mps_is_available() -> bool:
    """False."""
    return False


def _cuda_isInBadFork() -> bool:  # noqa: N802  (PyTorch's name)
    """False: no device was opened before a fork."""
    return False


def _cuda_clearCublasWorkspaces() -> None:  # noqa: N802  (PyTorch's name)
    """Does nothing."""


def _jit_switch(*args: Any) -> bool:
    """Does nothing, and says that it was off: there is no compiler whose ways could be chosen."""
    return False


_jit_set_profiling_executor = _jit_set_profiling_mode = _jit_set_texpr_fuser_enabled = _jit_switch
_jit_override_can_fuse_on_gpu = _jit_override_can_fuse_on_cpu = _jit_can_fuse_on_gpu = _jit_can_fuse_on_cpu = (
    _jit_switch
)
_jit_set_nvfuser_enabled = _jit_set_nvfuser_guard_mode = _jit_set_bailout_depth = _jit_switch


def _current_graph_task_id() -> int:
    """Which backward pass runs; -1 outside of one."""
    run = current_run()
    return -1 if run is None else id(run) % 2**31


def _show_config() -> str:
    """torch.__config__.show()."""
    from ..__config__ import show

    return show()


def _set_math_sdp_allow_fp16_bf16_reduction(allowed: bool) -> None:
    """Does nothing: attention of halves adds up in float32."""


def _current_autograd_node() -> Any:
    """The node whose gradient is calculated; None: chainrule does not tell."""
    return
