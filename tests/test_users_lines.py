"""Errors raised in Python carry the user's line, and warnings point at it, never into chainrule."""

import ast
import copy
import importlib
import inspect
import io
import os
import re
import sys
import time
import warnings
from pathlib import Path

import pytest

import chainrule as torch
from chainrule import nn

ROOMS = Path(torch.__file__).parent


class Doubled(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x * 2

    @staticmethod
    def backward(ctx, g):
        return g.sum().expand(7)  # of a wrong shape


class Chosen(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x * 2

    @staticmethod
    def backward(ctx, g):
        if g.sum() > 0:
            return g.new_ones(7)
        return g


def weight():
    return torch.ones(3, requires_grad=True)


class Forwards(nn.Module):
    def forwards(self, x):
        return x


ERRORS = {
    "an argument of a layer": lambda: nn.Dropout(1.5),
    "heads": lambda: nn.MultiheadAttention(10, 3),
    "no forward": lambda: Forwards()(torch.ones(2)),
    "an optimiser of nothing": lambda: torch.optim.SGD([], lr=0.1),
    "a learning rate": lambda: torch.optim.Adam([weight()], lr=-1.0),
    "a scheduler of a model": lambda: torch.optim.lr_scheduler.StepLR(nn.Linear(2, 1), 3),
    "another model's state": lambda: nn.Linear(2, 1).load_state_dict(nn.Linear(3, 1).state_dict()),
    "a batch size": lambda: torch.utils.data.DataLoader([1, 2], batch_size=0),
    "a data set": lambda: torch.utils.data.TensorDataset(torch.ones(4, 2), torch.ones(3)),
    "a distribution": lambda: torch.distributions.Normal(torch.zeros(2), torch.tensor([-1.0, 0.0])),
    "einsum": lambda: torch.einsum("ij,jk->ik", torch.ones(2, 3), torch.ones(4, 5)),
    "a file": lambda: torch.load(io.BytesIO(b"PK\3\4 and no more")),
    "a dtype's numbers": lambda: torch.finfo(torch.int32),
    "numpy": lambda: (weight() * 2).numpy(),
    "deepcopy": lambda: copy.deepcopy(weight() * 2),
    "grad of nothing": lambda: torch.autograd.grad((weight() * 2).sum(), weight()),
    "no inputs": lambda: torch.autograd.grad(weight().sum(), []),
    "gru": lambda: nn.GRU(3, 6)(torch.ones(5, 4, 3), torch.ones(4, 1, 6)),
    "batch norm": lambda: nn.BatchNorm2d(4)(torch.ones(4, 26, 26)),
    "vmap": lambda: torch.func.vmap(torch.sin)(torch.ones(())),
}


@pytest.mark.parametrize("name", ERRORS)
def test_errors_raised_in_python_name_the_users_line(name):
    make = ERRORS[name]
    with pytest.raises((RuntimeError, ValueError, TypeError, AssertionError)) as caught:
        make()
    here = f"\n  at {__file__}:{make.__code__.co_firstlineno}, in <lambda>: "
    assert here in str(caught.value)
    assert str(caught.value).count("\n  at ") == 1


def test_no_bare_errors_where_users_call():
    """Differentiation, conversions, layers, optimisers, data: what the core, which adds the line, does not call."""
    bare = []
    for path in [
        *(
            path
            for room in ("autograd", "nn", "optim", "utils/data", "distributions")
            for path in (ROOMS / room).rglob("*.py")
        ),
        ROOMS / "interop.py",
        ROOMS / "tensor_methods.py",
        ROOMS / "pickling.py",
    ]:
        for node in ast.walk(ast.parse(path.read_text())):
            error = node.exc if isinstance(node, ast.Raise) and isinstance(node.exc, ast.Call) else None
            if (
                error
                and ast.unparse(error.func) in ("RuntimeError", "ValueError", "TypeError")
                and len(error.args) == 1
            ):
                bare.append(f"{path.name}:{error.lineno}")
    assert not bare, "raise at_call(kind, text), so that the error names the line"


@pytest.mark.parametrize(("kind", "words"), [(Doubled, "returned here"), (Chosen, "returned by")])
def test_a_wrong_gradient_of_a_users_function(kind, words):
    with pytest.raises(RuntimeError, match="returned an invalid gradient at index 0") as caught:
        kind.apply(weight()).sum().backward()
    lines, first = inspect.getsourcelines(kind.backward)
    number = first + next(i for i, line in enumerate(lines) if "return" in line) if kind is Doubled else first
    assert f"  It was {words}: {__file__}:{number}, in backward" in str(caught.value)


def test_the_error_of_a_loss_names_the_argmax():
    scores = weight() * torch.arange(3.0)
    best = scores.argmax()
    loss = best.float() * 2
    with pytest.raises(RuntimeError, match="does not require grad") as caught:
        loss.backward()
    assert "loss: what it was calculated from went through argmax(), which has no gradient.\n" in str(caught.value)
    assert "best = scores.argmax()" in str(caught.value)


class Hidden:
    """Has attributes and does not show them, as a TypeVar of Python 3.12 and later."""

    @property
    def __dict__(self):
        raise AttributeError


def test_an_object_that_hides_its_attributes_is_passed_over():
    hidden = Hidden()
    scores = weight() * torch.arange(3.0)
    loss = scores.argmax().float()
    with pytest.raises(RuntimeError, match="does not require grad") as caught:
        loss.backward()
    assert "loss: what it was calculated from went through argmax(), which has no gradient.\n" in str(caught.value)
    assert isinstance(hidden, Hidden)


WARNINGS = {
    "a loss in a module": lambda: nn.MSELoss()(torch.ones(3, 1), torch.ones(3)),
    "a loss": lambda: nn.functional.l1_loss(torch.ones(3, 1), torch.ones(3)),
    "softmax in a module": lambda: nn.Sequential(nn.Softmax())(torch.ones(2, 2)),
    "an old name": lambda: nn.utils.clip_grad_norm(nn.Linear(1, 1).parameters(), 1.0),
    "initialisation": lambda: nn.init.kaiming_uniform_(torch.empty(0, 3)),
    "an old argument": lambda: nn.functional.l1_loss(torch.ones(3), torch.ones(3), size_average=True),
}


@pytest.mark.parametrize("name", WARNINGS)
def test_warnings_point_at_the_users_line(name):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        WARNINGS[name]()
    assert [(w.filename, w.lineno) for w in caught] == [(__file__, WARNINGS[name].__code__.co_firstlineno)] * len(
        caught
    )
    assert caught


def test_warnings_are_given_by_one_function():
    uses = [p.name for p in ROOMS.rglob("*.py") if re.search(r"\bwarnings\.warn\(", p.read_text())]
    assert uses == ["user_warning.py"]


def test_an_error_in_a_file_that_changed_since(tmp_path, monkeypatch):
    path = tmp_path / "edited.py"
    path.write_text("import chainrule\n\n\ndef fail(x):\n    return x + chainrule.ones(7)\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    module = importlib.import_module("edited")
    with pytest.raises(RuntimeError, match=r"edited.py:5, in fail: return x \+ chainrule.ones\(7\)"):
        module.fail(torch.ones(3))
    path.write_text("import chainrule\n\n\n# other words\nnothing = 'of the kind'\n")
    os.utime(path, (time.time() + 5, time.time() + 5))
    with pytest.raises(
        RuntimeError, match=r"edited.py:5, in fail \(the file has changed since it was imported"
    ) as caught:
        module.fail(torch.ones(3))
    assert "of the kind" not in str(caught.value)
    del sys.modules["edited"]
