"""PyTorch's own samples for sparse tensors pass: tools/sparse_samples.py, in float64."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path


def test_samples():
    # In a process of its own: PyTorch's database forbids to set flags that other tests set.
    tool = Path(__file__).parents[1] / "tools" / "sparse_samples.py"
    result = subprocess.run([sys.executable, tool, "float64"], capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stdout + result.stderr
    tally = ast.literal_eval(result.stdout.splitlines()[-1])
    assert tally["samples"] > 300
    assert tally["PyTorch refuses"] < tally["samples"] / 4
