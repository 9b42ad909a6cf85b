"""Deep graphs: a chain of 100,000 nodes against PyTorch, and one of a million whose memory must come back."""

import subprocess
import sys

from harness import Row, Workload, compare, report

CHAIN = "y = x\nfor _ in range({length}):\n    y = y * w\n"

HUNDRED_THOUSAND = Workload(
    "a chain of 100,000 nodes: build, backward, free",
    bar=1 / 15,
    names=lambda torch: {
        "x": torch.tensor(1.0, requires_grad=True),
        "w": torch.tensor(1.00001, requires_grad=True),
    },
    statement="x.grad = w.grad = None\n" + CHAIN.format(length=100_000) + "y.backward()\nvalue = y.item()\ndel y",
    result="[value, x.grad, w.grad]",
    rounds=7,
)

# Runs in a process of its own: how much the first run and then a second one leave it holding, in MB.
MILLION = f"""
import os
import chainrule as torch

x = torch.tensor(1.0, requires_grad=True)
w = torch.tensor(1.0, requires_grad=True)


def resident():
    with open("/proc/self/statm") as statm:
        return int(statm.read().split()[1]) * os.sysconf("SC_PAGESIZE") / 2**20


def run():
    {CHAIN.format(length=1_000_000).replace(chr(10), chr(10) + "    ")}
    y.backward()


run()
first = resident()
run()
print(first, resident(), x.grad.item(), w.grad.item())
"""


def million():
    """How much memory a second run adds to what the first one left."""
    output = subprocess.run([sys.executable, "-c", MILLION], check=True, capture_output=True, text=True).stdout
    first, second, *gradients = map(float, output.split())
    if gradients != [2, 2_000_000]:  # two backward passes add up
        raise AssertionError(f"a chain of 1,000,000 nodes: wrong gradients {gradients}")
    return Row("memory that a second chain of 1,000,000 nodes adds", second - first, None, bar=1.0, unit="MB")


if __name__ == "__main__":
    report("chains", [compare(HUNDRED_THOUSAND), million()])
