"""torch.utils.flop_counter: its names can be imported and raise when they are used."""

from ..refusal import refuses_all

__getattr__ = refuses_all(
    "utils.flop_counter", "chainrule does not count operations; torch.profiler.profile times them"
)
