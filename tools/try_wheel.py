"""Installs the wheel in a folder that fits this Python into an empty environment, and tries it: a first gradient, with
its line, and the gradients of products, elementwise operations, sums and norms beside finite differences.

Needs nothing but Python, so that any machine can do it: `python3.12 tools/try_wheel.py dist`.
"""

import subprocess
import sys
import tempfile
import time
from pathlib import Path

FIRST_GRADIENT = """
import time
start = time.perf_counter()
import chainrule as torch
x = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
loss = (x ** 3).sum()
loss.backward()
took = time.perf_counter() - start
assert x.grad.tolist() == [3.0, 12.0, 27.0], x.grad
assert loss.grad_fn.source[1] == 5, loss.grad_fn.source
assert torch._core.read_frames_directly(True), "the frames of this Python are not as expected"
print(f"first gradient, at instruction set {torch._core.instruction_set()}: {1000 * took:.0f} ms after the start")
"""

GRADIENTS = """
import chainrule as torch
import chainrule.nn.functional as F
torch.manual_seed(0)
def leaf(*shape):
    return (torch.rand(*shape, dtype=torch.float64) * 0.8 + 0.1).requires_grad_()
checks = {
    "product": (lambda a, b: a @ b, (9, 17), (17, 5)),
    "batched product": (lambda a, b: a @ b, (3, 4, 6), (3, 6, 2)),
    "elementwise": (lambda a: a.exp() + a.log() + a.sin() + a.tanh() + a.sqrt() + a.erf() + a.lgamma(), (33,)),
    "Bessel functions": (lambda a: torch.special.bessel_j0(a) + torch.special.bessel_j1(a), (9,)),
    "sum and mean": (lambda a: a.sum(0) * a.mean(), (7, 19)),
    "softmax": (lambda a: F.log_softmax(a, -1), (4, 13)),
    "layer norm": (lambda a, w, b: F.layer_norm(a, (11,), w, b), (3, 11), (11,), (11,)),
    "convolution": (lambda a, w: F.conv2d(a, w, padding=1), (2, 3, 7, 6), (4, 3, 3, 3)),
    "attention": (lambda q, k, v: F.scaled_dot_product_attention(q, k, v), (2, 5, 8), (2, 5, 8), (2, 5, 8)),
    "Fourier transform": (lambda a: torch.fft.rfft(a).abs(), (12,)),
    "inverse matrix": (lambda a: torch.linalg.inv(a + 2 * torch.eye(4, dtype=torch.float64)), (4, 4)),
}
for name, (function, *shapes) in checks.items():
    assert torch.autograd.gradcheck(function, [leaf(*shape) for shape in shapes]), name
# The kernels for float32 beside float64.
a, b = torch.rand(65, 130), torch.rand(130, 67)
assert torch.allclose(a @ b, (a.double() @ b.double()).float(), rtol=1e-5)
assert torch.allclose(a.exp().sum(), a.double().exp().sum().float(), rtol=1e-5)
print(f"{len(checks)} gradients are those of finite differences")
"""


def run(*command: str | Path) -> None:
    subprocess.run([*map(str, command)], check=True)


def main(folder: Path) -> None:
    with tempfile.TemporaryDirectory() as empty:
        home = Path(empty)
        run(sys.executable, "-m", "venv", home / "environment")
        python = home / "environment" / "bin" / "python"
        pip = (python, "-m", "pip", "--disable-pip-version-check", "--quiet")
        # In two steps, so that a wheel of this name elsewhere cannot be taken for ours.
        run(*pip, "download", "--no-index", "--no-deps", "--find-links", folder, "--dest", home, "chainrule")
        (wheel,) = home.glob("*.whl")
        start = time.perf_counter()
        run(*pip, "install", "--only-binary=:all:", wheel)
        print(f"{wheel.name} installed in {time.perf_counter() - start:.1f} s, its requirement's download included")
        for name, program in (("first_gradient.py", FIRST_GRADIENT), ("gradients.py", GRADIENTS)):
            (home / name).write_text(program.lstrip())
            run(python, home / name)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
