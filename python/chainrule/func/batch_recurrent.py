"""Recurrent networks inside vmap, written out in operations that have rules."""

from __future__ import annotations

from typing import Any

from ..amp import composed as written_out
from .batch_rules import RULES, Call, loop_quietly
from .batched import at_depth

_KINDS = ("lstm", "gru", "rnn_tanh", "rnn_relu")


def _recurrent(call: Call, input: Any, *args: Any, **kwargs: Any) -> Any:
    name = call.function.__name__
    dims = 2 if name.endswith("_cell") else 3
    if kwargs or input.ndim != dims:  # packed sequences, or one sequence without a batch
        return loop_quietly(call, call.function, (input, *args), kwargs)
    with at_depth(call.level):
        return getattr(written_out, name)(input, *args)


RULES.update(dict.fromkeys([f"{kind}{ending}" for kind in _KINDS for ending in ("", "_cell")], _recurrent))
