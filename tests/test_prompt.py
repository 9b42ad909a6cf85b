"""Programs of one line, as they are typed at the prompt: both libraries give the same, or refuse in the same words."""

import array
import ast
import copy
import io
import math
import operator
import pickle
from pathlib import Path

import numpy as np
import pytest

from both import agree

MODULES = {m.__name__: m for m in (array, copy, io, math, operator, pickle)}
PROGRAMS = [
    pytest.param(line, id=f"{path.stem}-{number}")
    for path in sorted(Path(__file__).with_name("prompt").glob("*.txt"))
    for number, line in enumerate(path.read_text().splitlines(), 1)
]


def run(line: str, torch):
    """What the last expression of the line gives."""
    names = {"torch": torch, "nn": torch.nn, "np": np, **MODULES}
    program = ast.parse(line)
    last = program.body.pop() if isinstance(program.body[-1], ast.Expr) else None
    exec(compile(program, "<prompt>", "exec"), names)
    return plain(eval(compile(ast.Expression(last.value), "<prompt>", "eval"), names), torch) if last else None


def plain(value, torch):
    """What can be compared: an array as its dtype and numbers, an object of a library's own as its class."""
    if isinstance(value, np.ndarray):
        return ["array", str(value.dtype), value.tolist()]
    if isinstance(value, (int, float, complex, str, bytes, list, tuple, dict, torch.Tensor, type(None))):
        return value
    return type(value).__name__


@pytest.mark.parametrize("line", PROGRAMS)
@pytest.mark.filterwarnings("ignore")
def test_a_line_at_the_prompt(line):
    agree(lambda torch: run(line, torch), words=3)
