"""torch.quantization: torch.ao.quantization by its old name. Its names raise when they are used."""

from .refusal import refuses_all

__getattr__ = refuses_all("quantization", "chainrule has no quantisation; float16 and bfloat16 take half the memory")
