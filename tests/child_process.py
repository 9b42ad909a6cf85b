"""Runs pieces of code in child processes, so that one that ends the interpreter is one failed test.

As a module: `Children("chainrule").run(code)`. As a script it is the process that imports the library once and forks a
child for each piece of code, with little memory and little time.
"""

from __future__ import annotations

import ast
import importlib
import json
import os
import resource
import signal
import subprocess
import sys
import warnings

MEMORY = 2 << 30
SECONDS = 60


class Children:
    """A process that has imported a library, and forks."""

    def __init__(self, library: str) -> None:
        self.process = subprocess.Popen(
            [sys.executable, __file__, library], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )

    def run(self, code: str) -> str:
        """What became of it: "ok" and what the last line is, "ValueError: words", or "died: signal 11"."""
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        print(json.dumps(code), file=self.process.stdin, flush=True)
        return json.loads(self.process.stdout.readline())

    def close(self) -> None:
        self.process.communicate()


def value_of(code: str, names: dict) -> str:
    """Runs the code; the text of its last line's value."""
    tree = ast.parse(code)
    last = tree.body.pop() if isinstance(tree.body[-1], ast.Expr) else None
    exec(compile(tree, "<code>", "exec"), names)
    if not isinstance(last, ast.Expr):
        return "ok"
    value = eval(compile(ast.Expression(last.value), "<code>", "eval"), names)
    return f"ok {tuple(value.shape)}" if isinstance(value, names["torch"].Tensor) else f"ok {value!r}"


def used_memory() -> int:
    with open("/proc/self/statm") as status:
        return int(status.read().split()[0]) * resource.getpagesize()


def outcome(code: str, torch) -> str:
    limit = used_memory() + MEMORY
    resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    signal.alarm(SECONDS)
    try:
        return value_of(code, {"torch": torch, "nn": torch.nn, "F": torch.nn.functional})
    except BaseException as error:
        return f"{type(error).__name__}: {error}"


def forked(code: str, torch) -> str:
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        os.write(writer, outcome(code, torch).encode()[:4000])
        os._exit(0)
    os.close(writer)
    with open(reader, "rb") as pipe:
        text = pipe.read().decode(errors="replace")
    _, status = os.waitpid(child, 0)
    return text if status == 0 else f"died: {signal.Signals(os.WTERMSIG(status)).name if status < 256 else status}"


def main() -> None:
    torch = importlib.import_module(sys.argv[1])
    sys.modules.setdefault("torch", torch)
    torch.set_num_threads(1)
    warnings.simplefilter("ignore")
    for line in sys.stdin:
        print(json.dumps(forked(json.loads(line), torch)), flush=True)


if __name__ == "__main__":
    main()
