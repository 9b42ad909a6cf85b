"""What chainrule is built with, as torch.__config__."""

from __future__ import annotations

from . import _core


def show() -> str:
    """A description of the build."""
    from . import __version__

    lines = (f"chainrule {__version__}", "no BLAS library: own kernels", "USE_CUDA=OFF, USE_MKL=OFF, USE_MKLDNN=OFF")
    return "PyTorch's interface on:\n" + "".join(f"  - {line}\n" for line in lines)


def parallel_info() -> str:
    """How many threads it uses."""
    return f"chainrule's thread pool:\n\tget_num_threads() : {_core.get_num_threads()}\n"
