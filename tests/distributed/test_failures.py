"""A process that raises, dies or leaves ends the job in time, and it is said which and why; nobody hangs."""

from __future__ import annotations

import os
import random
import re
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

import pytest
from jobs import PROGRAMS, command_line, environment, launch, needs_mpi

from chainrule.distributed.launch import _Watch
from chainrule.distributed.rank_program import watch_address

pytestmark = needs_mpi
LIMIT = 10  # seconds from the failure to the end of the job
SOURCE = (PROGRAMS / "failures.py").read_text().splitlines()


def line_of(comment: str) -> str:
    """file.py:12 of a line that has this comment."""
    [number] = [i for i, line in enumerate(SOURCE, 1) if line.endswith(f"# {comment}")]
    return f"failures.py:{number}"


WAITING = line_of("the others wait here")


def failed(how: str, **variables: str) -> str:
    """What a job that fails prints; it has to end in time."""
    printed, met = "", time.monotonic()
    with started(command_line("failures.py", 2, how), **variables) as process:
        for line in process.stdout or ():
            met = time.monotonic() if "met" in line else met
            printed += line
        assert process.wait(60) != 0, printed
    assert time.monotonic() - met < LIMIT, printed
    return printed


def started(line: list[str], **variables: str) -> subprocess.Popen[str]:
    """A job under way."""
    return subprocess.Popen(
        line, env=environment(**variables), stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    )


def test_nothing_fails() -> None:
    result = launch("failures.py", 2, "works")
    assert (result.returncode, result.stderr) == (0, ""), result.stderr
    assert sorted(result.stdout.splitlines()) == [
        *("[rank 0] [4.0, 4.0, 4.0]", "[rank 0] met", "[rank 1] [4.0, 4.0, 4.0]", "[rank 1] met"),
    ]


@pytest.mark.parametrize(
    ("how", "expected"),
    [
        ("raises", r"\[rank 1\] chainrule: rank 1 of 2 raised(.|\n)*\[rank 1\] ValueError: the reason"),
        ("early", r"\[rank 1\] OSError: before the processes met"),
        ("bad argument", r"\[rank 1\] ValueError: broadcast: invalid rank 17"),
        ("exits", r"\[rank 1\] chainrule: rank 1 ended with exit code 3"),
        ("leaves", rf"\[rank 0\].*rank 1 has ended, but rank 0 still waits in all_reduce at {WAITING}"),
        ("killed", r"rank 1 .*(.|\n)*Killed"),
    ],
    ids=lambda value: value if value.isidentifier() else "",
)  # fmt: skip
def test_a_failure_ends_the_job(how: str, expected: str) -> None:
    printed = failed(how)
    assert re.search(expected, printed), printed


@pytest.mark.parametrize(
    ("how", "lines", "variables"),
    [
        ("shapes", ("the first shape", "the other shape"), {"TORCH_DISTRIBUTED_DEBUG": "DETAIL"}),
        ("order", ("rank 0 broadcasts", "rank 1 reduces"), {"CHAINRULE_DISTRIBUTED_DEBUG": "1"}),
    ],
)
def test_the_debug_mode_names_both_lines(how: str, lines: tuple[str, str], variables: dict[str, str]) -> None:
    printed = failed(how, **variables)
    assert "Detected mismatch between collectives on ranks" in printed
    for rank, comment in enumerate(lines):
        assert re.search(rf"rank {rank} calls .* at {line_of(comment)}", printed), printed


def test_ctrl_c_ends_all_processes() -> None:
    with started(command_line("failures.py", 2, "interrupted")) as process:
        assert process.stdout is not None
        met = 0
        while met < 2:
            met += "met" in process.stdout.readline()
        process.send_signal(signal.SIGINT)
        begun = time.monotonic()
        process.stdout.read()
        assert process.wait(30) == 130
    assert time.monotonic() - begun < LIMIT


def epochs(printed: str) -> dict[int, str]:
    return {int(number): loss for number, loss in re.findall(r"epoch +(\d+)  loss ([\d.]+)", printed)}


