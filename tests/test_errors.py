"""Bad input: PyTorch's exception class and first words, then what helps; and nothing ends the interpreter."""

from __future__ import annotations

import ast
import os
from pathlib import Path

import pytest
import torch

import chainrule
from oracle import outcome

SAME_WORDS = [
    lambda t: t.zeros(2, 3) + t.zeros(4, 5),
    lambda t: t.zeros(3).add(t.zeros(4)),
    lambda t: t.zeros(3).expand(2, 4),
    lambda t: t.zeros(6).view(4, 2),
    lambda t: t.zeros(6).reshape(-1, 4),
    lambda t: t.zeros(6).reshape(-1, -1),
    lambda t: t.zeros(2, 3).transpose(0, 2),
    lambda t: t.zeros(2, 3).permute(0, 0),
    lambda t: t.zeros(2, 3).squeeze(5),
    lambda t: t.zeros(2, 3).unsqueeze(4),
    lambda t: t.zeros(2, 3).select(0, 2),
    lambda t: t.zeros(2, 3).narrow(1, 2, 5),
    lambda t: t.zeros(2, 3).sum(2),
    lambda t: t.cat([]),
    lambda t: t.cat([t.zeros(2, 3), t.zeros(2, 4)]),
    lambda t: t.stack([t.zeros(2), t.zeros(3)]),
    lambda t: t.zeros(2, 3) @ t.zeros(2, 3),
    lambda t: t.empty(-1),
    lambda t: t.zeros(2, -3),
    lambda t: t.zeros(2).backward(),
    lambda t: t.zeros(2, requires_grad=True).backward(),
    lambda t: t.zeros(2, dtype=t.int64).requires_grad_(),
    lambda t: t.zeros(2, requires_grad=True).add_(1),
    lambda t: t.zeros(2, requires_grad=True).numpy(),
    lambda t: t.zeros(3).item(),
    lambda t: bool(t.zeros(3)),
    lambda t: t.zeros(3).add_(t.zeros(2, 3)),
    lambda t: t.zeros(3, dtype=t.int64).add_(1.5),
    lambda t: t.zeros(3, dtype=t.int64).div_(2),
    lambda t: t.zeros(3, dtype=t.bool) - t.zeros(3, dtype=t.bool),
    lambda t: -t.zeros(3, dtype=t.bool),
    lambda t: t.zeros(2).bitwise_and(1),
    lambda t: t.tensor([4]) // 0,
    lambda t: t.tensor([4]) % t.tensor([0]),
    lambda t: t.clamp(t.zeros(2)),
    lambda t: t.zeros(2).expand(-1, 2),
    lambda t: t.zeros(2).repeat(),
    lambda t: t.zeros(2, 2).repeat(2),
    lambda t: t.zeros(2).split(-1),
    lambda t: t.zeros(3).split([1, 1]),
    lambda t: t.zeros(3).chunk(0),
    lambda t: t.zeros(2, 2, 2).t(),
    lambda t: t.zeros(2).diagonal(),
    lambda t: t.zeros(4).as_strided((2, 9), (1, 1)),
    lambda t: t.zeros(4).unflatten(0, (3, 2)),
    lambda t: t.zeros(3).flip(1),
    lambda t: t.zeros(3).tril(),
    lambda t: t.div(t.ones(2), 2, rounding_mode="up"),
    lambda t: t.zeros(2).polygamma(-1),
    lambda t: t.where(t.zeros(2), t.zeros(2), t.zeros(2)),
    lambda t: t.lerp(t.zeros(2), t.zeros(2, dtype=t.float64), 0.5),
    lambda t: t.exp(t.zeros(2), out=t.zeros(2, dtype=t.int64)),
    lambda t: t.exp(t.zeros(2, requires_grad=True), out=t.zeros(2)),
    lambda t: t.autograd.grad(t.zeros(()), [t.zeros(2)]),
    lambda t: t.from_numpy(3),
    lambda t: t.zeros(2).to("nowhere"),
    lambda t: t.celu(t.ones(3), 0),
    lambda t: t.celu_(t.ones(3), 0.0),
    lambda t: t.nn.functional.celu(t.zeros(0), 0),
    lambda t: t.nn.functional.softshrink(t.ones(3), -1),
    lambda t: t.nn.functional.softshrink(t.ones(3, dtype=t.float16), 1e6),
    lambda t: t.celu(t.ones(3), 1j),
    lambda t: t.roll(t.ones(()), 0, 0),
    lambda t: t.cat([t.ones(2, 5), t.ones(3, 5)], out=t.zeros(1).expand(5, 5)),
    lambda t: t.tensor_split(t.ones(4), t.tensor([1, 2], dtype=t.int32)),
    lambda t: t.tensor_split(t.ones(4), t.tensor([[1, 2]])),
    lambda t: t.ones(4)[1:].as_strided((2,), (1,), -1),
    lambda t: t.ones(4)[1:].as_strided((2,), (1,), 2**63 - 1),
    lambda t: t.ones(4)[1:].as_strided((2, 2), (2**62, 2**62), 0),
    lambda t: t.ones(1).view(0, -1),
    lambda t: t.ones(0).view(0, -1),
    lambda t: t.linspace(t.zeros(2), t.ones(2), 3),
    lambda t: t.linspace(t.zeros(()), t.ones(1, 1), 3),
    lambda t: t.linspace(0, 1j, 3, dtype=t.float32),
    lambda t: t.linspace(0, 1, 2.5),
    lambda t: t.ones(3).narrow(0, t.tensor([1]), 1),
    lambda t: t.ones(3).narrow(0, t.tensor(1.0), 1),
    lambda t: t.ones(3).narrow(0, 1.5, 1),
    lambda t: t.narrow_copy(t.ones(3), 1, 0, 1),
    lambda t: t.narrow_copy(t.ones(3), 0, 0, -1),
    lambda t: t.ones(1, 1).expand(1, 2**24 + 1).multinomial(1),
    lambda t: t.eq(object(), 1),
    lambda t: t.ones(2).eq("a"),
    lambda t: t.eq(t.ones(2)),
    lambda t: t.pow(2, 3),
    lambda t: t.float_power(2, 3),
    lambda t: t.clamp(t.ones(2), "a"),
    lambda t: t.ones(2).fmod_("a"),
    lambda t: t.special.zeta(1, 2),
    lambda t: t.bucketize("a", t.ones(2)),
    lambda t: t.add(t.ones(2), "a"),
    lambda t: t.Tensor.__rdiv__(2, t.ones(2)),
    lambda t: t.amax(t.ones(2), 0, out=t.ones((), dtype=t.int32)),
    lambda t: t.nn.Linear(2, 3)(t.ones(4, 2, dtype=t.int64)),
    lambda t: t.nn.Linear(2, 3)(t.ones(5, 4, 2, dtype=t.float64)),
    lambda t: t.nn.functional.linear(t.ones(4, 2).int(), t.ones(3, 2)),
    lambda t: t.addmm(t.ones(2), t.ones(2, 2).long(), t.ones(2, 2)),
    lambda t: t.polar(t.ones(2), t.ones(2), out=t.ones(2, dtype=t.complex128)),
]


