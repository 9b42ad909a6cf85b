"""Builds wheels that run on other machines than this one: `make wheel`.

Everything is compiled by zig's clang, a package of PyPI, for each target below and each Python that is found here. It
compiles for other processors too, and links against the oldest C library that a wheel may ask for, with
its own C++ library inside. The headers are those of the Python at hand: CPython's are the same on every 64-bit
little-endian machine, apart from the names of features that an extension does not use. Kernels do not know Python, so
zig's cache gives them to every Python but the first.
"""

import argparse
import importlib.util
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parents[1]
WORK = ROOT / "build" / "wheels"
OUTPUT = ROOT / "dist"
VERSIONS = ("3.11", "3.12", "3.13", "3.14")


class Target(NamedTuple):
    triple: str  # as zig calls it
    system: str  # as CMake calls it
    processor: str
    suffix: str  # of the module's name, after cpython-311-
    platform: str  # of the wheel's name


# glibc 2.17 is that of manylinux2014, the oldest for which PyPI's installers still look first: systems of 2014 and
# later. C++20 asks for nothing newer, because zig brings its C++ library along.
TARGETS = {
    "x86_64": Target(
        "x86_64-linux-gnu.2.17", "Linux", "x86_64", "x86_64-linux-gnu", "manylinux2014_x86_64.manylinux_2_17_x86_64"
    ),
    "aarch64": Target(
        "aarch64-linux-gnu.2.17",
        "Linux",
        "aarch64",
        "aarch64-linux-gnu",
        "manylinux2014_aarch64.manylinux_2_17_aarch64",
    ),
}


class Interpreter(NamedTuple):
    path: str
    version: str  # "3.12"
    headers: str

    @property
    def tag(self) -> str:
        return "cp" + self.version.replace(".", "")


def run(*command: str | Path) -> None:
    """Runs a command quietly; its output is shown when it fails."""
    result = subprocess.run(
        [*map(str, command)], text=True, check=False, stdout=subprocess.PIPE, stderr=subprocess.STDOUT
    )
    if result.returncode:
        sys.exit(f"{result.stdout}\nfailed with {result.returncode}: {' '.join(map(str, command))}")


# ---- Interpreters ----------------------------------------------------------------------------------------------------

DESCRIBE = """
import sys, sysconfig
assert sys.implementation.name == "cpython" and not sysconfig.get_config_var("Py_GIL_DISABLED")
print("{}.{}".format(*sys.version_info), sysconfig.get_path("platinclude"), sep="\\n")
"""


def described(path: str) -> Interpreter | None:
    result = subprocess.run([path, "-c", DESCRIBE], capture_output=True, text=True, check=False)
    if result.returncode:
        return None
    version, headers = result.stdout.splitlines()
    return Interpreter(path, version, headers) if Path(headers, "Python.h").exists() else None


def interpreters(wanted: list[str]) -> list[Interpreter]:
    """Those asked for, which have to work; otherwise each version that is on the path with its headers."""
    if wanted:
        found = {path: described(path) for path in wanted}
        if missing := [path for path, interpreter in found.items() if not interpreter]:
            sys.exit(f"no CPython with its headers: {', '.join(missing)}")
        return [interpreter for interpreter in found.values() if interpreter]
    on_path = [shutil.which(f"python{version}") for version in VERSIONS]
    return [interpreter for path in on_path if path and (interpreter := described(path))]


def copied_headers(interpreter: Interpreter) -> Path:
    """Its headers in a folder without others. Debian's pyconfig.h only names another one, beside the C library's."""
    folder = WORK / f"headers-{interpreter.tag}"
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(interpreter.headers, folder)
    machine = f"{os.uname().machine}-linux-gnu"
    elsewhere = Path(interpreter.headers).parent / machine / Path(interpreter.headers).name / "pyconfig.h"
    if elsewhere.exists():
        shutil.copy2(elsewhere, folder)  # with its time, for ninja
    return folder


# ---- Compiling -------------------------------------------------------------------------------------------------------

COMPILER = """\
#!{python}
# Zig takes a processor after -march with underscores only.
import os, re, sys
given = [re.sub("^-march=x86-64-v", "-march=x86_64_v", a) for a in sys.argv[1:]]
os.execv({zig!r}, [{zig!r}, "c++", "-target", {triple!r}, *given])
"""


def compiler(name: str, target: Target) -> Path:
    ziglang = importlib.util.find_spec("ziglang")  # a package of PyPI that is a program
    assert ziglang
    assert ziglang.origin
    path = WORK / f"c++-{name}"
    path.parent.mkdir(parents=True, exist_ok=True)
    zig = Path(ziglang.origin).parent / "zig"
    path.write_text(COMPILER.format(python=sys.executable, zig=str(zig), triple=target.triple))
    path.chmod(0o755)
    return path


