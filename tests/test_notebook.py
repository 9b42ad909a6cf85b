"""Explanations in a real Jupyter kernel: lines are called as the notebook calls them, and causes found across cells."""

import re

import pytest

from notebook import START, Notebook, in_cells
from program_forms import FAULTY, SOUND, load
from test_sound_programs import CLEAN

FAULTY_PROGRAMS = sorted(path.stem for path in FAULTY.glob("*.py"))
SOUND_PROGRAMS = sorted(path.stem for path in SOUND.glob("*.py"))


@pytest.fixture(scope="module")
def kernel():
    with Notebook("import warnings; warnings.simplefilter('ignore')", START) as started:
        yield started


@pytest.fixture
def notebook(kernel):
    kernel.run("%reset -f\nimport torch")
    return kernel


@pytest.mark.parametrize("name", FAULTY_PROGRAMS)
def test_the_culprit_is_named_across_cells(kernel, name):
    program = load(FAULTY / f"{name}.py")
    place, answer = in_cells(kernel, program)
    assert re.search(rf"{re.escape(place)}\b", answer), f"{place} is not in\n{answer}"
    assert program.says_why(answer), answer
    assert "ipykernel" not in answer


@pytest.mark.parametrize("name", SOUND_PROGRAMS)
def test_nobody_is_accused_across_cells(kernel, name):
    _, answer = in_cells(kernel, load(SOUND / f"{name}.py"))
    assert CLEAN.fullmatch(answer), answer


def test_explanations_name_cells(notebook):
    made = notebook.run("x = torch.tensor(2.0, requires_grad=True)").count
    asked = notebook.run("y = x * x\nz = y + 1", "print(torch.explain(z))")
    assert f"In[{made}], line 1  x = torch.tensor(2.0, requires_grad=True)" in asked.printed
    assert f"In[{made + 1}], line 2  z = y + 1" in asked.printed


def test_a_cell_that_was_mended_is_not_blamed(notebook):
    """The version with the mistake ran, its result was overwritten, and another mistake is left."""
    first = notebook.run("w = torch.ones(3, requires_grad=True)\nv = torch.ones(3, requires_grad=True)").count
    answer = notebook.run(
        "h = torch.tanh(w).detach()",
        "h = torch.tanh(w)",
        "k = h.data * 2",
        "loss = (k * v).sum()\nloss.backward()",
        "print(torch.explain_none(w, loss))",
    )
    assert f"here: In[{first + 3}], line 1: k = h.data * 2" in answer.printed
    assert "detach" not in answer.printed.partition("What to do")[0]


def test_lines_below_the_one_that_raised_have_not_run(notebook):
    notebook.run("w = torch.ones(3, requires_grad=True)\nv = torch.ones(3, requires_grad=True)\nh = torch.tanh(w)")
    failed = notebook.run("k = torch.zeros(2)\nnothing\nk = h.detach()")
    assert failed.error.startswith("NameError")
    lost = notebook.run("k = h.data").count
    answer = notebook.run("loss = (k * v).sum()", "print(torch.explain_none(w, loss))").printed
    assert f"here: In[{lost}], line 1: k = h.data" in answer


def test_a_cell_that_runs_again(notebook):
    cell = "h = torch.sigmoid(w).detach()\nloss = (h * v).sum()"
    notebook.run("w = torch.ones(3, requires_grad=True)\nv = torch.ones(3, requires_grad=True)", cell)
    again = notebook.run(cell).count
    assert f"In[{again}], line 1" in notebook.run("print(torch.explain_none(w, loss))").printed


def test_functions_of_cells_and_files(notebook, tmp_path):
    (tmp_path / "encoders.py").write_text("import torch\n\n\ndef encode(x):\n    return torch.tanh(x).detach()\n")
    notebook.run(f"import sys; sys.path.insert(0, {str(tmp_path)!r}); import encoders")
    notebook.run("w = torch.ones(3, requires_grad=True)\nv = torch.ones(3, requires_grad=True)")
    own = notebook.run("def halve(x):\n    return x.data / 2").count
    answer = notebook.run("loss = (halve(w) * v).sum()", "print(torch.explain_none(w, loss))").printed
    assert f"here: In[{own}], line 2, in halve: return x.data / 2" in answer
    answer = notebook.run("loss = (encoders.encode(w) * v).sum()", "print(torch.explain_none(w, loss))").printed
    assert f"here: {tmp_path}/encoders.py:5, in encode: return torch.tanh(x).detach()" in answer


def test_a_source_file_that_changed_since_the_import(notebook, tmp_path):
    (tmp_path / "changing.py").write_text("import torch\n\n\ndef encode(x):\n    return torch.tanh(x).detach()\n")
    notebook.run(f"import sys; sys.path.insert(0, {str(tmp_path)!r}); import changing")
    notebook.run("w = torch.ones(3, requires_grad=True)\nloss = changing.encode(w).sum()")
    (tmp_path / "changing.py").write_text("import torch\n\n\ndef decode(x):\n    return x\n\n\nencode = 3\n")
    answer = notebook.run("print(torch.explain_none(loss))")
    assert not answer.error
    assert "changing.py:5, in encode (the file has changed since" in answer.printed
    assert "return x" not in answer.printed
    error = notebook.run("changing.encode(torch.ones(2) + torch.ones(3, 5))").error
    assert "at In[" in error


