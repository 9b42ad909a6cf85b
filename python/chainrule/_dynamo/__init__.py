"""The settings of PyTorch's compiler that scripts change; chainrule does not compile, so they change nothing."""

from ..compiler import allow_in_graph as allow_in_graph
from ..compiler import assume_constant_result as assume_constant_result
from ..compiler import disable as disable
from ..compiler import is_compiling as is_compiling
from ..compiler import reset as reset
from ..refusal import refused_class
from . import config as config

OptimizedModule = refused_class("_dynamo.OptimizedModule", "chainrule does not compile; torch.compile gives the module")
