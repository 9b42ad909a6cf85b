"""tools/conformance.py finds what differs from PyTorch, and nothing where nothing does."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

TOOLS = Path(__file__).parents[1] / "tools"

# In a process of its own: PyTorch's database forbids to set flags that other tests set.
PROGRAM = """
import json
import sys

sys.path.append(sys.argv[1])

import torch

import chainrule
from aspects import Case, aspects_of, wrong_inputs
from conformance import op_db, verdict

named = {op.name: op for op in op_db}
sin = chainrule.sin
MADE = {
    "right": sin,
    "value": chainrule.cos,
    "gradient": lambda x, **options: sin(x.detach(), **options),
    "precision": lambda x, **options: sin(x.float(), **options).double(),
    "shape": lambda x, **options: sin(x[None], **options),
}
found = {}
for kind, function in MADE.items():
    chainrule.sin = function
    case = Case(named["sin"], torch.float64)
    aspects = aspects_of(named["sin"], torch.float64, True)
    found[kind] = [aspect for aspect in aspects if verdict(getattr(case, aspect)()) != "pass"]
found["errors"] = wrong_inputs(named["diag"])
chainrule.diag = lambda *args, **options: None
found["swallowed"] = wrong_inputs(named["diag"])
found["random"] = verdict(Case(named["randn_like"], torch.float64).forward())
print(json.dumps(found))
"""


@pytest.fixture(scope="module")
def found() -> dict:
    command = [sys.executable, "-W", "ignore", "-c", PROGRAM, TOOLS]
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stderr
    return json.loads(result.stdout)


def test_a_sound_operation_passes(found):
    assert found["right"] == []


def test_a_wrong_one_is_found(found):
    assert found["value"] == ["forward", "grad", "gradgrad", "out"]
    assert found["gradient"] == ["grad", "gradgrad"]
    assert found["precision"] == ["forward", "out"]  # gradients may be ten times as far off
    assert found["shape"] == ["forward", "gradgrad", "out"]  # the first gradient is the same


def test_errors_that_are_swallowed_are_found(found):
    assert found["errors"]["n"] == found["errors"]["ok"] > 0
    assert found["swallowed"]["ok"] == 0


def test_what_is_random_is_not_compared(found):
    assert found["random"] == ""
