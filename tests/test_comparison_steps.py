"""Which of equal elements is picked does not depend on the C++ library: see Note [Steps of comparisons]."""

import os
import shutil
import subprocess
from pathlib import Path

HERE = Path(__file__).parent


def test_the_steps_are_those_of_gnus_library(tmp_path: Path) -> None:
    compiler = os.environ.get("CXX") or shutil.which("c++")
    assert compiler, "the suite needs the compiler that built the core"
    program = tmp_path / "comparison_steps"
    source = HERE / "comparison_steps.cpp"
    subprocess.run([compiler, "-std=c++20", "-O1", f"-I{HERE.parent / 'core'}", source, "-o", program], check=True)
    done = subprocess.run([program], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (0, "the steps are the same\n")
