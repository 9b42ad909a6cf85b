"""Runs PyTorch's own database of operations, as the installed torch has it, on chainrule beside PyTorch.

    python tools/conformance.py '^linalg'    # what differs, of the operations whose names match

tools/coverage.py runs all of it. Each operation has a process of its own, so that a crash is a difference like others.
"""

from __future__ import annotations

import multiprocessing
import os
import re
import sys
import time
import traceback
import warnings
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from multiprocessing.connection import Connection
from typing import Any

import torch
from torch.testing._internal.common_methods_invocations import op_db

from aspects import Case, EmptyError, RandomError, UnmeasuredError, aspects_of, wrong_inputs
from carrying import public_paths

DTYPES = ("float64", "float32", "int64", "complex128", "bfloat16", "bool")
LIMIT_S = 180  # for one operation, in all dtypes
FORK = multiprocessing.get_context("fork")

# Undocumented names, which nobody calls, and what runs on CUDA only.
INTERNAL = ("native_", "jiterator", "grid_sampler_", "max_pool2d_with_indices_backward", "unsafe_", "slice", "torch.")


def title(op: Any) -> str:
    return ".".join(filter(None, (op.name, op.variant_test_name)))


def is_public(op: Any) -> bool:
    last = op.name.rpartition(".")[2]
    return not op.name.startswith(INTERNAL) and (last.startswith("__") or not last.startswith("_"))


def verdict(thunks: Iterator[Callable]) -> str:
    """'pass', what differs, or '' where PyTorch gives nothing to compare with."""
    compared = empty = is_random = False
    for thunk in thunks:
        try:
            thunk()
            compared = True
        except UnmeasuredError:
            continue
        except EmptyError:
            empty = True
        except RandomError:
            is_random = True
        except Exception as error:
            return f"{type(error).__name__}: {error}".partition("\n")[0]
    return "pass" if compared or (empty and not is_random) else ""


def run(op: Any, done: set[tuple[str, str]], send: Callable[[Any], None]) -> None:
    """In the child: says which aspect begins, then what came of it."""
    dtypes = [name for name in DTYPES if getattr(torch, name) in op.dtypes]
    for name in dtypes:
        dtype, is_first = getattr(torch, name), name == dtypes[0]
        aspects = aspects_of(op, dtype, is_first) + ["errors"] * (is_first and op.error_inputs_func is not None)
        missing = [aspect for aspect in aspects if (name, aspect) not in done]
        case = Case(op, dtype) if missing else None
        for aspect in missing:
            send((name, aspect, None))
            send((name, aspect, wrong_inputs(op) if aspect == "errors" else verdict(getattr(case, aspect)())))


def child(op: Any, done: set[tuple[str, str]], pipe: Connection) -> None:
    for stream in (1, 2):
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream)
    warnings.simplefilter("ignore")
    torch.set_num_threads(1)
    torch.backends.cuda.enable_flash_sdp(False)  # the plain way is twice differentiable on the CPU, too
    try:
        with torch.backends.mkldnn.flags(enabled=False):  # its bfloat16 kernels stop the program on some processors
            run(op, done, pipe.send)
        pipe.send(None)
    except Exception:
        pipe.send(traceback.format_exc())


def measure(index: int) -> list[dict]:
    """A row per dtype. Where a process ends, or hangs, in an aspect, the others are tried in a new one."""
    op, found = op_db[index], {}
    while not attempt(op, found):
        pass
    rows: dict[str, dict] = {}
    for (dtype, aspect), what in found.items():
        rows.setdefault(dtype, {"op": title(op), "dtype": dtype, "aspects": {}})["aspects"][aspect] = what
    return list(rows.values())


def attempt(op: Any, found: dict[tuple[str, str], Any]) -> bool:
    """Whether the process lived to its end."""
    pipe, theirs = FORK.Pipe()
    process = FORK.Process(target=child, args=(op, set(found), theirs))
    process.start()
    theirs.close()
    until, underway = time.monotonic() + LIMIT_S, ("", "")
    try:
        while pipe.poll(max(until - time.monotonic(), 0)):
            message = pipe.recv()
            if message is None:
                return True
            if isinstance(message, str):
                raise RuntimeError(f"{title(op)}: {message}")
            dtype, aspect, what = message
            underway = dtype, aspect
            if what is not None:
                found[dtype, aspect] = what
    except EOFError:
        pass
    finally:
        process.kill()
        process.join()
    if underway in found or not all(underway):
        raise RuntimeError(f"{title(op)}: the process ended with {process.exitcode} outside of an aspect")
    found[underway] = f"the process ended with {process.exitcode}"
    return False


def measure_all(pattern: str = "") -> list[dict]:
    """A row per public operation and dtype: {"op", "dtype", "aspects": {aspect: 'pass', '' or what differs}}."""
    chosen = [i for i, op in enumerate(op_db) if is_public(op) and re.search(pattern, title(op))]
    public_paths()  # once, and not in every process
    rows = []
    with ProcessPoolExecutor(mp_context=FORK) as pool:
        for count, made in enumerate(pool.map(measure, chosen), 1):
            rows += made
            print(f"\r{count}/{len(chosen)}", end="", file=sys.stderr, flush=True)
    print(file=sys.stderr)
    return rows


if __name__ == "__main__":
    for row in measure_all(*sys.argv[1:2]):
        for aspect, what in row["aspects"].items():
            if what not in ("pass", "") and (aspect != "errors" or what["message_match"] < what["n"]):
                print(f"{row['op']} [{row['dtype']}] {aspect}: {what}")
