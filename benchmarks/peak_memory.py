"""The most memory that a process ever held while it trained: interpreter, library, tensors and all."""

import pathlib
import subprocess
import sys

from harness import Row, report

BAR = 0.5
HERE = pathlib.Path(__file__).parent

# Runs in a process of its own: three steps, then the process's peak in MB.
SCRIPT = """
import resource, sys
sys.path.insert(0, {here!r})
import {library} as torch
torch.set_num_threads(1)
{setup}
for _ in range(3):
    {step}
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024)
"""

NETWORK = "from whole_steps import training, {make}, CLASSES\nnames = training({make}, {optimiser!r})(torch)"
WORKLOADS = {
    "peak memory, MLP step": (NETWORK.format(make="perceptron", optimiser="SGD"), "exec(CLASSES, names)"),
    "peak memory, GPT step": (NETWORK.format(make="gpt", optimiser="AdamW"), "exec(CLASSES, names)"),
    "peak memory, cross-entropy on (4096, 8192)": (
        "x = torch.randn(4096, 8192).requires_grad_(); y = torch.arange(4096)",
        "x.grad = None; torch.nn.functional.cross_entropy(x, y).backward()",
    ),
}


def peak(library, setup, step):
    script = SCRIPT.format(here=str(HERE), library=library, setup=setup, step=step)
    return float(subprocess.run([sys.executable, "-c", script], check=True, capture_output=True, text=True).stdout)


def rows():
    for name, (setup, step) in WORKLOADS.items():
        rounds = {library: [peak(library, setup, step) for _ in range(3)] for library in ("chainrule", "torch")}
        yield Row(name, min(rounds["chainrule"]), min(rounds["torch"]), BAR, "MB", rounds)


if __name__ == "__main__":
    report("peak_memory", list(rows()))