def test_a_killed_job_goes_on_from_its_last_checkpoint(tmp_path: Path) -> None:
    """To the same losses, to the last digit, as a job that nobody killed."""
    example = Path(__file__).parents[2] / "examples" / "data_parallel.py"
    arguments = ("--epochs", "30", "--checkpoint")
    whole = launch(example, 2, *arguments, str(tmp_path / "whole.pt"))
    assert whole.returncode == 0, whole.stderr
    kept = str(tmp_path / "kept.pt")
    before = ""
    with started(command_line(example, 2, *arguments, kept)) as process:
        assert process.stdout is not None
        while "epoch  3" not in before:
            before += process.stdout.readline()
        os.kill(rank_processes(process.pid)[1], signal.SIGKILL)
        begun = time.monotonic()
        before += process.stdout.read()
        assert process.wait(60) != 0
    assert time.monotonic() - begun < LIMIT
    last = max(epochs(before))
    assert last < 29, "it was killed too late"
    after = launch(example, 2, *arguments, kept)
    assert after.returncode == 0, after.stderr
    resumed = int(re.findall(r"goes on with epoch (\d+)", after.stdout)[0])
    assert resumed in (last, last + 1)  # killed between the print and the file, or after it
    assert {**epochs(before), **epochs(after.stdout)} == epochs(whole.stdout)
    assert after.stdout.splitlines()[-1] == whole.stdout.splitlines()[-1]


def losses(printed: str) -> dict[int, str]:
    return {int(number): loss for number, loss in re.findall(r"step (\d+) loss (\S+)", printed)}


def test_a_job_may_be_killed_at_any_moment(tmp_path: Path) -> None:
    """Twice, one rank and the other, while rank 0 writes its file over and over; no step is lost or differs."""
    kept, steps, moments = str(tmp_path / "kept.pt"), "40", random.Random(0)
    seen: dict[int, str] = {}
    for rank in (0, 1):
        printed = ""
        with started(command_line("resumed.py", 2, kept, steps)) as process:
            assert process.stdout is not None
            while "loss" not in printed:
                printed += process.stdout.readline()
            time.sleep(moments.uniform(0, 0.03))
            os.kill(rank_processes(process.pid)[rank], signal.SIGKILL)
            begun = time.monotonic()
            printed += process.stdout.read()
            assert process.wait(60) != 0
        assert time.monotonic() - begun < LIMIT, printed
        assert min(losses(printed)) <= max(seen, default=-1) + 2, "more than the step that was under way is lost"
        assert all(seen.get(step, loss) == loss for step, loss in losses(printed).items())
        seen |= losses(printed)
    assert max(seen) < int(steps) - 1, "it was killed too late"
    last = launch("resumed.py", 2, kept, steps)
    assert last.returncode == 0, last.stderr
    whole = losses(launch("resumed.py", 2, str(tmp_path / "whole.pt"), steps).stdout)
    assert len(whole) == int(steps)
    found = {**seen, **losses(last.stdout)}
    assert found == {step: whole[step] for step in found}
    assert int(steps) - len(found) <= 2  # a step that was kept, but whose line was not printed any more


def rank_processes(launcher: int) -> list[int]:
    """The processes of the ranks below a `chainrule launch`, from /proc."""
    parents, programs = {}, []
    for entry in Path("/proc").iterdir():
        try:
            parents[int(entry.name)] = int((entry / "stat").read_text().rpartition(")")[2].split()[1])
            if b"chainrule.distributed.rank_program" in (entry / "cmdline").read_bytes().split(b"\0"):
                programs.append(int(entry.name))
        except (OSError, ValueError):
            continue

    def is_below(process: int) -> bool:
        while process in parents and process != launcher:
            process = parents[process]
        return process == launcher

    return sorted(
        p for p in programs if is_below(p) and Path(f"/proc/{p}/exe").resolve() == Path(sys.executable).resolve()
    )


@pytest.mark.parametrize("first", ["0", "1"])
def test_the_one_that_ended_first_is_named(first: str, tmp_path: Path) -> None:
    """Also if both have ended before the watch looks: it waits for the interpreter, which this thread keeps."""
    watch, before = _Watch(str(tmp_path)), sys.getswitchinterval()
    sleepers = {rank: subprocess.Popen(["sleep", "60"]) for rank in "01"}
    for rank, process in sleepers.items():
        with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as door:
            door.connect(watch_address(str(tmp_path)))
            door.send(f"{rank} {process.pid}".encode())
            assert door.recv(16) == b"watched"
    sys.setswitchinterval(10)
    try:
        for rank in sorted(sleepers, key=lambda rank: rank != first):
            os.kill(sleepers[rank].pid, signal.SIGKILL)
            begun = time.monotonic()
            while time.monotonic() - begun < 0.02:
                pass
    finally:
        sys.setswitchinterval(before)
    assert watch.stop() == sorted("01", key=lambda rank: rank != first)
    for process in sleepers.values():
        process.wait()
