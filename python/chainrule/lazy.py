"""Packages that load their files when one of their names is first asked for."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable, Iterable, Mapping
from typing import Any


def load(
    package: str, files: Mapping[str, str], submodules: Iterable[str] = (), reach_files: bool = True
) -> tuple[Callable, Callable, list[str]]:
    """`__getattr__`, `__dir__` and `__all__` of a package.

    No name may be that of a file: importing the file would put the module in the place of what it defines.

    Args:
        files: the public names that each file of the package defines, separated by blanks.
        submodules: files that are public themselves.
        reach_files: whether the other files are attributes of the package, too.
    """
    file_of = {name: file for file, names in files.items() for name in names.split()}
    modules = {*files, *submodules} if reach_files else {*submodules}
    known = sorted({*file_of, *submodules})

    def getattribute(name: str) -> Any:
        if name in file_of:
            value = getattr(importlib.import_module(f"{package}.{file_of[name]}"), name)
            sys.modules[package].__dict__[name] = value
            return value
        if name in modules:
            return importlib.import_module(f"{package}.{name}")
        raise AttributeError(f"module '{package}' has no attribute '{name}'")

    return getattribute, lambda: sorted({*known, *sys.modules[package].__dict__}), known


def elsewhere(module: str, file: str) -> Callable[[str], Any]:
    """`__getattr__` of a module some of whose names are in another file beside it; PyTorch has them in one."""

    def getattribute(name: str) -> Any:
        if not name.startswith("__"):
            other = importlib.import_module(f"{module.rpartition('.')[0]}.{file}")
            if name in other.__all__:
                return getattr(other, name)
        raise AttributeError(f"module '{module}' has no attribute '{name}'")

    return getattribute
