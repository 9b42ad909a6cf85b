"""Products of bfloat16 by the processor's own instructions: the packing on any machine, the kernels in an emulator."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).parent

# What PLAIN prints has to be what the float kernels give: sums of whole numbers have no rounding errors.
PROGRAM = """
import chainrule as torch
F = torch.nn.functional

def whole(*sizes):
    return torch.randint(-4, 5, sizes).bfloat16()

torch.manual_seed(0)
SIZES = [(1, 1, 1), (1, 5, 7), (5, 1, 33), (33, 31, 65), (64, 96, 545), (1041, 40, 20), (50, 300, 1100), (7, 9, 0)]
for m, n, k in SIZES:
    for a in (whole(m, k), whole(k, m).t(), whole(m, 2 * k)[:, ::2]):
        for b in (whole(k, n), whole(n, k).t(), whole(2 * k, n)[::2]):
            bias = whole(n)
            for result in (a @ b, torch.addmm(bias, a, b, beta=2, alpha=3), F.linear(a, b.t(), bias)):
                print(result.double().sum().item(), (result.double() * torch.arange(n)).sum().item())
x, w, b = (t.requires_grad_() for t in (whole(40, 70), whole(30, 70), whole(30)))
F.linear(x, w, b).backward(whole(40, 30))
print([t.grad.double().sum().item() for t in (x, w, b)])
print((whole(3, 4, 17, 40) @ whole(4, 40, 50)).double().sum().item())
print(torch.baddbmm(whole(3, 5, 6), whole(3, 5, 80), whole(3, 80, 6)).tolist())
print(torch.addbmm(whole(5, 6), whole(3, 5, 80), whole(3, 80, 6)).tolist())
for threads in (1, 2):
    torch.manual_seed(1)
    torch.set_num_threads(threads)
    print((torch.randn(300, 500).bfloat16() @ torch.randn(500, 400).bfloat16()).double().sum().item())
"""


def printed(kernel: str) -> list[str]:
    environment = {**os.environ, "CHAINRULE_BFLOAT16": kernel}
    return subprocess.run(
        [sys.executable, "-c", PROGRAM], env=environment, capture_output=True, text=True, check=True
    ).stdout.splitlines()


def test_packed_products_are_those_of_the_float_kernels() -> None:
    plain, expected = printed("plain"), printed("float")
    assert len(plain) > 200
    assert plain[:-2] == expected[:-2]  # the last two are of numbers that round, and the same for all thread counts
    assert plain[-1] == plain[-2]


def has_avx512() -> bool:
    cpu = Path("/proc/cpuinfo")
    return cpu.exists() and "avx512bw" in cpu.read_text()


@pytest.mark.skipif(not has_avx512(), reason="the kernels around these instructions are AVX-512 code")
def test_kernels_in_an_emulator(tmp_path: Path) -> None:
    compiler = os.environ.get("CXX") or shutil.which("c++")
    assert compiler, "the suite needs the compiler that built the core"
    program = tmp_path / "bfloat16_instructions"
    source = HERE / "bfloat16_instructions.cpp"
    flags = ["-std=c++20", "-O2", "-march=x86-64-v4", "-ffp-contract=off", f"-I{HERE.parent / 'core'}"]
    features = HERE.parent / "core/backends/cpu/features.cpp"
    subprocess.run([compiler, *flags, str(source), str(features), "-o", str(program)], check=True)
    done = subprocess.run([str(program)], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, "both kernels agree\n", "")
