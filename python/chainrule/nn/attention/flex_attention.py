"""torch.nn.attention.flex_attention: its names can be imported and raise when they are used."""

from ...compat.refusal import refuses_all

__getattr__ = refuses_all(
    "nn.attention.flex_attention",
    "chainrule does not compile scores of attention; scaled_dot_product_attention takes a mask of numbers",
)
