"""torch.fx.experimental.proxy_tensor: recording by running a program; nothing is recorded."""

from ...refusal import refused

make_fx = refused(
    "fx.experimental.proxy_tensor.make_fx",
    "chainrule runs Python and records no programs; chainrule.explain shows the graph of gradients",
)


def get_proxy_mode() -> None:
    """None: no program is being recorded."""
    return
