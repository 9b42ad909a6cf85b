"""Under the name torch, chainrule's classes say that they are torch's: libraries dispatch on `type(x).__module__`.

Once the alias is installed, every class and function of a module of chainrule that is loaded, or will be, has torch in
the place of chainrule in its `__module__`, and the module is known as torch.<name> too, so that pickle, inspect and
typing find it there.
"""

from __future__ import annotations

import ctypes
import importlib.abc
import importlib.machinery
import sys
from types import FunctionType, ModuleType
from typing import Any

_KEPT = ("chainrule.explain", "chainrule.torch_alias", "chainrule.command_line", "chainrule.spawned_script")
_PATH_FINDER = importlib.machinery.PathFinder
_HEAP_TYPE = 1 << 9  # Py_TPFLAGS_HEAPTYPE: made by a class statement, or like one
_texts: list[bytes] = []


def rename_all() -> None:
    """Gives what is loaded its name in torch, and what will be loaded too."""
    for name, module in list(sys.modules.items()):
        if _is_ours(name) and module is not None:
            rename(module)
    if not any(isinstance(finder, _Renaming) for finder in sys.meta_path):
        sys.meta_path.insert(0, _Renaming())


def _is_ours(name: str) -> bool:
    return (name == "chainrule" or name.startswith("chainrule.")) and not name.startswith(_KEPT)


def rename(module: ModuleType) -> None:
    """Gives the classes and functions that a module defines their names in torch."""
    own = module.__name__
    if own != "chainrule":  # torch itself is a module of its own
        sys.modules.setdefault(f"torch{own.removeprefix('chainrule')}", module)
    for value in list(vars(module).values()):
        if isinstance(value, (type, FunctionType)) and _is_ours(str(getattr(value, "__module__", ""))):
            if isinstance(value, type) and not value.__flags__ & _HEAP_TYPE:
                _rename_static(value)
            else:
                value.__module__ = f"torch{value.__module__.removeprefix('chainrule').removeprefix('._core')}"


def _rename_static(kind: type) -> None:
    """Renames a type of the core. The name of such a type is a text in C, the first field behind the object's head."""
    text = f"torch.{kind.__name__}".encode()
    _texts.append(text)  # the type points to it from now on
    head = object.__basicsize__ + ctypes.sizeof(ctypes.c_ssize_t)
    ctypes.c_char_p.from_address(id(kind) + head).value = text


class _Renaming(importlib.abc.MetaPathFinder):
    """Finds modules of chainrule as ever, and renames what they define once they have run."""

    def find_spec(self, fullname: str, path: Any = None, target: Any = None) -> Any:
        """The usual spec with a loader that renames; None for all but chainrule's modules."""
        if not _is_ours(fullname):
            return None
        spec = _PATH_FINDER.find_spec(fullname, path, target)
        if spec is None or spec.loader is None:
            return None
        loader = spec.loader
        run = loader.exec_module

        def run_and_rename(module: ModuleType) -> None:
            run(module)
            rename(module)

        loader.exec_module = run_and_rename  # type: ignore[method-assign]
        return spec
