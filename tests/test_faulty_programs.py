"""Each program of faulty_programs/ has a mistake: chainrule must name its cause and its line."""

import re
import traceback
import warnings

import pytest
import torch as reference

import asking
from program_forms import ERRORS, FAULTY, Program, after_the_end, as_script, execute, through_a_helper
from program_forms import load as load_path

PROGRAMS = sorted(path.stem for path in FAULTY.glob("*.py"))
# Asked about from elsewhere once they have ended; where nothing that is alive remembers the program, it cannot be read.
FORGOTTEN = {"nograd_list_of_items", "nograd_validation_mode", "nograd_comparison", "nograd_tolist"}
ASKED = [
    name
    for name in PROGRAMS
    if re.search(r"^# ask: (?!torch.explain.alive)", (FAULTY / f"{name}.py").read_text(), re.M)
]


def load(name: str) -> Program:
    return load_path(FAULTY / f"{name}.py")


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
        except ERRORS:
            answer = traceback.format_exc()
    return "\n".join([answer, *(f"{w.filename}:{w.lineno}: {w.message}" for w in caught)])


def missed(program: Program, answer: str) -> str:
    return f"{program.name}:{program.line} {program.field('cause')!r} is not named by\n{answer}"


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", PROGRAMS)
def test_the_culprit_is_named(name):
    program = load(name)
    answer = as_script(program)
    assert program.named_by(answer), missed(program, answer)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", PROGRAMS)
def test_the_culprit_is_named_when_another_module_asks(name):
    program = load(name)
    answer = through_a_helper(program, asking)
    assert program.named_by(answer), missed(program, answer)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", ASKED)
def test_the_culprit_is_named_after_the_program_has_ended(name):
    program = load(name)
    answer = after_the_end(program)
    if name in FORGOTTEN:
        assert "what made it is not known here" in answer
        assert "\n  here:" not in answer
    else:
        assert program.named_by(answer), missed(program, answer)


def test_there_are_enough_programs():
    assert len(PROGRAMS) >= 60
    assert all(load(name).field("cause") and load(name).line for name in PROGRAMS)


@pytest.mark.filterwarnings("ignore")
def test_what_pytorch_names():
    """The count that docs/explain.md gives."""
    named = [name for name in PROGRAMS if load(name).named_by(ask_pytorch(load(name)))]
    document = (FAULTY.parents[1] / "docs" / "explain.md").read_text()
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
    answer = as_script(load(name))
    assert re.search(ADVICE[name], answer, re.DOTALL), answer
