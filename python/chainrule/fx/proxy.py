"""torch.fx.proxy: what stands for a value while a program is recorded; none is."""

from . import Proxy as Proxy
