"""What there is to call: found by walking the public names, so that what is added later is tried too."""

from __future__ import annotations

import importlib.util
import os
import types
import warnings
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import chainrule

# Modules whose functions reach out of the process, start others, or do so on purpose what a fuzzer looks for.
LEFT_OUT_MODULES = {
    *("distributed", "multiprocessing", "hub", "utils.data", "utils.cpp_extension", "utils.bottleneck"),
    *("utils.tensorboard", "testing", "jit", "onnx", "ao", "fx", "compiler", "cuda", "xpu", "mps", "mtia"),
    *("accelerator", "profiler", "version", "types", "explain", "backends", "package", "utils.benchmark"),
    *("utils.model_zoo", "utils.show_pickle", "utils.collect_env", "utils.checkpoint", "futures", "quantization"),
}
# Functions that touch files, run what they are given as a program, or are slow on purpose.
LEFT_OUT = {"load", "save", "compile", "from_file", "share_memory_", "share_memory", "trace_module", "gradcheck"}
LEFT_OUT |= {"gradgradcheck", "set_num_interop_threads", "set_num_threads", "_make_subclass", "module_load"}


@dataclass(frozen=True)
class Target:
    """Something that can be called, by its path."""

    path: str  # torch.nn.functional.relu, torch.Tensor.add_
    name: str
    is_method: bool = False
    is_property: bool = False
    is_class: bool = False


@lru_cache
def targets() -> tuple[Target, ...]:
    """Everything public, in a fixed order."""
    seen: dict[int, str] = {}
    found: list[Target] = []
    for path, module in _modules():
        for name in sorted(getattr(module, "__all__", None) or dir(module)):
            value = _attribute(module, name)
            if name.startswith("_") or name in LEFT_OUT or not callable(value) or isinstance(value, types.ModuleType):
                continue
            if id(value) in seen or not _is_own(value) or _is_exception(value):
                continue
            seen[id(value)] = name
            found.append(Target(f"{path}.{name}", name, is_class=isinstance(value, type)))
    return (*found, *_of_tensors())


def _of_tensors() -> list[Target]:
    found = []
    for name in sorted(dir(chainrule.Tensor)):
        if name in LEFT_OUT or (name.startswith("_") and not name.startswith("__")) or hasattr(object, name):
            continue
        value = getattr(chainrule.Tensor, name)
        if callable(value):
            found.append(Target(f"torch.Tensor.{name}", name, is_method=True))
        else:
            found.append(Target(name, name, is_property=True))
    return found


def _modules() -> list[tuple[str, types.ModuleType]]:
    """The public modules, the nearest first."""
    found: dict[int, tuple[str, types.ModuleType]] = {}
    queue: list[tuple[str, types.ModuleType]] = [("torch", chainrule)]
    while queue:
        path, module = queue.pop(0)
        if id(module) in found or not _is_public(path):
            continue
        found[id(module)] = path, module
        for name in sorted(dir(module)):
            if name.startswith("_") or not _is_public(f"{path}.{name}"):
                continue
            value = _attribute(module, name)
            if isinstance(value, types.ModuleType) and value.__name__.startswith("chainrule"):
                queue.append((f"{path}.{name}", value))
    return list(found.values())


def _is_public(path: str) -> bool:
    """Whether PyTorch has a module of that name; it is looked for without being imported."""
    spec = importlib.util.find_spec("torch")
    if path == "torch" or spec is None or not spec.submodule_search_locations:
        return path == "torch"
    inner = path.removeprefix("torch.")
    place = os.path.join(spec.submodule_search_locations[0], *inner.split("."))
    return inner not in LEFT_OUT_MODULES and (os.path.isdir(place) or os.path.isfile(place + ".py"))


def _attribute(module: Any, name: str) -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return getattr(module, name)
        except Exception:  # a name that says why it is not here
            return None


def _is_own(value: Any) -> bool:
    module = getattr(value, "__module__", None) or getattr(type(value), "__module__", "")
    return str(module).startswith(("chainrule", "torch"))


def _is_exception(value: Any) -> bool:
    return isinstance(value, type) and issubclass(value, BaseException)
