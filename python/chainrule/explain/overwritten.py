"""A value was overwritten that its gradient needs, or a leaf was: its name, and what to write on that line."""

from __future__ import annotations

import ast
from typing import Any

from .._core import Tensor
from .blocks import block_at
from .names import Names
from .running import Place, alias
from .source import Line, line_of

__all__ = ["retell_leaf", "retell_overwritten"]


def retell_overwritten(text: str, place: Place, node: Any) -> str:
    """The core's text with the variable and the change that mends it."""
    lines = text.split("\n")
    advice = next((i for i, line in enumerate(lines) if line.startswith("  What to do: on the second line")), None)
    saved = _overwritten(text, node) if node is not None else None
    if advice is None or saved is None:
        return text
    names = Names()
    written = line_of(saved._written)
    statement = _statement(written)
    name = _name(saved, names) or _target(statement)
    cure = _cure_of_leaf(written, name) if saved.is_leaf and saved.requires_grad else None
    lines[advice] = f"  What to do: {cure or _cure(statement, written, name, names)}."
    if name:
        lines.insert(1, f"  The variable: {name}")
    return "\n".join(lines)


def _overwritten(text: str, node: Any) -> Tensor | None:
    """The saved tensor that the text is about."""
    for _, value, _, is_current in node._peek_saved():
        if value is not None and not is_current and f"{list(value.shape)}]" in text:
            return value
    return None


def _name(tensor: Tensor, names: Names) -> str | None:
    """What the user calls it, or another tensor in the same memory."""
    known = names.of(tensor)
    if known:
        return known
    memory = tensor.untyped_storage().data_ptr()
    return next((n for n, t in names.tensors if t.untyped_storage().data_ptr() == memory), None)


def _statement(line: Line | None) -> ast.stmt | None:
    tree = block_at(line.file, line.number) if line else None
    return tree.body[0] if tree else None


def _target(statement: ast.stmt | None) -> str | None:
    """The variable that a statement writes into."""
    if isinstance(statement, ast.AugAssign):
        return ast.unparse(_whole(statement.target))
    if isinstance(statement, ast.Assign) and isinstance(statement.targets[0], ast.Subscript):
        return ast.unparse(_whole(statement.targets[0]))
    call = _write_call(statement)
    return ast.unparse(_whole(call.func.value)) if call else None  # type: ignore[attr-defined]


def _whole(e: ast.expr) -> ast.expr:
    """`a` of `a[0]`."""
    return _whole(e.value) if isinstance(e, ast.Subscript) else e


def _write_call(statement: ast.AST | None) -> ast.Call | None:
    """A call of a method that writes: x.add_(1)."""
    for node in ast.walk(statement) if statement is not None else ():
        method = node.func.attr if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) else ""
        if method.endswith("_") and not method.endswith("__") and isinstance(node, ast.Call):
            return node
    return None


def _cure_of_leaf(written: Line | None, name: str | None) -> str:
    """A parameter is meant to be written into, but not before the gradient was calculated."""
    change = "that write" if written is None else f"line {written.number} ({written.text.partition('#')[0].strip()})"
    return (
        f"call backward() before {change}, or calculate the loss again after it: it changed {name or 'a parameter'}, "
        "and this loss was calculated from the old value"
    )


def _cure(statement: ast.stmt | None, written: Line | None, name: str | None, names: Names) -> str:
    on = f" on line {written.number}" if written else ""
    if isinstance(statement, ast.AugAssign):
        if not isinstance(statement.target, ast.Subscript):
            return f"write {_new_value(statement)}{on}: that makes a new tensor and leaves the old one as it was"
        return _copy_first(_target(statement), on)
    if isinstance(statement, ast.Assign) and isinstance(statement.targets[0], ast.Subscript):
        return _copy_first(_target(statement), on)
    call = _write_call(statement)
    if call is not None and isinstance(call.func, ast.Attribute):
        method = call.func.attr
        if method in ("copy_", "zero_", "fill_", "normal_", "uniform_"):
            return f"call backward() before line {written.number if written else '?'}, or write into a copy"
        plain = ast.unparse(call).replace(f".{method}(", f".{method[:-1]}(", 1)
        return f"use {plain}, without the underscore,{on}: that makes a new tensor"
    if written is not None and ".step(" in written.text:
        return _cure_of_leaf(written, name)
    inplace = [path for path, module in names.modules.items() if getattr(module, "inplace", False) is True]
    if inplace:
        return f"leave inplace=True out in {', '.join(inplace)}"
    if written is not None and "inplace=True" in written.text:
        return f"leave inplace=True out{on}"
    return f"make a new tensor{on} in place of writing into {name or 'this one'}, or use {name or 'x'}.clone() there"


def _new_value(statement: ast.AugAssign) -> str:
    value = ast.BinOp(_as_value(statement.target), statement.op, statement.value)
    return ast.unparse(ast.fix_missing_locations(ast.Assign([statement.target], value, lineno=1)))


def _as_value(target: Any) -> ast.expr:
    return ast.parse(ast.unparse(target), mode="eval").body


def _copy_first(name: str | None, on: str) -> str:
    x = name or "x"
    return f"write into a copy: {x} = {x}.clone() before the assignment{on}"


def retell_leaf(text: str, place: Place) -> str:
    """The core's text about a leaf, with its name and the very statement to write."""
    lines = text.split("\n")
    advice = next((i for i, line in enumerate(lines) if line.startswith("  What to do: to ")), None)
    statement = place.statement(place.number)
    name = _target(statement)
    if advice is None or statement is None or name is None:
        return text
    change = ast.unparse(statement)
    if isinstance(statement, ast.AugAssign) and not isinstance(statement.target, ast.Subscript):
        new = f"{_new_value(statement)} makes a new tensor and keeps the history"
    else:
        new = f"{name} = {name}.clone() first makes a copy that may be written into"
    lines[advice : advice + 1] = [
        f"  The leaf: {name}",
        f"  What to do: to update it (as an optimiser does), with {alias(place)}.no_grad(): {change}",
        f"    to calculate with changed values, {new}",
    ]
    return "\n".join(lines)
