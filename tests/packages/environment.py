"""Environments that have other people's packages and this chainrule, and no PyTorch.

A file says that PyTorch is installed, so that pip does not bring it; `chainrule run` takes its name.
"""

from __future__ import annotations

import importlib
import subprocess
import time
import venv
from collections.abc import Iterable
from pathlib import Path

ROOT = Path(__file__).parent.parent.parent
# chainrule's own LAPACK, and what other packages look for while they are imported.
BESIDE = ("scipy-openblas32", "tabulate", "mpi4py", "mpich", "torchaudio", "bitsandbytes", "setuptools<81")
# The newest of everything that other packages would take back to an older one, and thereby break the others.
CONSTRAINTS = "torch==2.13.0\nnumpy>=2\ntransformers>=5\n"
SOURCES = ("efficientnet-pytorch", "grad-cam")  # their newest releases have no wheels, older ones do
REQUIRED_SOURCE = "antlr4-python3-runtime"  # required by hydra-core, has no wheel


def environment(folder: Path, packages: Iterable[str], limit: float | None = None) -> Path:
    """An environment with the packages, as far as they can be installed; its interpreter.

    Raises:
        TimeoutError: it takes more seconds than the limit.
    """
    began = time.monotonic()
    python = folder / "bin" / "python"
    if not python.exists():
        venv.create(folder, with_pip=True)
    site = next((folder / "lib").glob("python*/site-packages"))
    link_chainrule(site)
    say_that_torch_is_there(site)
    (folder / "constraints.txt").write_text(CONSTRAINTS)
    for package in (*BESIDE, *packages):
        if limit is not None and time.monotonic() - began > limit:
            raise TimeoutError
        if not install(python, folder, package):
            print(f"{package} could not be installed", flush=True)
    return python


def install(python: Path, folder: Path, package: str) -> bool:
    """Installs a package with what it requires: wheels, and a source of the package itself where it has no wheel."""
    pip = [python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--only-binary=:all:"]
    pip.append(f"--no-binary={REQUIRED_SOURCE}")
    command = [*pip, "-c", folder / "constraints.txt", package]
    if package in SOURCES:
        command.append(f"--no-binary={package}")
    done = subprocess.run(command, check=False, capture_output=True)
    return done.returncode == 0 or subprocess.run([*command, f"--no-binary={package}"], check=False).returncode == 0


def link_chainrule(site: Path) -> None:
    """Links to each of chainrule's files; an editable install keeps the compiled core away from the others."""
    core = importlib.import_module("chainrule._core").__file__
    assert core is not None
    package = site / "chainrule"
    package.mkdir(exist_ok=True)
    for file in (*(ROOT / "python" / "chainrule").iterdir(), Path(core)):
        link = package / file.name
        if file.name != "__pycache__" and link.resolve() != file.resolve():
            link.unlink(missing_ok=True)
            link.symlink_to(file)


def say_that_torch_is_there(site: Path) -> None:
    """What pip asks for to believe that PyTorch is installed."""
    said = site / "torch-2.13.0.dist-info"
    said.mkdir(exist_ok=True)
    (said / "METADATA").write_text("Metadata-Version: 2.1\nName: torch\nVersion: 2.13.0\n")
    (said / "INSTALLER").write_text("pip\n")
    (said / "RECORD").write_text("".join(f"{said.name}/{f},,\n" for f in ("METADATA", "INSTALLER", "RECORD")))
