"""The named tuples of functions with several results, as torch.return_types: a pickle finds them here."""

from typing import Any

from ._core import result_types

__all__ = sorted(result_types)  # pyright: ignore[reportUnsupportedDunderAll]
all_return_types = list(result_types.values())


def __getattr__(name: str) -> Any:
    if (plain := name.removesuffix("_out")) in result_types:  # with out= PyTorch returns a type of its own
        return result_types[plain]
    raise AttributeError(f"module 'chainrule.return_types' has no attribute '{name}'")