def compile_core(name: str, target: Target, interpreter: Interpreter) -> Path:
    """The module _core for one target and Python."""
    folder, tools = WORK / f"{name}-{interpreter.tag}", Path(sys.executable).parent
    settings = {
        "CMAKE_BUILD_TYPE": "Release",
        "CMAKE_MAKE_PROGRAM": tools / "ninja",
        "CMAKE_CXX_COMPILER": compiler(name, target),
        "CMAKE_CXX_COMPILER_LAUNCHER": "",  # zig keeps what it has compiled by itself
        "CMAKE_SYSTEM_NAME": target.system,
        "CMAKE_SYSTEM_PROCESSOR": target.processor,
        "Python_EXECUTABLE": interpreter.path,
        "Python_INCLUDE_DIR": copied_headers(interpreter),
        "SKBUILD_SOABI": f"cpython-{interpreter.tag[2:]}-{target.suffix}",
        "nanobind_DIR": nanobind_folder(),
    }
    given = [f"-D{name}={value}" for name, value in settings.items()]
    run(tools / "cmake", "-S", ROOT, "-B", folder, "-G", "Ninja", *given)
    subprocess.run([tools / "cmake", "--build", folder], check=True)  # shown as it goes: this takes minutes
    (module,) = folder.glob("_core.*.so")
    return module


def nanobind_folder() -> str:
    import nanobind

    return nanobind.cmake_dir()


# ---- Wheels ----------------------------------------------------------------------------------------------------------


def python_part() -> Path:
    """A wheel of everything but the module, unpacked."""
    folder = WORK / "python"
    shutil.rmtree(folder, ignore_errors=True)
    run(
        *(sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--no-build-isolation"),
        *("-C", "wheel.cmake=false", "--wheel-dir", folder, ROOT),
    )
    (wheel,) = folder.glob("*.whl")
    run(sys.executable, "-m", "wheel", "unpack", "--dest", folder, wheel)
    (unpacked,) = (path for path in folder.iterdir() if path.is_dir())
    return unpacked


def assemble(unpacked: Path, module: Path, interpreter: Interpreter, platform: str) -> Path:
    """The wheel of one module."""
    for old in (unpacked / "chainrule").glob("_core.*.so"):
        old.unlink()
    shutil.copy(module, unpacked / "chainrule")
    (facts,) = unpacked.glob("*.dist-info/WHEEL")
    kept = re.sub("(?m)^(Tag|Root-Is-Purelib):.*\n", "", facts.read_text()).rstrip()
    tags = [f"Tag: {interpreter.tag}-{interpreter.tag}-{part}" for part in platform.split(".")]
    facts.write_text("\n".join([kept, "Root-Is-Purelib: false", *tags, "", ""]))
    OUTPUT.mkdir(exist_ok=True)
    run(sys.executable, "-m", "wheel", "pack", "--dest-dir", OUTPUT, unpacked)
    (wheel,) = OUTPUT.glob(f"*-{interpreter.tag}-{interpreter.tag}-*{platform.split('.')[-1]}*.whl")
    return wheel


def check(wheel: Path, platform: str) -> None:
    """What auditwheel finds in the module has to allow the tag that the wheel bears."""
    result = subprocess.run(
        [sys.executable, "-m", "auditwheel", "show", wheel], capture_output=True, text=True, check=False
    )
    said = " ".join(result.stdout.split())
    if f'tag: "{platform.split(".")[-1]}"' not in said:
        sys.exit(f"{wheel.name} is no {platform}: {said or result.stderr}")
    print(f"auditwheel: {said}")


def built(names: list[str], pythons: list[Interpreter]) -> Iterator[tuple[str, Interpreter, Path]]:
    unpacked = python_part()
    for name in names:
        for interpreter in pythons:
            print(f"== {name}, Python {interpreter.version}", flush=True)
            module = compile_core(name, TARGETS[name], interpreter)
            yield name, interpreter, assemble(unpacked, module, interpreter, TARGETS[name].platform)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("targets", nargs="*", metavar="TARGET", help=f"of {', '.join(TARGETS)}; x86_64 and aarch64")
    parser.add_argument("--python", action="append", default=[], help="an interpreter; otherwise python3.11 to 3.14")
    arguments = parser.parse_args()
    names = arguments.targets or ["x86_64", "aarch64"]
    if unknown := set(names) - set(TARGETS):
        parser.error(f"no such target: {', '.join(sorted(unknown))}")
    pythons = interpreters(arguments.python)
    if not pythons:
        sys.exit("no Python 3.11 to 3.14 with its headers is on the path; name one with --python")
    for name, interpreter, wheel in built(names, pythons):
        print(f"{wheel.relative_to(ROOT)}  {wheel.stat().st_size / 1e6:.1f} MB")
        if TARGETS[name].system == "Linux":
            check(wheel, TARGETS[name].platform)
        if (TARGETS[name].system, TARGETS[name].processor) == (os.uname().sysname, os.uname().machine):
            subprocess.run([interpreter.path, ROOT / "tools" / "try_wheel.py", OUTPUT], check=True)
        else:
            print(f"not tried: this machine is no {TARGETS[name].processor} {TARGETS[name].system}")


if __name__ == "__main__":
    main()
