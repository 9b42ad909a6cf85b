"""torch.fx.experimental.proxy_tensor: recording by running a program on tensors; symbolic_trace is what there is."""

from ...compat.refusal import refused

make_fx = refused(
    "fx.experimental.proxy_tensor.make_fx",
    "chainrule has no dispatcher whose operations could be recorded; torch.fx.symbolic_trace records programs",
)


def get_proxy_mode() -> None:
    """None: no program is being recorded in this way."""
    return
