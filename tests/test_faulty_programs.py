"""Each program of faulty_programs/ has a mistake: chainrule must name its cause and its line."""

import linecache
import re
import traceback
import warnings
from dataclasses import dataclass
from pathlib import Path

import pytest
import torch as reference

import chainrule

FOLDER = Path(__file__).parent / "faulty_programs"
PROGRAMS = sorted(path.stem for path in FOLDER.glob("*.py"))


@dataclass
class Program:
    name: str
    text: str

    def field(self, key: str) -> str:
        found = re.search(rf"^# {key}: (.*)$", self.text, re.MULTILINE)
        return found[1] if found else ""

    @property
    def line(self) -> int:
        return next(i for i, line in enumerate(self.text.splitlines(), 1) if line.endswith("# HERE"))

    def named_by(self, answer: str) -> bool:
        place = rf"{self.name}\.py(:|\", line ){self.line}\b"
        return bool(re.search(place, answer) and re.search(self.field("cause"), answer, re.IGNORECASE | re.DOTALL))


def load(name: str) -> Program:
    return Program(name, (FOLDER / f"{name}.py").read_text())


def execute(program: Program, text: str, file: str) -> dict:
    """Runs a program so that lines can be looked up under its name."""
    linecache.cache[file] = (len(text), None, text.splitlines(True), file)
    scope: dict = {"__name__": program.name}
    exec(compile(text, file, "exec"), scope)
    return scope


def ask_chainrule(program: Program) -> str:
    text = re.sub(r"\bfrom torch\b", "from chainrule", program.text)
    text = re.sub(r"\bimport torch\b", "import chainrule as torch", text)
    ask, file = program.field("ask"), f"chainrule/{program.name}.py"
    if ask and text.endswith("loss.backward()\n") and "does not require" in program.field("cause"):
        failing, then = "try:\n    loss.backward()", f"except RuntimeError as e:\n    answer = f'{{e}} {{{ask}}}'\n"
        text = f"{text.removesuffix('loss.backward()' + chr(10))}{failing}\n{then}"
    elif ask:
        text += f"\nanswer = str({ask})\n"
    try:
        if program.field("under"):
            with chainrule.nan_guard():
                scope = execute(program, text, file)
        else:
            scope = execute(program, text, file)
        return scope.get("answer", "")
    except (RuntimeError, ValueError, TypeError, IndexError):
        return traceback.format_exc()


def ask_pytorch(program: Program) -> str:
    file = f"pytorch/{program.name}.py"
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        answer = ""
        try:
            with reference.autograd.detect_anomaly():
                scope = execute(program, program.text, file)
                if program.field("look"):
                    answer = repr(eval(compile(program.field("look"), file, "eval"), scope))
        except (RuntimeError, ValueError, TypeError, IndexError):
            answer = traceback.format_exc()
    return "\n".join([answer, *(f"{w.filename}:{w.lineno}: {w.message}" for w in caught)])


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", PROGRAMS)
def test_the_culprit_is_named(name):
    program = load(name)
    answer = ask_chainrule(program)
    assert program.named_by(answer), f"{name}:{program.line} {program.field('cause')!r} is not named by\n{answer}"


def test_there_are_enough_programs():
    assert len(PROGRAMS) >= 60
    assert all(load(name).field("cause") and load(name).line for name in PROGRAMS)


@pytest.mark.filterwarnings("ignore")
def test_what_pytorch_names():
    """The count that docs/explain.md gives."""
    named = [name for name in PROGRAMS if load(name).named_by(ask_pytorch(load(name)))]
    document = (FOLDER.parents[1] / "docs" / "explain.md").read_text()
    assert f"chainrule names {len(PROGRAMS)} of {len(PROGRAMS)}, PyTorch {len(named)}" in document, named


ADVICE = {  # what else the answer has to say: the smallest change for this very program
    "dtype_integer_images": r"which is uint8: x\.to\(torch\.float32\)",
    "inplace_resnet_shortcut": r"The variable: out\n.*write out = out \+ x on line",
    "inplace_weight_clipping": r"The variable: critic\.2\.weight\n.*call backward\(\) before line 11",
    "nan_binary_cross_entropy_by_hand": r"with \(1 - p\)\[0\] = 0\n",
    "nan_half_precision": r"beyond 6\.55e\+04, the largest number of float16; calculate this in float32",
    "nan_learning_rate": r"the largest number of float32; .*a smaller learning rate",
    "nan_standardised_constant": r"with \(x - x\.mean\(0\)\)\[0, 0\] = 0, x\.std\(0\)\[0\] = 0\n",
    "none_float_tensor": r"torch\.stack\(\)",
    "second_features_computed_once": r"features\[0\] is made before the loop of line 10 \(for _ in range\(2\):\)",
    "second_gan": r"calculate it from fake\.detach\(\)",
    "second_gradient_then_backward": r"torch\.autograd\.grad\(loss, x, retain_graph=True\) the first time",
    "shape_attention_not_transposed": r"a @ b\.transpose\(-2, -1\) would fit",
    "shape_grey_image": r"In net\.0 .*in_channels=1 fits",
    "shape_hidden_state": r"a state is \(layers, batch, features\): \(1, 4, \.\.\.\)",
    "shape_no_batch": r"In net\.1 .*x\.unsqueeze\(0\) makes \[1, 4, 26, 26\]",
    "zero_floor": r"x \+ \(torch\.floor\(x\) - x\)\.detach\(\)",
}


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", ADVICE)
def test_the_advice_fits_the_program(name):
    answer = ask_chainrule(load(name))
    assert re.search(ADVICE[name], answer, re.DOTALL), answer
