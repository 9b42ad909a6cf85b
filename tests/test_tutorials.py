"""The tutorials run in a real notebook, raise where they say they do, and show what their text says."""

import json
import re
from pathlib import Path

import pytest

from notebook import Answer, Notebook

FOLDER = Path(__file__).parents[1] / "docs" / "tutorials"

# What the cells have to print, show or raise, in this order.
SHOWN = {
    "first_gradients": [
        r"tensor\(8\.\)",
        r"How z = 9 was calculated",
        r"d z / d x = 8",
        r"by backward\(\): (5\.0100\d*)\nby hand:       \1",
        r"tensor\(\[ 3\.5000, -7\.0000, 14\.0000\]\)",
        r"after two:      tensor\(6\.\)",
        r"a second time .*was made here: In\[9\], line 2: y = torch\.exp\(x\)",
        r"x = 4\.0000, loss = ",
    ],
    "train_a_classifier": [
        r"loss of the last batch: 0\.0\d\d",
        r"right: (8[5-9]|9\d)\.\d %",
        r"model\.0 .*healthy",
        r"softmax twice: .*here: In\[7\], line 2",
        r"Nothing found\.",
        r"the same answers: True",
    ],
    "why_is_my_gradient_none": [
        r"None\nw: the loss depends on it, but backward\(\) has not run",
        r"by item\(\)\.\s+here: In\[3\], line 3",
        r"tensor\(22\.1672\)",
        r"detach\(\)\.\s+here: In\[5\], line 4",
        r"argmax\(\), which has no gradient\.\s+here: In\[6\], line 3",
        r"middle: it is not a leaf",
        r"net\.unused\.weight: the loss was not calculated from it",
        r"tanh is flat",
    ],
    "where_does_the_nan_come_from": [
        r"tensor\(nan",
        r"NaN made by log in the forward pass at index \[1\]\.\s+here: In\[3\], line 2",
        r"gradient: tensor\(\[0\.2500,    nan\]\)",
        r"NaN made by sqrt in the backward pass.*0 \* inf",
        r"gradient: tensor\(\[0\.2500, 0\.0000\]\)",
        r"inf made by linear .* in net\.2, in step \d+\.",
        r"grad_fn=<SoftmaxBackward0>",
    ],
    "gpt_from_scratch": [
        r"2\.13\.0\+chainrule",
        r"856 letters, 45 different ones",
        r"90813 parameters",
        r"step   0  loss (3|4)\.\d+.*step 500  loss 0\.[0-3]\d+",
        r"Beautiful",
        r"How loss = .*model\.blocks\.0",
    ],
    "second_derivatives_and_func": [
        r"12\.0 12\.0 6\.0",
        r"derivative of In\[3\], line 2",
        r"f''' 1\.646",
        r"\[ 6\.0000,  3\.0000,  2\.0000\]\]\)\nTrue",
        r"\(1\.000000, 1\.000000\)  value 0\.00e\+00",
        r"tensor\(\[ 102\., -200\.\]\)\ntensor\(\[ 102\., -200\.\]\)",
        r"torch\.Size\(\[5, 3\]\)\nTrue",
        r"finite differences give 12, the gradient is 6",
    ],
}


def words(answer: Answer) -> str:
    return answer.text + "".join(str(shown.get("text/plain", "")) for shown in answer.shown)


def code_cells(name: str) -> list[dict]:
    cells = json.loads((FOLDER / f"{name}.ipynb").read_text())["cells"]
    return [cell for cell in cells if cell["cell_type"] == "code"]


def test_there_are_six_and_all_are_listed() -> None:
    names = {path.stem for path in FOLDER.glob("*.ipynb")}
    assert names == set(SHOWN)
    assert len(names) == 6
    listed = (FOLDER / "index.md").read_text()
    assert all(f"]({name}.ipynb)" in listed for name in names)


@pytest.mark.parametrize("name", SHOWN)
def test_notebook_is_kept_without_outputs(name: str) -> None:
    """What it shows is calculated where it is read, so it cannot be out of date."""
    assert [cell for cell in code_cells(name) if cell["outputs"] or cell["execution_count"]] == []


@pytest.mark.parametrize("name", SHOWN)
def test_tutorial(name: str) -> None:
    cells = code_cells(name)
    with Notebook() as notebook:
        answers = notebook.run_all(["".join(cell["source"]) for cell in cells])
    raised = [bool(answer.error) for answer in answers]
    meant = ["raises-exception" in cell["metadata"].get("tags", ()) for cell in cells]
    assert raised == meant, [answer.traceback for answer in answers]
    text, end = "\n".join(words(answer) for answer in answers), 0
    for pattern in SHOWN[name]:
        found = re.compile(pattern, re.DOTALL).search(text, end)
        assert found, f"{pattern}\nis not in\n{text[end:]}"
        end = found.end()
    assert "ipykernel" not in text
