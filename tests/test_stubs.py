"""The shipped type stubs are what tools/stubs.py writes, and name exactly what is there at run time."""

import ast
import importlib
import importlib.util
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest

import chainrule
from chainrule import _core

ROOT = Path(__file__).parents[1]
STUBS = ROOT / "python" / "chainrule"
# Made by the compiler or the importer, or known to type checkers only.
UNDECLARED = {"__dict__", "__doc__", "__file__", "__loader__", "__name__", "__package__", "__spec__", "__module__"}
UNDECLARED |= {"__release_buffer__"}  # shown by Python 3.12 and later
UNDECLARED |= {"__slotnames__"}  # written by copyreg when a subclass is copied
CHECKER_ONLY = {"__buffer__"} if sys.version_info < (3, 12) else set()


# Packages whose files load on first use.
LAZY = ("distributed", "nn", "nn/functional", "nn/modules", "nn/parallel")


@pytest.fixture(scope="module")
def generator() -> ModuleType:
    """tools/stubs.py as a module."""
    sys.path.insert(0, str(ROOT / "tools"))
    try:
        return importlib.import_module("stubs")
    finally:
        sys.path.remove(str(ROOT / "tools"))


def declared(body: list[ast.stmt]) -> set[str]:
    names = set()
    for item in body:
        if isinstance(item, ast.FunctionDef | ast.ClassDef):
            names.add(item.name)
        elif isinstance(item, ast.AnnAssign) and isinstance(item.target, ast.Name):
            names.add(item.target.id)
        elif isinstance(item, ast.ImportFrom):
            names |= {alias.asname for alias in item.names if alias.asname}
    return names


def private_types(body: list[ast.stmt]) -> set[str]:
    return {item.name for item in body if isinstance(item, ast.ClassDef) and item.name.startswith("_")}


def class_body(tree: ast.Module, name: str) -> list[ast.stmt]:
    return next(item.body for item in tree.body if isinstance(item, ast.ClassDef) and item.name == name)


@pytest.mark.parametrize(
    "name",
    [
        "_core.pyi",
        "__init__.pyi",
        "fft.pyi",
        "special.pyi",
        "linalg/__init__.pyi",
        *(f"{p}/__init__.pyi" for p in LAZY),
    ],
)
def test_shipped_stubs_are_up_to_date(generator: ModuleType, name: str) -> None:
    shipped = (STUBS / name).read_text()
    assert generator.stubs()[STUBS / name] == shipped, "the core's functions changed: run `make stubs`"


def test_core_names() -> None:
    tree = ast.parse((STUBS / "_core.pyi").read_text())
    names = declared(tree.body) - private_types(tree.body)
    assert names == set(vars(_core)) - UNDECLARED


@pytest.mark.parametrize("name", ["Tensor", "Node", "Generator", "Size", "dtype", "device"])
def test_members(name: str) -> None:
    names = declared(class_body(ast.parse((STUBS / "_core.pyi").read_text()), name))
    found = getattr(_core, name)
    assert {n for n in names - CHECKER_ONLY if not hasattr(found, n)} == set()
    own = {n for n in vars(found) if not (n.startswith("__") and n in vars(object))}
    public = own - UNDECLARED if name == "Tensor" else {n for n in own if not n.startswith("__")}
    assert public - names == set()


def test_package_names() -> None:
    names = declared(ast.parse((STUBS / "__init__.pyi").read_text()).body)
    assert {n for n in names if not n.startswith("_") and not hasattr(chainrule, n)} == set()
    public = {n for n in dir(chainrule) if not n.startswith("_")}
    internal = {n for n in public if isinstance(getattr(chainrule, n), ModuleType)} - chainrule._SUBMODULES
    assert public - internal - names == set()


def test_linalg_names() -> None:
    names = declared(ast.parse((STUBS / "linalg" / "__init__.pyi").read_text()).body)
    assert names - {"Tensor", "_functions"} == set(chainrule.linalg.__all__)


@pytest.mark.parametrize("name", LAZY)
def test_lazy_names(name: str) -> None:
    """Every name is there, and none is that of a file, which would take its place."""
    package = importlib.import_module("chainrule." + name.replace("/", "."))
    names = declared(ast.parse((STUBS / name / "__init__.pyi").read_text()).body)
    assert names == set(package.__all__)
    for file, defined in package._FILES.items():
        for n in defined.split():
            assert getattr(package, n) is getattr(importlib.import_module(f"{package.__name__}.{file}"), n)
            assert n not in package._FILES


def test_every_argument_is_typed() -> None:
    """No definition in the stubs leaves an argument without a type."""
    for path in (STUBS / "_core.pyi", STUBS / "__init__.pyi"):
        for function in ast.walk(ast.parse(path.read_text())):
            if isinstance(function, ast.FunctionDef):
                arguments = [*function.args.posonlyargs, *function.args.args, *function.args.kwonlyargs]
                untyped = [a.arg for a in arguments if a.annotation is None and a.arg not in ("self", "cls")]
                assert not untyped, f"{path.name}: {function.name}"
                assert function.returns is not None, f"{path.name}: {function.name}"


USER_PROGRAM = """
import chainrule as torch
from typing import assert_type

x = torch.tensor(2.0, requires_grad=True)
assert_type(2 * x**2 + 1, torch.Tensor)
assert_type(torch.sin(x).sum(), torch.Tensor)
assert_type(x.size(), torch.Size)
assert_type(x.size(0), int)
assert_type(torch.ones(2, 3).split(1), tuple[torch.Tensor, ...])
torch.zeros(2, 3, dtype=torch.float64)
torch.zeros((2, 3), dtype=float)
assert_type(torch.ones(3).max(dim=0).indices, torch.Tensor)
with torch.no_grad():
    x -= 0.1 * x.grad


@torch.no_grad()
def decorated(n: int) -> int:
    return n
"""
USER_MISTAKES = """
import chainrule as torch

torch.sin("x")
torch.ones(3).sum(dim="0")
torch.ones(3).no_such_method()
torch.cat(torch.ones(3), 0, 1)
"""


def check(program: str, folder: Path) -> list[str]:
    """What pyright says about a user's program."""
    (folder / "program.py").write_text(program)
    run = [sys.executable, "-m", "pyright", "--pythonpath", sys.executable, str(folder / "program.py")]
    output = subprocess.run(run, capture_output=True, text=True, cwd=ROOT, check=False).stdout
    return [line for line in output.splitlines() if " error: " in line or " warning: " in line]


@pytest.mark.skipif(not importlib.util.find_spec("pyright"), reason="pyright belongs to the lint extra")
def test_pyright_understands_a_users_program(tmp_path: Path) -> None:
    assert check(USER_PROGRAM, tmp_path) == []
    found = check(USER_MISTAKES, tmp_path)
    assert {line.split(":")[1] for line in found} == {"4", "5", "6", "7"}, found


@pytest.mark.parametrize("name", ["fft", "special"])
def test_functions_of_submodules(name: str) -> None:
    tree = ast.parse((STUBS / f"{name}.pyi").read_text())
    functions = {item.name for item in tree.body if isinstance(item, ast.FunctionDef)}
    assert functions == set(getattr(chainrule, name).__all__)
