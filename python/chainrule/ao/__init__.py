"""torch.ao: quantisation, which chainrule leaves out."""

from . import quantization

__all__ = ["quantization"]
