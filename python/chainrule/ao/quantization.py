"""torch.ao.quantization: packages name its names in passing, so they can be imported; they raise when they are used."""

from ..refusal import refuses_all

__getattr__ = refuses_all("ao.quantization", "chainrule has no quantisation; float16 and bfloat16 take half the memory")
