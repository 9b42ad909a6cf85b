"""What a bug report should say of the machine: `python -m chainrule.utils.collect_env`."""

from __future__ import annotations

import importlib.metadata
import os
import platform
import sys
from typing import NamedTuple

__all__ = ["SystemEnv", "get_env_info", "get_pretty_env_info", "main"]


class SystemEnv(NamedTuple):
    """What get_env_info finds."""

    torch_version: str
    chainrule_version: str
    is_debug_build: bool
    is_cuda_available: str
    os: str
    libc_version: str
    python_version: str
    python_platform: str
    cpu_info: str
    threads: int
    pip_packages: dict[str, str]


_PACKAGES = ("numpy", "scipy", "safetensors", "mpi4py", "tensorboard", "tqdm", "rich")


def _versions() -> dict[str, str]:
    found = {}
    for name in _PACKAGES:
        try:
            found[name] = importlib.metadata.version(name)
        except importlib.metadata.PackageNotFoundError:
            continue
    return found


def _cpu() -> str:
    try:
        with open("/proc/cpuinfo") as file:
            models = [line.partition(":")[2].strip() for line in file if line.startswith("model name")]
    except OSError:
        models = []
    return f"{models[0] if models else platform.processor() or platform.machine()}, {os.cpu_count()} logical cores"


def get_env_info() -> SystemEnv:
    """Versions of chainrule, Python and the packages it works with, the system and the processor.

    >>> from torch.utils.collect_env import get_env_info
    >>> get_env_info().is_cuda_available
    'False'
    """
    import chainrule

    return SystemEnv(
        torch_version=str(chainrule.torch_version.__version__),
        chainrule_version=chainrule.__version__,
        is_debug_build=False,
        is_cuda_available="False",
        os=f"{platform.system()} {platform.release()} ({platform.machine()})",
        libc_version="-".join(platform.libc_ver()),
        python_version=sys.version.replace("\n", " "),
        python_platform=platform.platform(),
        cpu_info=_cpu(),
        threads=chainrule.get_num_threads(),
        pip_packages=_versions(),
    )


def get_pretty_env_info() -> str:
    """The same as text, a line each.

    >>> from torch.utils.collect_env import get_pretty_env_info
    >>> "Python version" in get_pretty_env_info()
    True
    """
    info = get_env_info()
    packages = "".join(f"\n[pip] {name}=={version}" for name, version in info.pip_packages.items())
    return (
        f"chainrule version: {info.chainrule_version} (as PyTorch {info.torch_version})\n"
        f"CUDA available: no, chainrule runs on the CPU\n\n"
        f"OS: {info.os}\nLibc version: {info.libc_version}\n"
        f"Python version: {info.python_version}\nPython platform: {info.python_platform}\n\n"
        f"CPU: {info.cpu_info}\nThreads: {info.threads}\n\nVersions of relevant libraries:{packages}"
    )


def main() -> None:
    """Prints it."""
    print("Collecting environment information...")
    print(get_pretty_env_info())


if __name__ == "__main__":
    main()
