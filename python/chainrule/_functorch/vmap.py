"""torch._functorch.vmap: names by which packages would change PyTorch's vmap; they raise."""

from __future__ import annotations

from collections.abc import Callable

from .._core import Tensor as Tensor
from ..compat.refusal import refused
from ..func.vmap import vmap as vmap
from ..pytree import broadcast_prefix as _broadcast_to_and_flatten
from ..pytree import tree_flatten as tree_flatten
from ..pytree import tree_unflatten as tree_unflatten

__all__ = ["Tensor", "_broadcast_to_and_flatten", "tree_flatten", "tree_unflatten", "vmap"]

_NAMES = (
    *("_add_batch_dim", "_remove_batch_dim", "_maybe_remove_batch_dim", "_create_batched_inputs", "_unwrap_batched"),
    *("_process_batched_inputs", "_validate_and_get_batch_size", "_flat_vmap"),
)
globals().update(
    {_name: refused(f"_functorch.vmap.{_name}", "chainrule's vmap has parts of its own") for _name in _NAMES}
)


def _get_name(func: Callable) -> str:
    """What a function is called in messages."""
    return getattr(func, "__name__", repr(func))