@pytest.mark.parametrize(
    ("cell", "line"),
    [
        ("%%time\nh = torch.tanh(w)\nh = h.detach()", 3),
        ("%%capture out\nh = torch.tanh(w)\nh = h.detach()", 3),
        ("k = 1\n%time h = torch.tanh(w).detach()", 2),
        ("!true\nh = torch.tanh(w).detach()", 2),
    ],
)
def test_cells_with_magics(notebook, cell, line):
    notebook.run("w = torch.ones(3, requires_grad=True)\nv = torch.ones(3, requires_grad=True)")
    made = notebook.run(cell).count
    answer = notebook.run("loss = (h * v).sum()\nloss.backward()", "print(torch.explain_none(w, loss))").printed
    assert "left the graph through detach()" in answer
    assert f"here: In[{made}], line {line}: h = " in answer


def test_an_error_in_a_timed_cell(notebook):
    answer = notebook.run("%%time\nx = torch.ones(2, 3)\ny = torch.ones(4, 5)\nx @ y")
    assert f"at In[{answer.count}], line 4" in f"{answer.error}{answer.printed}{answer.traceback}"


def test_a_source_that_changed_hides_the_cause(notebook, tmp_path):
    (tmp_path / "mended.py").write_text("import torch\n\n\ndef cut(x):\n    return torch.tanh(x).detach()\n")
    notebook.run(f"import sys; sys.path.insert(0, {str(tmp_path)!r}); import mended")
    notebook.run("w = torch.ones(3, requires_grad=True)\nv = torch.ones(3, requires_grad=True)")
    used = notebook.run("loss = (mended.cut(w) * v).sum()").count
    (tmp_path / "mended.py").write_text("import torch\n\n\ndef cut(x):\n    return torch.tanh(x)\n")
    answer = notebook.run("print(torch.explain_none(w, loss))").printed
    assert "left the graph through cut(), whose source is not known, or has changed since" in answer
    assert f"here: In[{used}], line 1" in answer


def test_results_are_called_by_their_variables(notebook):
    notebook.run("w = torch.ones(3, requires_grad=True)", "w")
    assert notebook.run("print(torch.explain_none(w))").printed.startswith("w: nothing was calculated from it.")


def test_a_kernel_that_is_restarted():
    with Notebook() as notebook:
        notebook.run(START, "import torch", "w = torch.ones(3, requires_grad=True)")
        notebook.restart()
        first = notebook.run(START, "import torch\nw = torch.ones(3, requires_grad=True)\nh = w.detach()")
        answer = notebook.run("loss = h.sum()", "print(torch.explain_none(loss))")
        assert f"here: In[{first.count}], line 3: h = w.detach()" in answer.printed


def test_load_ext():
    with Notebook() as notebook:
        answer = notebook.run(
            "%load_ext chainrule", "import torch; from torch import nn", "print(torch, nn.Linear(2, 1))"
        )
        assert not answer.error
        assert "which is chainrule" in answer.printed


def test_rich_display(notebook):
    """Explanations are the page in a frame, which asks the network for nothing; findings are boxes, health a table."""
    setup = "net = torch.nn.Linear(3, 1)\nx, y = torch.ones(4, 3), torch.ones(4)\nloss = ((net(x) - y) ** 2).mean()"
    (shown,) = notebook.run(setup, "torch.explain(loss)").shown
    assert shown["text/html"].startswith('<iframe srcdoc="&lt;!doctype html&gt;')
    assert "http://" not in shown["text/html"].replace("http://www.w3.org", "")
    assert "https://" not in shown["text/html"]
    assert shown["text/plain"].startswith("How loss = ")
    (name,) = re.findall(r"&quot;files&quot;: ?\[\{&quot;name&quot;: ?&quot;(.*?)&quot;", shown["text/html"])
    assert re.fullmatch(r"In\[\d+\]", name)
    (shown,) = notebook.run("torch.explain.doctor(net, loss)").shown
    assert "<b>broadcast in the loss: net(x) - y compares (4, 1) with (4,)" in shown["text/html"]
    (shown,) = notebook.run("torch.explain_none(net.weight, loss)").shown
    assert "<b>net.weight: the loss depends on it, but backward() has not run.</b>" in shown["text/html"]
    (shown,) = notebook.run("torch.explain.missing(net, loss)").shown
    assert "<b>Every parameter has a gradient.</b>" in shown["text/html"]
    (shown,) = notebook.run("loss.backward()\ntorch.explain.health(net)").shown
    assert "<table><tr><th>layer</th>" in shown["text/html"]
    assert "<td>net</td>" in shown["text/html"]
