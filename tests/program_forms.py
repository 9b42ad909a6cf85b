"""Small programs and the forms they are tried in: a script, cells of a notebook, asked about in another module."""

from __future__ import annotations

import ast
import linecache
import re
import traceback
import types
from dataclasses import dataclass
from pathlib import Path

import chainrule

FAULTY = Path(__file__).parent / "faulty_programs"
SOUND = Path(__file__).parent / "sound_programs"
ERRORS = (RuntimeError, ValueError, TypeError, IndexError, AttributeError, AssertionError)


@dataclass
class Program:
    """A program, with what its comments say about it."""

    name: str
    text: str

    def field(self, key: str) -> str:
        found = re.search(rf"^# {key}: (.*)$", self.text, re.MULTILINE)
        return found[1] if found else ""

    @property
    def line(self) -> int:
        return next(i for i, line in enumerate(self.text.splitlines(), 1) if line.endswith("# HERE"))

    def says_why(self, answer: str) -> bool:
        return bool(re.search(self.field("cause"), answer, re.IGNORECASE | re.DOTALL))

    def named_by(self, answer: str) -> bool:
        return bool(re.search(rf"{self.name}\.py(:|\", line ){self.line}\b", answer)) and self.says_why(answer)


def load(path: Path) -> Program:
    return Program(path.stem, path.read_text())


def execute(program: Program, text: str, file: str) -> dict:
    """Runs a program so that lines can be looked up under its name."""
    linecache.cache[file] = (len(text), None, text.splitlines(True), file)
    scope: dict = {"__name__": program.name}
    exec(compile(text, file, "exec"), scope)
    return scope


def on_chainrule(text: str) -> str:
    text = re.sub(r"\bfrom torch\b", "from chainrule", text)
    return re.sub(r"\bimport torch\b", "import chainrule as torch", text)


def _answering(program: Program, text: str, question: str) -> str:
    """The text with the question at its end; where the program ends in an error, behind that."""
    fails = text.endswith(("loss.backward()\n", "asking.backward(loss)\n"))
    if question and fails and "does not require" in program.field("cause"):
        lines = text.splitlines()
        lines[-1:] = ["try:", f"    {lines[-1]}", "except RuntimeError as e:", f"    answer = f'{{e}} {{{question}}}'"]
        return "\n".join(lines) + "\n"
    return f"{text}\nanswer = str({question})\n" if question else text


def _answer(program: Program, text: str, question: str) -> str:
    text, file = _answering(program, text, question), f"chainrule/{program.name}.py"
    try:
        if program.field("under"):
            with chainrule.nan_guard():
                scope = execute(program, text, file)
        else:
            scope = execute(program, text, file)
        return scope.get("answer", "")
    except ERRORS:
        return traceback.format_exc()


def as_script(program: Program) -> str:
    """What chainrule answers within the program."""
    return _answer(program, on_chainrule(program.text), program.field("ask"))


def through_a_helper(program: Program, asking: types.ModuleType) -> str:
    """Questions and backward() are called by functions of another module."""
    text = re.sub(r"^([\w.]+)\.backward\(\)", r"asking.backward(\1)", on_chainrule(program.text), flags=re.MULTILINE)
    lines = text.split("\n")
    first = next(i for i, line in enumerate(lines) if line.startswith(("import", "from")))
    lines[first] += "; import asking"  # no line more
    question = re.sub(r"^([\w.]+)\(", r"asking.ask(\1, ", program.field("ask"))
    text = "\n".join(lines)
    return _answer(program, text, question)


def after_the_end(program: Program) -> str:
    """The program has ended, and its tensors are asked about from here."""
    question = program.field("ask")
    file = f"chainrule/{program.name}.py"
    called = ast.parse(question, mode="eval").body
    assert isinstance(called, ast.Call)
    ending = "loss.backward()\n" if "does not require" in program.field("cause") else ""
    scope = execute(program, on_chainrule(program.text).removesuffix(ending), file)
    given = [eval(ast.unparse(a), scope) for a in called.args]
    named = {k.arg: eval(ast.unparse(k.value), scope) for k in called.keywords}
    function = eval(ast.unparse(called.func), scope)
    del called
    answer = str(function(*given, **named))
    return f"{'does not require grad ' if ending else ''}{answer}"


@dataclass
class Cell:
    text: str
    here: int | None  # the line of it that must be named


def cells(program: Program) -> list[Cell]:
    """The imports are a cell, and all else is cut into at most four."""
    lines = program.text.splitlines()
    statements = ast.parse(program.text).body[1:]
    imports = [s for s in statements if isinstance(s, ast.Import | ast.ImportFrom)]
    others = [s for s in statements if s not in imports]
    size = -(-len(others) // 4)
    return [_cell(lines, group) for group in [imports, *(others[i : i + size] for i in range(0, len(others), size))]]


def _cell(lines: list[str], group: list[ast.stmt]) -> Cell:
    first = min([group[0].lineno, *(d.lineno for d in getattr(group[0], "decorator_list", ()))])
    part = lines[first - 1 : group[-1].end_lineno]
    return Cell("\n".join(part), next((i for i, line in enumerate(part, 1) if line.endswith("# HERE")), None))
