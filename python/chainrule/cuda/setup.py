"""Where NVIDIA's libraries are, and where compiled kernels are kept. The core asks when it first needs a GPU."""

from __future__ import annotations

import os
import sys
from pathlib import Path


def library_folders() -> list[str]:
    """NVIDIA's own Python packages first, then a toolkit; what the system finds by name comes after all of them."""
    named = os.environ.get("CHAINRULE_CUDA_LIBRARIES")
    if named is not None:
        return named.split(os.pathsep)
    found = [str(lib) for entry in sys.path for lib in sorted(Path(entry or ".").glob("nvidia/*/lib"))]
    toolkits = [os.environ.get("CUDA_HOME"), os.environ.get("CUDA_PATH"), "/usr/local/cuda"]
    return [*found, *(f"{toolkit}/lib64" for toolkit in toolkits if toolkit and os.path.isdir(f"{toolkit}/lib64"))]


def cache_folder() -> str:
    """For compiled kernels; CHAINRULE_CUDA_CACHE names another one, and none if it is empty."""
    named = os.environ.get("CHAINRULE_CUDA_CACHE")
    if named is not None:
        return named
    caches = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
    return os.path.join(caches, "chainrule", "cuda")
