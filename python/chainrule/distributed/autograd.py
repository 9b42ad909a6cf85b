"""torch.distributed.autograd: gradients through remote calls, which chainrule does not have."""

from ..compat.refusal import refuses_all

__getattr__ = refuses_all("distributed.autograd", "chainrule has no remote calls, so no gradients cross them")


def is_available() -> bool:
    """False."""
    return False
