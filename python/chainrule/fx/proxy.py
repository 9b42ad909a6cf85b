"""torch.fx.proxy: what stands for a value while a program is recorded; none is."""

from ..refusal import refused_class
from . import Proxy as Proxy

GraphAppendingTracer = refused_class("fx.proxy.GraphAppendingTracer", "chainrule runs Python and records no programs")
