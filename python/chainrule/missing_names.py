"""Which names of torch a script uses that chainrule lacks: `chainrule check`. The script is read, not run."""

from __future__ import annotations

import ast
import importlib
import os
from collections.abc import Iterator, Sequence
from types import ModuleType
from typing import Any, NamedTuple

import chainrule

from ._core import Tensor
from .compat.stand_ins import stand_in
from .inferred_kinds import attributes
from .ops.dispatcher_names import Namespace
from .suggestions import nearest

# Methods of PyTorch's tensors that may be missing here, without those whose names other objects share (values, index).
# A script's tensors cannot be told from its other objects without running it, so their use is reported as a doubt.
_METHOD_NAMES = """
dequantize int_repr q_per_channel_axis q_per_channel_scales q_per_channel_zero_points q_scale q_zero_point qscheme
slice_inverse to_mkldnn
"""
_METHODS = frozenset(_METHOD_NAMES.split())


class Finding(NamedTuple):
    """A name, where it stands, and what is wrong with it."""

    path: str
    line: int
    name: str
    problem: str

    def __str__(self) -> str:
        return f"{self.path}:{self.line}: {self.name} {self.problem}"


def python_files(paths: Sequence[str]) -> Iterator[str]:
    """The files among these, and the Python files in the folders among them."""
    for path in paths:
        if not os.path.isdir(path):
            yield path
            continue
        for folder, folders, files in os.walk(path):
            folders[:] = sorted(name for name in folders if not name.startswith((".", "__pycache__")))
            yield from (os.path.join(folder, name) for name in sorted(files) if name.endswith(".py"))


def findings(path: str) -> list[Finding]:
    """What is wrong with the names of torch in a file; each name once, at its first use."""
    with open(path, "rb") as file:
        tree = ast.parse(file.read(), path)
    found: dict[str, Finding] = {}
    for name, line in used_names(tree):
        problem = problem_with(name)
        if problem is not None:
            found.setdefault(f"{name} {line}", Finding(path, line, name, problem))
    for name, line, problem in _missing_attributes(tree):
        found[f"{name} {line}"] = Finding(path, line, name, problem)
    first: dict[str, Finding] = {}
    for finding in sorted(found.values(), key=lambda each: each.line):
        first.setdefault(finding.name, finding)
    return list(first.values())


def _missing_attributes(tree: ast.Module) -> Iterator[tuple[str, int, str]]:
    """What a script asks of tensors and modules that have no such attribute: the name, the line, what is wrong."""
    meanings = _meanings(tree)
    for node, kind in attributes(tree, _found, lambda expression: _dotted(expression, meanings)):
        if not hasattr(kind, node.attr):
            yield f"{kind.__name__}.{node.attr}", node.lineno, "is missing" + _suggested(node.attr, kind)


def _found(name: str) -> Any:
    """What a name of torch is; None if there is no such thing."""
    value: Any = chainrule
    for part in name.split(".")[1:]:
        member = _member(value, part)
        if member is None:
            return None
        value = member[0]
    return value


def _suggested(name: str, value: Any) -> str:
    """What a name was meant to be, as the rest of a sentence."""
    meant = nearest(name, dir(value))
    return f"; did you mean {meant}?" if meant else ""


def _meanings(tree: ast.AST) -> dict[str, str]:
    """What the names are called in torch that a program's imports bring."""
    meanings: dict[str, str] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                if _is_torch(alias.name):
                    meanings[alias.asname or "torch"] = alias.name if alias.asname else "torch"
        elif isinstance(node, ast.ImportFrom) and node.level == 0 and _is_torch(node.module or ""):
            meanings |= {
                each.asname or each.name: f"{node.module}.{each.name}" for each in node.names if each.name != "*"
            }
    return meanings


def used_names(tree: ast.AST) -> Iterator[tuple[str, int]]:
    """The names of torch in a program, as torch.nn.Linear whatever it calls them, with their lines."""
    meanings, guarded = _meanings(tree), _guarded(tree)
    for node in ast.walk(tree):
        if node in guarded:
            continue
        if isinstance(node, ast.Import):
            yield from ((alias.name, node.lineno) for alias in node.names if _is_torch(alias.name))
        elif isinstance(node, ast.ImportFrom) and node.level == 0 and _is_torch(node.module or ""):
            yield from ((f"{node.module}.{alias.name}", node.lineno) for alias in node.names if alias.name != "*")
    inner = {node.value for node in ast.walk(tree) if isinstance(node, ast.Attribute)}
    for node in ast.walk(tree):
        if not isinstance(node, ast.Attribute):
            continue
        name = _dotted(node, meanings)
        if name is None and node.attr in _METHODS:
            yield f"Tensor.{node.attr}", node.lineno
        elif name is not None and node not in inner:
            yield name, node.lineno


def _guarded(tree: ast.AST) -> set[ast.AST]:
    """The imports in the body of a try statement that expects them to fail."""
    result = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Try) and any(_catches_import_error(handler) for handler in node.handlers):
            result |= {part for statement in node.body for part in ast.walk(statement)}
    return result


def _catches_import_error(handler: ast.ExceptHandler) -> bool:
    named = {part.id for part in ast.walk(handler.type) if isinstance(part, ast.Name)} if handler.type else set()
    return not named or bool(named & {"ImportError", "ModuleNotFoundError", "Exception", "BaseException"})


def _is_torch(module: str) -> bool:
    return module.partition(".")[0] == "torch"


def _dotted(node: ast.expr, meanings: dict[str, str]) -> str | None:
    """torch.nn.Linear for an expression nn.Linear, if nn is torch's."""
    parts: list[str] = []
    while isinstance(node, ast.Attribute):
        parts.append(node.attr)
        node = node.value
    if isinstance(node, ast.Name) and node.id in meanings:
        return ".".join([meanings[node.id], *reversed(parts)])
    return None


def problem_with(name: str) -> str | None:
    """What is wrong with a name of torch; None if it is there and does its work."""
    if name.startswith("Tensor."):
        method = name.removeprefix("Tensor.")
        return None if hasattr(Tensor, method) else "is missing, if it is a tensor's"
    value: Any = chainrule
    parts = name.split(".")
    for i, part in enumerate(parts[1:], 2):
        if name == "torch.__version__":
            return None
        found = _member(value, part)
        if found is None:
            if not isinstance(value, (ModuleType, type, Namespace)):
                return None  # an attribute of a value, not of a module: it may come to be when the script runs
            meant = _suggested(part, value)
            return "is missing" + meant if i == len(parts) else f"is missing ({'.'.join(parts[:i])})" + meant
        value = found[0]
    reason = getattr(value, "refusal", None)
    return f"raises: {reason}" if isinstance(reason, str) else None


def _member(value: Any, name: str) -> tuple[Any] | None:
    if hasattr(value, name):
        return (getattr(value, name),)
    if isinstance(value, ModuleType) and hasattr(value, "__path__"):
        try:
            return (importlib.import_module(f"{value.__name__}.{name}"),)
        except ImportError:
            found = stand_in(f"{value.__name__}.{name}".removeprefix("chainrule."))
            return None if found is None else (found,)
    return None
