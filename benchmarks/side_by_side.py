"""Two builds of chainrule on the workloads of docs/benchmarks.md, turn about: did a change make anything slower?

    python benchmarks/side_by_side.py OLD NEW [words of a workload's name]

OLD and NEW are folders that hold a built package `chainrule`, as `pip install --no-deps --target FOLDER .` writes it.
Each build lives in a process of its own, and they take turns: a round of one, then a round of the other.
What is printed is new / old, of the least rounds; results have to be equal.
"""

import importlib
import json
import os
import pathlib
import subprocess
import sys
import time
import timeit

from harness import THREADS, check_agreement, plain, repeats, show

HERE = pathlib.Path(__file__).parent
SUBJECTS = [
    "small_ops",
    "graphs",
    "large",
    "whole_steps",
    "reductions",
    "derivatives",
    "fourier",
    "indexing",
    "networks",
    "python_interop",
]  # all of table.py, but those that start processes themselves
BAR = 1.03  # what the bench itself differs by from run to run
MORE_ROUNDS = 3  # a row over the bar is measured again, this often: a neighbour's noise passes, a slower kernel stays


def workloads():
    """(subject, place, workload) of every row that is timed."""
    for subject in SUBJECTS:
        module = importlib.import_module(subject)
        rows = module.WORKLOADS if hasattr(module, "WORKLOADS") else list(module.workloads())
        yield from ((subject, place, row) for place, row in enumerate(rows))


class Build:
    """One build in its process, which answers a line of JSON with another."""

    def __init__(self, folder: str):
        command = [sys.executable, __file__, "--threads", str(THREADS), "--serve"]
        environment = os.environ | {"PYTHONPATH": os.path.abspath(folder)}
        self.process = subprocess.Popen(
            command, env=environment, text=True, stdin=subprocess.PIPE, stdout=subprocess.PIPE
        )

    def ask(self, *question):
        asking, answers = self.process.stdin, self.process.stdout
        assert asking is not None
        assert answers is not None
        asking.write(json.dumps(question) + "\n")
        asking.flush()
        return json.loads(answers.readline())


def serve():
    """In a build's process: `set` makes a workload's names and gives its result, `time` one round's seconds."""
    sys.meta_path[:] = [finder for finder in sys.meta_path if "editable" not in type(finder).__module__]
    import chainrule

    if not chainrule.__file__.startswith(os.environ["PYTHONPATH"]):
        sys.exit(f"{os.environ['PYTHONPATH']} holds no built chainrule; {chainrule.__file__} was found")
    chainrule.set_num_threads(THREADS)
    clock = time.process_time if THREADS == 1 else time.perf_counter
    rows = {(subject, place): row for subject, place, row in workloads()}
    timer, count = timeit.Timer(), 0
    for line in sys.stdin:
        question, *arguments = json.loads(line)
        if question == "set":
            row = rows[tuple(arguments)]
            names = row.names(chainrule)
            exec(row.statement, names)
            answer = plain(eval(row.result, names))
            timer = timeit.Timer(row.statement, "import gc; gc.enable()", clock, names)
            count = repeats(timer)
        else:
            answer = timer.timeit(count) / count
        print(json.dumps(answer), flush=True)


def compare(builds, subject, place, row):
    """The least seconds of each build."""
    check_agreement(row, *(build.ask("set", subject, place) for build in builds))
    least = [float("inf")] * 2
    for _ in range(1 + MORE_ROUNDS):
        for _ in range(row.rounds):
            least = [min(known, build.ask("time")) for known, build in zip(least, builds, strict=True)]
        if least[1] <= BAR * least[0]:
            break
    return least


def main(folders, words):
    builds = [Build(folder) for folder in folders]
    slower = []
    for subject, place, row in workloads():
        if all(word in row.name for word in words):
            old, new = compare(builds, subject, place, row)
            slower += [row.name] * (new > BAR * old)
            print(f"{row.name:70} {show(old, 's'):>9} {show(new, 's'):>9}  {new / old:.3f}", flush=True)
    sys.exit(f"slower: {', '.join(slower)}" if slower else 0)


if __name__ == "__main__":
    serve() if "--serve" in sys.argv else main(sys.argv[1:3], sys.argv[3:])
