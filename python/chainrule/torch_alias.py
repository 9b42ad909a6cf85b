"""`import torch` that gives chainrule, in this process only: what `chainrule run` installs.

A finder at the head of sys.meta_path answers for torch, functorch and everything below them. torch itself is a module
of its own, because its version differs; its submodules are chainrule's. Nothing on disk is touched, so an installed
PyTorch is hidden in this process and in no other. A process that multiprocessing starts anew gets the finder again,
through chainrule.spawned_script.
"""

from __future__ import annotations

import importlib
import importlib.abc
import importlib.machinery
import importlib.metadata
import sys
from collections.abc import Iterable
from types import ModuleType
from typing import Any

import chainrule

from ._core import dtype, layout, memory_format
from .compat.stand_ins import stand_in
from .suggestions import MissingName
from .torch_names import rename_all
from .torch_version import __version__


class TorchModule(ModuleType):
    """chainrule under the name torch."""

    def __init__(self) -> None:
        super().__init__("torch", chainrule.__doc__)
        self.__version__ = __version__
        self.__file__ = chainrule.__file__
        self.__path__ = chainrule.__path__  # it has submodules; the finder finds them, never this path

    def __getattr__(self, name: str) -> Any:
        try:
            value = _starred() if name == "__all__" else getattr(chainrule, name)
        except AttributeError:
            raise MissingName(missing(f"torch.{name}"), name, lambda: dir(self)) from None
        self.__dict__[name] = value  # found without this function the next time
        return value

    def __dir__(self) -> Iterable[str]:
        return dir(chainrule)

    def __repr__(self) -> str:
        return f"<module 'torch', which is chainrule ({chainrule.__file__})>"


def _starred() -> list[str]:
    """What `from torch import *` brings: functions and classes, but neither modules nor dtypes, which hide float."""
    plain = (ModuleType, dtype, layout, memory_format)
    found = {name for name, value in vars(chainrule).items() if name[0] != "_" and not isinstance(value, plain)}
    return sorted(found.union(*(names.split() for names in vars(chainrule)["_FILES"].values())))


def missing(name: str) -> str:
    """What to say of a name that chainrule lacks."""
    return f"chainrule has no {name}; `chainrule check <script>` lists all names that a script misses"


class _Loader(importlib.abc.Loader):
    """Gives an existing module under another name."""

    def __init__(self, module: ModuleType):
        self._module, self._spec = module, module.__spec__

    def create_module(self, spec: importlib.machinery.ModuleSpec) -> ModuleType:
        """The module that exists."""
        return self._module

    def exec_module(self, module: ModuleType) -> None:
        """Gives a module of chainrule its own spec back, which the import system has replaced."""
        if self._spec is not None:
            module.__spec__ = self._spec


class _Distribution(importlib.metadata.Distribution):
    """What tells other packages that torch is installed, and in which version."""

    def read_text(self, filename: str) -> str | None:
        """The metadata."""
        return f"Metadata-Version: 2.1\nName: torch\nVersion: {__version__}\n" if filename == "METADATA" else None

    def locate_file(self, path: Any) -> Any:
        """Raises: nothing is installed under this name."""
        raise FileNotFoundError(f"torch is chainrule in this process; it has no file {path}")


class TorchFinder(importlib.metadata.DistributionFinder):
    """Finds torch and its submodules in chainrule."""

    def find_spec(self, fullname: str, path: Any = None, target: Any = None) -> importlib.machinery.ModuleSpec | None:
        """The spec of torch, functorch or a module below them; None for all others."""
        if fullname.partition(".")[0] not in ("torch", "functorch"):
            return None
        module = TorchModule() if fullname == "torch" else _submodule(fullname)
        # torch_names has put it there, and the import system would take its spec and load it a second time.
        sys.modules.pop(fullname, None)
        is_package = hasattr(module, "__path__")
        spec = importlib.machinery.ModuleSpec(fullname, _Loader(module), is_package=is_package)
        spec.origin = module.__file__
        return spec

    def find_distributions(self, context: Any = None) -> Iterable[importlib.metadata.Distribution]:
        """The distribution torch."""
        name = getattr(context, "name", None)
        return [_Distribution()] if name is None or name.lower() == "torch" else []


class StandInFinder(importlib.abc.MetaPathFinder):
    """`from torch.utils.data._utils import signal_handling`: asked last, for files that chainrule does not have."""

    def find_spec(self, fullname: str, path: Any = None, target: Any = None) -> importlib.machinery.ModuleSpec | None:
        """The spec of a module that stands in for PyTorch's; None for all others."""
        found = stand_in(fullname.removeprefix("chainrule.")) if fullname.startswith("chainrule.") else None
        return None if found is None else importlib.machinery.ModuleSpec(fullname, _Loader(found), is_package=True)


def _submodule(fullname: str) -> ModuleType:
    own = "chainrule." + fullname.removeprefix("torch.")  # PyTorch's package brings functorch, beside torch
    try:
        return importlib.import_module(own)
    except ModuleNotFoundError as error:
        if error.name is None or not (own + ".").startswith(error.name + "."):
            raise  # the module is there, and misses something else
        found = stand_in(own.removeprefix("chainrule."))
        if found is None:
            raise ModuleNotFoundError(missing(fullname), name=fullname) from None
        return found


def install() -> None:
    """From now on `import torch` gives chainrule in this process."""
    loaded = sys.modules.get("torch")
    if loaded is not None and not isinstance(loaded, TorchModule):
        raise RuntimeError("PyTorch is already imported in this process: chainrule cannot take its name any more")
    if not any(isinstance(finder, TorchFinder) for finder in sys.meta_path):
        sys.meta_path.insert(0, TorchFinder())
        sys.meta_path.append(StandInFinder())
        rename_all()