@pytest.mark.parametrize("make", SAME_WORDS, ids=range(len(SAME_WORDS)))
def test_same_class_and_first_words(make):
    (value, mine), (_, reference) = outcome(make, chainrule), outcome(make, torch)
    assert mine is not None, f"{value} instead of {reference!r}"
    assert isinstance(mine, type(reference)), f"{mine!r} instead of {reference!r}"
    words = str(reference).split()[:4]
    assert str(mine).split()[: len(words)] == words, f"{mine} instead of {reference}"


def test_overloads_are_listed_and_the_misfit_is_named():
    """PyTorch has an overload for tensors and one for numbers where there is one signature here."""
    with pytest.raises(TypeError) as caught:
        chainrule.eq(chainrule.ones(2), "a")
    text = str(caught.value)
    assert "got (Tensor, str), but expected one of:\n * (Tensor input, Tensor other, *, Tensor out = None)" in text
    assert "\n * (Tensor input, Number other, *, Tensor out = None)" in text
    assert "\n  eq(): argument 'other' (position 2) must be Tensor or Number, not str" in text


SAME_CLASS = [
    lambda t: t.sin(),
    lambda t: t.sin(1.0),
    lambda t: t.sin("a"),
    lambda t: t.sin(None),
    lambda t: t.sin(t.zeros(2), 3),
    lambda t: t.sin(t.zeros(2), foo=1),
    lambda t: t.add(t.zeros(2)),
    lambda t: t.add(1, 2),
    lambda t: t.add(t.zeros(2), "a"),
    lambda t: t.add(t.zeros(2), [1, 2]),
    lambda t: t.add(t.zeros(2), None),
    lambda t: t.zeros(2) + "a",
    lambda t: t.zeros(2) + None,
    lambda t: [*t.zeros(2), 1, 2],
    lambda t: t.zeros(2) < "a",
    lambda t: t.zeros(2) ** None,
    lambda t: t.add(t.zeros(2), 1, alpha="a"),
    lambda t: t.add(t.zeros(2), 1, alpha=None),
    lambda t: t.add(input=t.zeros(2)),
    lambda t: t.add(t.zeros(2), input=t.zeros(2)),
    lambda t: t.zeros(2).sum(dim="a"),
    lambda t: t.zeros(2).sum(dim=[0, "a"]),
    lambda t: t.zeros(2).sum(keepdim=3),
    lambda t: t.zeros(2).sum(0, dtype=3),
    lambda t: t.cat(t.zeros(2)),
    lambda t: t.cat([1, 2]),
    lambda t: t.cat([t.zeros(2), None]),
    lambda t: t.stack(3),
    lambda t: t.zeros(2).view("a"),
    lambda t: t.zeros(2).view(None),
    lambda t: t.zeros(2).view(),
    lambda t: t.zeros(2).reshape(2.0),
    lambda t: t.zeros(2, 3).permute("a"),
    lambda t: t.zeros(2).transpose(0),
    lambda t: t.zeros(2).expand("a"),
    lambda t: t.zeros(2).add_("a"),
    lambda t: t.zeros(2).add_(),
    lambda t: t.zeros(2).clamp("a"),
    lambda t: t.zeros(2).clamp(),
    lambda t: t.where(1, 2, 3),
    lambda t: t.mm(1, 2),
    lambda t: t.zeros(2).to("float32"),
    lambda t: t.zeros(2).requires_grad_("a"),
    lambda t: t.zeros(2).backward("a"),
    lambda t: t.arange(),
    lambda t: t.arange("a"),
    lambda t: t.eye("a"),
    lambda t: t.full((2,)),
    lambda t: t.full("a", 1),
    lambda t: t.tensor(),
    lambda t: t.tensor([1], dtype=3),
    lambda t: t.manual_seed("a"),
    lambda t: t.zeros(10**15),
    lambda t: t.empty(10**15),
    lambda t: t.ones(10**10, 10**10),
    lambda t: t.zeros(1).expand(10**15).clone(),
    lambda t: t.zeros(2**63),
    lambda t: t.arange(10**15),
    lambda t: t.eye(10**8),
    lambda t: t.randn(10**14),
    lambda t: t.zeros(1).repeat(10**15),
    lambda t: t.zeros(3).repeat(2**62),
    lambda t: t.zeros(1).expand(10**15).contiguous(),
    lambda t: t.linspace(0, 1, 10**15),
    lambda t: t.zeros(2).attribute,
    lambda t: t.no_such_function,
    lambda t: hash(t.zeros(2)) and 1 / 0,
    lambda t: t.zeros(2)(),
    lambda t: t.Size("a"),
    lambda t: t.device("moon"),
    lambda t: t.zeros(2).grad_fn.name(),
    lambda t: setattr(t.zeros(2), "grad", 3),
    lambda t: setattr(t.zeros(2), "grad", t.zeros(3)),
    lambda t: setattr(t.zeros(2), "requires_grad", "a"),
    lambda t: setattr(t.zeros(2), "shape", (1,)),
    lambda t: setattr(t.zeros(2), "data", 3),
    lambda t: t.set_default_dtype(t.int64),
    lambda t: t.set_default_dtype("a"),
    lambda t: t.set_num_threads(0),
    lambda t: t.set_num_threads("a"),
    lambda t: t.autograd.grad(1, 2),
]


