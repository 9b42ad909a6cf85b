"""torch._dynamo.eval_frame: the class that packages compare modules with."""

from . import OptimizedModule as OptimizedModule


def is_dynamo_supported() -> bool:
    """False: chainrule does not compile."""
    return False
