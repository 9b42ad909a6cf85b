"""torch.fx.passes: what is calculated from graphs."""

from . import shape_prop as shape_prop
