"""torch.fx.graph_module: recorded programs as modules, which there are none of."""

from ..refusal import refused, refused_class
from . import GraphModule as GraphModule

_REASON = "chainrule runs Python and records no programs"
_USER_PRESERVED_ATTRIBUTES_KEY = "_user_preserved_attributes"
_CodeOnlyModule = refused_class("fx.graph_module._CodeOnlyModule", _REASON)
_copy_attr = refused("fx.graph_module._copy_attr", _REASON)
