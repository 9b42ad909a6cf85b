"""What `import` costs in time and memory, each time in a new process."""

import subprocess
import sys

from harness import Row, report

ROUNDS = 10

SCRIPT = """
import os, time
start = time.process_time()
import {library}
seconds = time.process_time() - start
with open("/proc/self/statm") as statm:
    print(seconds, int(statm.read().split()[1]) * os.sysconf("SC_PAGESIZE") / 2**20)
"""


def measure(library):
    """Processor seconds to import, and MB that the whole process then holds, the interpreter included."""
    command = [sys.executable, "-c", SCRIPT.format(library=library)]
    return tuple(map(float, subprocess.run(command, check=True, capture_output=True, text=True).stdout.split()))


def rows():
    measured = {"chainrule": [], "torch": []}
    for round_ in range(ROUNDS + 1):
        for library, values in measured.items():
            value = measure(library)
            if round_ > 0:  # the first fills the disk cache
                values.append(value)
    for column, (name, bar, unit) in enumerate([("import time", 1 / 30, "s"), ("memory after import", 1 / 8, "MB")]):
        rounds = {library: [value[column] for value in values] for library, values in measured.items()}
        yield Row(name, min(rounds["chainrule"]), min(rounds["torch"]), bar, unit, rounds)


if __name__ == "__main__":
    report("import_and_memory", list(rows()))
