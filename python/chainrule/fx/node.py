"""torch.fx.node: steps of recorded programs, which there are none of."""

from typing import Any

from ..refusal import refused
from . import Node as Node

Argument = Target = Any
map_arg = refused("fx.node.map_arg", "chainrule runs Python and records no programs")
