"""What the processor can do."""

from .. import _core


def get_cpu_capability() -> str:
    """The instruction set that the kernels use, in PyTorch's words."""
    return {"v2": "DEFAULT", "v3": "AVX2", "v4": "AVX512"}.get(_core.instruction_set(), "DEFAULT")
