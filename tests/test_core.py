"""The core's own tests, in C++: the allocator, the chain, the threads, checked sizes. See tests/core."""

import os
import subprocess
import sys
from pathlib import Path

HOME = Path(__file__).parent.parent
PROGRAM = """
import ctypes, sys
count = ctypes.c_int()
failures = ctypes.PyDLL(sys.argv[1]).run_core_tests(ctypes.byref(count))
print(count.value, "tests of the core,", failures, "failures")
"""


def test_the_core() -> None:
    built = HOME / os.environ.get("BUILD", "build/release")
    cmake = Path(sys.executable).parent / "cmake"
    made = subprocess.run([cmake, "--build", built, "--target", "core_tests"], capture_output=True, text=True)
    assert made.returncode == 0, made.stdout + made.stderr
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, built / "core_tests.so"], capture_output=True, text=True, timeout=120
    )
    assert done.returncode == 0, done.stdout + done.stderr
    count, *_, failures, _ = done.stdout.split("\n")[-2].split()
    assert int(count) > 15
    assert int(failures) == 0, done.stdout
