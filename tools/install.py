"""Runs `pip install` with the arguments given and tells how far the compiler is, instead of minutes of silence.

Where pip fails, all that it said is shown.
"""

import re
import subprocess
import sys
import time

STEP = re.compile(r"\[(\d+)/(\d+)\] (?:Building|Linking)")


class Progress:
    """One line that is written over on a terminal; elsewhere a line for every tenth of the way."""

    def __init__(self) -> None:
        self.start = time.monotonic()
        self.on_terminal = sys.stdout.isatty()
        self.last_tenth = -1

    def show(self, done: int, of: int) -> None:
        if self.last_tenth < 0:
            print(f"compiling the core, {of} steps{'; this takes minutes, once' if of > 20 else ''}", flush=True)
        tenth = 10 * done // of
        took = time.monotonic() - self.start
        left = f", about {took / done * (of - done):.0f} s to go" if took > 5 and done < of else ""
        text = f"compiling the core: {done} of {of}, {took:.0f} s{left}"
        if self.on_terminal:
            print(f"\r{text:<78}", end="", flush=True)
        elif tenth > self.last_tenth:
            print(text, flush=True)
        self.last_tenth = tenth

    def end(self, how: str) -> None:
        text = f"{how} after {time.monotonic() - self.start:.0f} s"
        print(f"\r{text:<78}" if self.on_terminal else text, flush=True)


def main(arguments: list[str]) -> int:
    command = [sys.executable, "-m", "pip", "--disable-pip-version-check", "install", "--verbose", *arguments]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace")
    assert process.stdout
    said, progress = [], None
    for line in process.stdout:
        said.append(line)
        if step := STEP.search(line):
            progress = progress or Progress()
            progress.show(int(step[1]), int(step[2]))
    failed = process.wait() != 0
    if progress:
        progress.end("the core was not compiled" if failed else "the core is compiled and installed")
    if failed:
        print(*said, sep="")
    return process.returncode


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
