"""The guarded device: tensors whose elements nobody but a backend can touch. See Note [The guarded device]."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from samples import RECORDS
from test_nn_layers import LAYERS
from test_optim import CASES

PROGRAM = """
import ctypes

import chainrule as torch

def refused(f):
    try:
        f()
    except RuntimeError as e:
        return str(e).splitlines()[0]

x = torch.arange(12.0).reshape(3, 4).to("guarded").requires_grad_()
y = x * 2
z = y.tril().sum()
assert {t.device for t in (x, y, z)} == {torch.device("guarded:0")}
assert z.item() == 72 and float(z) == 72
z.backward()
assert x.grad.device == x.device
assert torch.equal(x.grad.cpu(), torch.full((3, 4), 2.0).tril())

w = torch.ones(3, 4, requires_grad=True)  # a gradient goes back to where its tensor is
(w.to("guarded") * x.detach()).sum().backward()
assert w.grad.device.type == "cpu" and torch.equal(w.grad, x.detach().cpu())

assert (x + torch.tensor(1.0)).device == x.device  # a number may be on the CPU
assert refused(lambda: x + w) == (
    "Expected all tensors to be on the same device, but found at least two devices, guarded:0 and cpu!"
)
assert "guarded:0" in refused(lambda: torch.ones(2, device="guarded:1"))
with torch.device("guarded"):
    assert torch.ones(2).device == torch.zeros(2).device == x.device
assert torch.ones(2).device.type == "cpu"

torch._core.guarded_faults()
a = torch.eye(4).to("guarded")
a.tril(), a.cpu(), a.sum().item(), float(a.sum()), a @ a, a.sort(), a.cumsum(0), abs(a.to(torch.complex64))
assert torch._core.guarded_faults() == []

# What touches elements by itself is named, also if it raises, and the next call is not blamed for it.
class Touches:
    def __index__(self):
        ctypes.string_at(a.data_ptr(), 4)
        raise ValueError

try:
    a.sum(Touches())
except ValueError:
    pass
assert torch._core.guarded_faults() == ["sum"]
a.tril()
assert torch._core.guarded_faults() == []

# Only the second output has a gradient, and it is not where the pass began.
w = torch.ones(2, 3, requires_grad=True)
second = w.to("guarded").unbind()[1].cpu()
second.sum().backward()
assert torch.equal(w.grad, torch.tensor([[0.0] * 3, [1.0] * 3]))
"""


def on_guarded(*arguments: str) -> str:
    environment = {**os.environ, "CHAINRULE_GUARDED": "1"}
    done = subprocess.run([sys.executable, *arguments], env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_tensors_of_the_guarded_device() -> None:
    on_guarded("-c", PROGRAM)


@pytest.mark.parametrize(
    ("what", "cases"),
    [
        *((f"ops {dtype}", len(RECORDS)) for dtype in ("float32", "float64", "bfloat16", "complex64", "int64", "bool")),
        ("layers", len(LAYERS)),
        ("optimisers", len(CASES)),
    ],
)
def test_only_backends_touch_elements(what: str, cases: int) -> None:
    assert on_guarded(str(Path(__file__).with_name("on_guarded.py")), *what.split()) == f"{cases} cases\n"
