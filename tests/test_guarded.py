"""The guarded device: tensors whose elements nobody but a backend can touch. See Note [The guarded device]."""

from __future__ import annotations

import os
import subprocess
import sys

PROGRAM = """
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
a.tril(), a.cpu(), a.sum().item(), float(a.sum()), a @ a, a.sort(), a.cumsum(0)
assert torch._core.guarded_faults() == []

# What touches elements by itself is named, also if it raises, and the next call is not blamed for it.
refused(lambda: torch.div(torch.ones(2, dtype=torch.int64, device="guarded"), 0, rounding_mode="floor"))
assert "div" in torch._core.guarded_faults()
a.tril()
assert torch._core.guarded_faults() == []

# Only the second output has a gradient, and it is not where the pass began.
w = torch.ones(2, 3, requires_grad=True)
second = w.to("guarded").unbind()[1].cpu()
second.sum().backward()
assert torch.equal(w.grad, torch.tensor([[0.0] * 3, [1.0] * 3]))
"""


def test_tensors_of_the_guarded_device() -> None:
    environment = {**os.environ, "CHAINRULE_GUARDED": "1"}
    done = subprocess.run([sys.executable, "-c", PROGRAM], env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
