"""What a training step's time and memory gain when batch, width or depth doubles three times, beside PyTorch's gain.

The gain is the difference of the largest and the smallest size, so that what does not grow is left out: the time of
calls, and the memory of the library itself, which is most of a small step's in PyTorch and would hide its growth. As a
factor chainrule's growth is the larger one for just that reason: it begins lower. The results keep every size.
"""

import functools
import pathlib
import statistics
import subprocess
import sys

from harness import Row, Workload, compare, report
from whole_steps import CLASSES, gpt, perceptron, training

HERE = pathlib.Path(__file__).parent
DOUBLED = (1, 2, 4, 8)
BAR = 1.0
UNITS = {"time": "s", "memory": "MB"}
MODELS = {
    "MLP": (perceptron, "SGD", {"batch": 128, "width": 256, "depth": 2}),
    "GPT": (functools.partial(gpt, heads=2), "AdamW", {"batch": 4, "width": 64, "layers": 1}),
}

# Runs in a process of its own: a small step, so that the library is loaded, then what two steps add to the memory in
# use, at their peak, in MB. The peak is forgotten in between, or what importing took would be in it (Linux).
SCRIPT = """
import pathlib, sys
sys.path.insert(0, {here!r})
import {library} as torch
from growth import CLASSES, workload
def peak():
    return next(int(line.split()[1]) for line in open("/proc/self/status") if line.startswith("VmHWM"))
torch.set_num_threads(1)
exec(CLASSES, workload({model!r}, batch=1)(torch))
pathlib.Path("/proc/self/clear_refs").write_text("5")
before = peak()
names = workload({model!r}, **{sizes!r})(torch)
for _ in range(2):
    exec(CLASSES, names)
print((peak() - before) / 1024)
"""


def workload(model, **sizes):
    """The names for a step of the model with some of its sizes changed."""
    make, optimiser, usual = MODELS[model]
    return training(lambda torch: make(torch, **(usual | sizes)), optimiser, lr=1e-4)


def times(model, sizes):
    """Seconds of a step: (ours, theirs)."""
    row = compare(Workload(f"{model} {sizes}", 1, workload(model, **sizes), CLASSES, "loss", 5))
    return row.ours, row.theirs


def memory(model, sizes):
    """MB that two steps add: (ours, theirs). The median of three processes, for PyTorch's differ by up to 1 MB."""

    def added(library):
        script = SCRIPT.format(here=str(HERE), library=library, model=model, sizes=sizes)
        run = subprocess.run([sys.executable, "-c", script], check=True, capture_output=True, text=True)
        return float(run.stdout)

    return tuple(statistics.median(added(library) for _ in range(3)) for library in ("chainrule", "torch"))


def rows():
    for model, (_, _, usual) in MODELS.items():
        for dimension, start in usual.items():
            for what, measure in (("time", times), ("memory", memory)):
                measured = [measure(model, {dimension: start * factor}) for factor in DOUBLED]
                ours, theirs = (list(column) for column in zip(*measured, strict=True))
                name = f"{model} step, {dimension} {start} to {start * DOUBLED[-1]}: {what} gained"
                rounds = {"chainrule": ours, "torch": theirs}
                yield Row(name, ours[-1] - ours[0], theirs[-1] - theirs[0], BAR, UNITS[what], rounds)


if __name__ == "__main__":
    report("growth", list(rows()))
