"""`import chainrule as torch` followed by `import torch.nn as nn`: every tutorial begins so.

An import statement looks for a package called torch, whatever the program calls torch. Where the importing code's own
`torch` is chainrule, chainrule is what it means, also beside an installed PyTorch.
"""

from __future__ import annotations

import sys
from typing import Any


class HeaderFinder:
    """Answers for torch where the statement that asks stands in a program whose `torch` is chainrule."""

    def find_spec(self, fullname: str, path: Any = None, target: Any = None) -> Any:
        """The alias's spec of torch; None for all other modules and programs."""
        if fullname != "torch" or not _means_chainrule():
            return None
        from . import torch_alias

        torch_alias.install()
        return next(f for f in sys.meta_path if isinstance(f, torch_alias.TorchFinder)).find_spec(
            fullname, path, target
        )


def _means_chainrule() -> bool:
    frame: Any = sys._getframe(2)
    while frame is not None and frame.f_globals.get("__name__", "").startswith(("importlib", "_frozen_importlib")):
        frame = frame.f_back
    if frame is None:
        return False
    ours = sys.modules.get("chainrule")
    return frame.f_locals.get("torch") is ours or frame.f_globals.get("torch") is ours


def install() -> None:
    """From now on such programs work; an import of any other module pays for one comparison."""
    if not any(type(finder).__name__ == "HeaderFinder" for finder in sys.meta_path):
        sys.meta_path.insert(0, HeaderFinder())  # type: ignore[arg-type]
