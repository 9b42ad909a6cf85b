"""The tests themselves: a case that is left says so; none passes because it returned before it compared anything."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

FOLDER = Path(__file__).parent
CHECKS = ("assert", "check", "compare", "agree", "same", "raises", "warns", "fail", "skip")


def is_check(node: ast.AST) -> bool:
    """An assertion, or a call of what makes one: assert_same(...), pytest.raises(...)."""
    if not isinstance(node, ast.Call):
        return isinstance(node, ast.Assert)
    name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
    return name.startswith(CHECKS)


def checks(statement: ast.AST) -> bool:
    return any(is_check(node) for node in ast.walk(statement))


def blocks(statements: list[ast.stmt]) -> Iterator[list[ast.stmt]]:
    """A function's blocks, without those of functions inside it."""
    yield statements
    for statement in statements:
        if isinstance(statement, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            continue
        for inner in ("body", "orelse", "finalbody"):
            yield from blocks(getattr(statement, inner, []))
        for case in [*getattr(statement, "handlers", []), *getattr(statement, "cases", [])]:
            yield from blocks(case.body)


def silent_returns(source: str) -> list[tuple[str, int]]:
    """Returns of nothing from what compares, where the block before them has compared nothing."""
    found = []
    for function in ast.walk(ast.parse(source)):
        if not isinstance(function, ast.FunctionDef):
            continue
        if not function.name.startswith("test") and not any(checks(statement) for statement in function.body):
            continue
        for block in blocks(function.body):
            for i, last in enumerate(block):
                empty = isinstance(last, ast.Return) and (last.value is None or ast.unparse(last.value) == "None")
                if empty and not any(checks(statement) for statement in block[:i]):
                    found.append((function.name, last.lineno))
    return found


def test_no_case_passes_by_returning() -> None:
    assert {
        (path.relative_to(FOLDER).as_posix(), *where)
        for path in FOLDER.rglob("*.py")
        for where in silent_returns(path.read_text())
    } == set()


def test_the_rule_finds_what_it_should() -> None:
    early = "def test_x(a):\n    if not a:\n        return\n    assert a == 1\n"
    helper = "def same(a):\n    try:\n        b = f(a)\n    except RuntimeError:\n        return\n    assert b\n"
    assert silent_returns(early) == [("test_x", 3)]
    assert silent_returns(helper) == [("same", 5)]
    assert (
        silent_returns("def test_x(a):\n    if not a:\n        assert f(a) is None\n        return\n    assert a\n")
        == []
    )
    assert silent_returns("def put(a):\n    if not a:\n        return\n    f(a)\n") == []