@pytest.mark.parametrize("make", SAME_CLASS, ids=range(len(SAME_CLASS)))
def test_same_class(make):
    (value, mine), (expected, reference) = outcome(make, chainrule), outcome(make, torch)
    if reference is None:
        assert mine is None, f"{mine!r} instead of {expected!r}"
        return
    assert isinstance(mine, type(reference)), f"{mine!r} instead of {reference!r} (gave {value!r})"


def test_shapes_that_do_not_broadcast_are_explained():
    """Both shapes, the dimension and the user's line."""
    with pytest.raises(RuntimeError) as caught:
        chainrule.zeros(2, 3) + chainrule.zeros(2, 4)  # this line
    text = str(caught.value)
    assert text.startswith("The size of tensor a (3) must match the size of tensor b (4) at non-singleton dimension 1")
    assert "[2, 3]" in text
    assert "[2, 4]" in text
    assert "# this line" in text
    assert os.path.basename(__file__) in text


def test_a_failed_call_changes_nothing():
    x = chainrule.ones(3, requires_grad=True)
    y = x * 2
    version = y._version
    with pytest.raises(RuntimeError):
        y.add_(chainrule.zeros(2, 3))
    assert y._version == version
    y.sum().backward()
    assert x.grad.tolist() == [2.0, 2.0, 2.0]


