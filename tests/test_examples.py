"""Every example runs to its end as a user starts it, without a warning, and gets where it says it gets."""

from __future__ import annotations

import importlib.util
import re
import subprocess
import sys
from pathlib import Path

import pytest

FOLDER = Path(__file__).parents[1] / "examples"

# What the last number found by the pattern has to be: at least (>=) or at most (<=) this.
GOALS = {
    "char_gpt": (r"loss ([\d.]+)", "<=", 1.2),
    "char_lstm": (r"loss ([\d.]+)", "<=", 0.5),
    "custom_function": (r"step 300  loss ([\d.]+)", "<=", 1e-4),
    "data_parallel": (r"unseen digits: ([\d.]+)%", ">=", 87),  # the last digits of the file, by other hands
    "digits": (r"unseen digits: ([\d.]+)%", ">=", 96),
    "digits_convnet": (r"loading: ([\d.]+)%", ">=", 97),
    "graph_convolution": (r"unseen papers: ([\d.]+)%", ">=", 95),
    "gradient_accumulation": (r"is below (1e-4)", "<=", 1e-4),
    "hessian_vector": (r"value ([\d.e+-]+) after", "<=", 1e-12),
    "linear_regression": (r"largest difference ([\d.]+)", "<=", 1e-4),
    "mixed_precision": (r"mean of the last 20 ([\d.]+)", "<=", 0.1),
    "quickstart": (r"step 100  loss +([\d.]+)", "<=", 0.01),
    "recommender": (r"unseen ratings ([\d.]+)", "<=", 0.3),
    "reinforce": (r"mean of 20: ([\d.]+)", ">=", 80),
    "training_demo": (r"unseen digits: ([\d.]+)%", ">=", 95),
    "two_moons": (r"unseen points: ([\d.]+)%", ">=", 97),
}


def run(name: str, *options: str) -> str:
    """What an example prints; warnings are errors."""
    line = [sys.executable, "-W", "error", FOLDER / f"{name}.py", *options]
    result = subprocess.run(line, capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stderr
    return result.stdout


def test_every_example_has_a_goal() -> None:
    assert sorted(GOALS) == sorted(path.stem for path in FOLDER.glob("*.py"))


@pytest.mark.parametrize("name", sorted(GOALS))
def test_example(name: str) -> None:
    if name == "data_parallel":
        pytest.importorskip("mpi4py", reason="pip install mpi4py mpich")
    pattern, relation, bound = GOALS[name]
    printed = run(name)
    reached = float(re.findall(pattern, printed)[-1])
    assert reached >= bound if relation == ">=" else reached <= bound, printed
    assert "False" not in printed


@pytest.mark.skipif(not importlib.util.find_spec("matplotlib"), reason="pip install matplotlib")
@pytest.mark.parametrize(("ending", "beginning"), [("svg", b"<?xml"), ("png", b"\x89PNG")])
def test_loss_curves(ending: str, beginning: bytes, tmp_path: Path) -> None:
    path = tmp_path / f"curves.{ending}"
    assert f"loss curves: {path}" in run("training_demo", "--epochs", "3", "--plot", str(path))
    assert path.read_bytes().startswith(beginning)
    assert ending == "png" or b"</svg>" in path.read_bytes()


@pytest.mark.skipif(not importlib.util.find_spec("tensorboard"), reason="pip install tensorboard")
def test_event_files(tmp_path: Path) -> None:
    run("training_demo", "--epochs", "2", "--tensorboard", str(tmp_path))
    assert len(list(tmp_path.rglob("events.out.*"))) == 3  # the run, and one for each of two curves in one diagram
