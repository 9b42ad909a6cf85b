"""docs/explain.md: every program prints what stands below it."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

DOCUMENT = Path(__file__).parents[1] / "docs" / "explain.md"
EXAMPLES = re.findall(r"```python\n(.*?)```\n\nprints\n\n```text\n(.*?)```", DOCUMENT.read_text(), re.DOTALL)


def output_of(code: str, folder: Path) -> str:
    script = folder / "train.py"
    script.write_text(code)
    result = subprocess.run([sys.executable, "-W", "error", script], capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stderr
    return result.stdout.replace(f"{folder}/", "")


@pytest.mark.parametrize("number", range(len(EXAMPLES)))
def test_a_program_prints_what_it_says(number: int, tmp_path: Path) -> None:
    code, output = EXAMPLES[number]
    assert output_of(code, tmp_path) == output


def test_all_programs_are_tried() -> None:
    assert len(EXAMPLES) == DOCUMENT.read_text().count("```python") == 10
