"""A GPU that is not there: the driver and the compiler of CUDA, emulated on the host, for machines without one."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import scipy_openblas32

HERE = Path(__file__).parent
LIBRARIES = (
    "libcuda.so.1",
    "libnvrtc.so.13",
    "libcublasLt.so.13",
    "libcublas.so.13",
    "libcusolver.so.12",
    "libcudnn.so.9",
    "libcufft.so.12",
)


def folder() -> Path:
    """Builds the libraries where they are out of date, and says where they are."""
    to = HERE.parents[1] / "build" / "emulated-gpu"
    library = to / "libemulated.so"
    sources = sorted(HERE.glob("*.[ch]pp"))
    if not library.exists() or library.stat().st_mtime < max(s.stat().st_mtime for s in sources):
        to.mkdir(parents=True, exist_ok=True)
        compiler = os.environ.get("CXX", "g++")
        fresh = to / f"libemulated.{os.getpid()}.so"
        defines = [f'-DEMULATED_COMPILER="{compiler}"', f'-DEMULATED_SOURCES="{HERE}"']
        files = [str(s) for s in sources if s.suffix == ".cpp"]
        subprocess.run(
            [compiler, "-std=c++20", "-O2", "-fPIC", "-shared", *defines, *files, "-o", str(fresh), "-ldl"], check=True
        )
        fresh.rename(library)
    for name in LIBRARIES:
        if not (to / name).exists():
            (to / name).symlink_to(library.name)
    return to


def environment() -> dict[str, str]:
    """What a process needs to take the emulated GPU for a real one."""
    build = HERE.parents[1] / "build"
    kernels, texts = build / "emulated-kernels", build / "emulated-texts"
    texts.mkdir(parents=True, exist_ok=True)
    lapack = Path(scipy_openblas32.get_lib_dir()) / f"lib{scipy_openblas32.get_library()}.so"
    return {
        "CHAINRULE_CUDA_LIBRARIES": str(folder()),
        "CHAINRULE_CUDA_CACHE": str(kernels),
        "EMULATED_LAPACK": str(lapack),
        "EMULATED_TEXTS": str(texts),  # for the real compiler
    }