def test_an_operation_written_in_python_tells_the_users_line():
    x = chainrule.ones(3)
    with pytest.raises(IndexError) as caught:
        chainrule.gradient(x, dim=7)
    text = str(caught.value)
    assert text.startswith("Dimension out of range (expected to be in range of [-1, 0], but got 7)\n")
    assert "test_errors.py:" in text
    assert text.endswith("chainrule.gradient(x, dim=7)")
    assert text.count("\n  at ") == 1


WRITTEN_IN_PYTHON = [
    lambda x: chainrule.nn.functional.l1_loss(x, x, reduction="abc"),
    lambda x: chainrule.nn.functional.triplet_margin_loss(x, x, chainrule.zeros(2, 2)),
    lambda x: chainrule.nn.functional.adaptive_avg_pool2d(x, (2, 2)),
    lambda x: chainrule.nn.functional.group_norm(x, 2),
    lambda x: chainrule.nn.functional.interpolate(x, size=4, scale_factor=2),
    lambda x: chainrule.nn.functional.pad(x, (1, 2, 3)),
    lambda x: chainrule.signal.windows.hann(-len(x)),
]


@pytest.mark.parametrize("call", WRITTEN_IN_PYTHON, ids=range(len(WRITTEN_IN_PYTHON)))
def test_a_function_written_in_python_tells_the_users_line(call):
    with pytest.raises((ValueError, RuntimeError)) as caught:
        call(chainrule.zeros(3))
    assert f"\n  at {__file__}:{call.__code__.co_firstlineno}" in str(caught.value)


def test_every_function_of_nn_signal_and_meta_raises_with_the_users_line():
    rooms = Path(chainrule.__file__).parent
    bare = []
    for path in [*rooms.glob("nn/functional/*.py"), rooms / "signal/windows.py", rooms / "meta.py"]:
        for node in ast.walk(ast.parse(path.read_text())):
            error = node.exc if isinstance(node, ast.Raise) and isinstance(node.exc, ast.Call) else None
            if error and ast.unparse(error.func).endswith("Error") and path.name != "__init__.py":
                bare.append(f"{path.name}:{error.lineno}")
    assert not bare, "raise at_call(kind, text), so that the error names the line"
