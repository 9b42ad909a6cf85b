"""The names that PyTorch's files use for types and functions, and what they are called here."""

from __future__ import annotations

import importlib
import sys
from types import FunctionType
from typing import Any

from .. import _core, nn, storage
from .._core import UntypedStorage
from .._utils import REBUILD

_STORAGE_DTYPES = {
    "ByteStorage": _core.uint8,
    "CharStorage": _core.int8,
    "ShortStorage": _core.int16,
    "IntStorage": _core.int32,
    "LongStorage": _core.int64,
    "HalfStorage": _core.float16,
    "BFloat16Storage": _core.bfloat16,
    "FloatStorage": _core.float32,
    "DoubleStorage": _core.float64,
    "ComplexFloatStorage": _core.complex64,
    "ComplexDoubleStorage": _core.complex128,
    "BoolStorage": _core.bool,
}


class StorageType:
    """What stands in a file for a storage with a dtype, torch.FloatStorage for example."""

    def __init__(self, name: str, dtype: _core.dtype):
        self.name, self.dtype = name, dtype

    def __repr__(self) -> str:
        return f"torch.{self.name}"


STORAGE_TYPES = {name: StorageType(name, dtype) for name, dtype in _STORAGE_DTYPES.items()}
STORAGE_TYPE_OF = {kind.dtype: kind for kind in STORAGE_TYPES.values()}

# Where PyTorch's own reader looks for these, which differs from where they are defined here.
_WRITTEN: dict[Any, tuple[str, str]] = {
    **{function: (name.rpartition(".")[0], name.rpartition(".")[2]) for name, function in REBUILD.items()},
    nn.Parameter: ("torch.nn.parameter", "Parameter"),
    nn.Buffer: ("torch.nn.parameter", "Buffer"),
    UntypedStorage: ("torch.storage", "UntypedStorage"),
    storage.TypedStorage: ("torch.storage", "TypedStorage"),
    _core.Generator: ("torch", "Generator"),
}


# Files here whose classes are in other files of PyTorch.
_PLACES = {
    "nn.modules.margin_loss": "nn.modules.loss",
    "nn.modules.rnn_cells": "nn.modules.rnn",
    "nn.modules.attention": "nn.modules.activation",
    "nn.modules.parameter_container": "nn.modules.container",
    "nn.parallel.single_device": "nn.parallel.data_parallel",
    "nn.packed": "nn.utils.rnn",
    "optim.adafactor": "optim",
    "optim.muon": "optim",
    **{
        f"optim.lr_scheduler.{file}": "optim.lr_scheduler"
        for file in ("combined", "cosine", "cycles", "factors", "plateau", "scheduler")
    },
    **{
        f"distributions.{file}": "distributions.transforms"
        for file in ("transform", "elementwise_transforms", "shaped_transforms")
    },
}


def written_name(obj: Any, module: str, name: str) -> tuple[str, str]:
    """The module and the name under which PyTorch knows something that chainrule defines."""
    if isinstance(obj, StorageType):
        return "torch", obj.name
    if isinstance(obj, (type, FunctionType)) and obj in _WRITTEN:
        return _WRITTEN[obj]
    if module.partition(".")[0] == "torch":  # under the alias, classes say that they are torch's
        module = f"chainrule{module.removeprefix('torch')}"
    elif module.partition(".")[0] != "chainrule":
        return module, name
    parts = module.split(".")
    if isinstance(obj, type) and parts[1:2] and parts[1] in ("nn", "optim", "distributions"):
        place = ".".join(parts[1:])
        return f"torch.{_PLACES.get(place, place)}", name
    for end in range(1, len(parts) + 1):  # the shortest path is the public one
        place = sys.modules.get(".".join(parts[:end]))
        if getattr(place, name, None) is obj:
            return ".".join(["torch", *parts[1:end]]), name
    return module, name


def object_of(module: str, name: str) -> Any:
    """What PyTorch's name stands for here; only for files that are trusted, since it imports modules."""
    if f"{module}.{name}" in REBUILD:
        return REBUILD[f"{module}.{name}"]
    if name in STORAGE_TYPES and module in ("torch", "torch.cuda", "torch.storage"):
        return STORAGE_TYPES[name]
    parts = ["chainrule", *module.split(".")[1:]]
    for end in range(len(parts), 0, -1):  # classes of nn.modules may be in another file of nn.modules here
        try:
            value: Any = importlib.import_module(".".join(parts[:end]))
            for part in name.split("."):
                value = getattr(value, part)
            return value
        except (ImportError, AttributeError):
            continue
    raise AttributeError(f"chainrule has no {module}.{name}, which this file needs")
