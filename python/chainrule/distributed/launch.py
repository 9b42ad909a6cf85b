"""`chainrule launch`: starts a script in several processes with mpirun, and ends them all together."""

from __future__ import annotations

import argparse
import contextlib
import os
import re
import select
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Sequence
from typing import Any

from .rank_program import watch_address

PATIENCE = 5.0  # seconds between asking processes to end and ending them
_PASSED_ON = ("CHAINRULE_", "OMP_", "PYTHON", "TORCH_")  # variables that Open MPI takes to other machines


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The command's options."""
    parser.add_argument("-n", "--nprocs", type=int, default=1, metavar="N", help="the number of processes")
    parser.add_argument(
        "--hostfile", metavar="FILE", help="machines and their numbers of processes, as mpirun takes it"
    )
    parser.add_argument(
        "--threads", type=int, metavar="T", help="threads of each process; without it, the cores shared out evenly"
    )
    parser.add_argument(
        "--bind-to", choices=("auto", "core", "none"), default="auto", help="whether each process keeps to its cores"
    )
    parser.add_argument(
        "--mpirun", metavar="PATH", help="the mpirun to use; without it, the one beside Python or in PATH"
    )
    parser.add_argument("--no-prefix", action="store_true", help="print without [rank N] before each line")
    parser.add_argument(
        "--mpi-arg", action="append", default=[], metavar="ARG", help="one more argument for mpirun; may come often"
    )
    parser.add_argument("script", help="a Python file; `import torch` in it gives chainrule")
    parser.add_argument("arguments", nargs=argparse.REMAINDER, help="for the script")


def launch(options: Any) -> int:
    """Runs the command; gives its exit code."""
    if options.nprocs < 1:
        print(f"chainrule launch: there must be at least one process, not {options.nprocs}", file=sys.stderr)
        return 2
    for path in (options.script, options.hostfile):
        if path is not None and not os.path.exists(path):
            print(f"chainrule: can't open file {path!r}: No such file or directory", file=sys.stderr)
            return 2
    mpirun = options.mpirun or find_mpirun()
    if mpirun is None:
        print(
            "chainrule launch: there is no mpirun beside Python or in PATH: pip install 'chainrule[distributed]', or "
            "install Open MPI or MPICH",
            file=sys.stderr,
        )
        return 2
    line, environment = command(mpirun, implementation(mpirun), options)
    return supervise(line, environment)


def find_mpirun() -> str | None:
    """The mpirun of Python's own environment, whose library mpi4py finds too, or else the one in PATH."""
    beside = os.path.join(os.path.dirname(sys.executable), "mpirun")
    return beside if os.access(beside, os.X_OK) else shutil.which("mpirun") or shutil.which("mpiexec")


def implementation(mpirun: str) -> str:
    """openmpi or mpich."""
    told = subprocess.run([mpirun, "--version"], capture_output=True, text=True, check=False).stdout
    return "openmpi" if "Open MPI" in told or "Open RTE" in told or "prte" in told.lower() else "mpich"


def command(mpirun: str, kind: str, options: Any, cores: int | None = None) -> tuple[list[str], dict[str, str]]:
    """The command line of mpirun, and the environment.

    Args:
        kind: openmpi or mpich.
        options: as add_arguments() names them.
        cores: of this machine; counted without it.
    """
    cores = cores or len(os.sched_getaffinity(0))
    environment = dict(os.environ)
    machines = _machines(options.hostfile, environment)
    elsewhere = machines > 1
    threads = options.threads or max(1, cores // -(-options.nprocs // machines))
    if options.threads or not {"CHAINRULE_NUM_THREADS", "OMP_NUM_THREADS"} & set(environment):
        environment["OMP_NUM_THREADS"] = str(threads)
    fits = elsewhere or options.nprocs * threads <= cores
    binds = options.bind_to == "core" or (options.bind_to == "auto" and fits and not elsewhere)
    line = [mpirun, "-n", str(options.nprocs)]
    if options.hostfile:
        line += ["--hostfile" if kind == "openmpi" else "-f", options.hostfile]
    if kind == "openmpi":
        line += _open_mpi(binds, fits, threads, environment, elsewhere)
    else:
        line += ["-bind-to", f"core:{threads}" if binds else "none"]
    prefix = ["--no-prefix"] if options.no_prefix else []
    program = [sys.executable, "-m", "chainrule.distributed.rank_program", *prefix]
    return [*line, *options.mpi_arg, *program, options.script, *options.arguments], environment


def _machines(hostfile: str | None, environment: dict[str, str]) -> int:
    """How many machines the processes are dealt out to: those in the hostfile, or what Slurm has allotted."""
    if hostfile is None:
        return int(environment.get("SLURM_JOB_NUM_NODES", 1))
    with open(hostfile) as file:
        names = {re.split(r"[\s:]", text)[0] for line in file if (text := line.split("#")[0].strip())}
    return max(1, len(names))


def _open_mpi(binds: bool, fits: bool, threads: int, environment: dict[str, str], elsewhere: bool) -> list[str]:
    line = ["--bind-to", "core", "--map-by", f"slot:PE={threads}"] if binds else ["--bind-to", "none"]
    if not fits:
        line += ["--map-by", ":OVERSUBSCRIBE"]
    if os.geteuid() == 0:
        line += ["--allow-run-as-root"]
    if elsewhere:
        for name in sorted(environment):
            if name.startswith(_PASSED_ON) and not name.startswith("OMPI_"):
                line += ["-x", name]
    return line


def supervise(line: Sequence[str], environment: dict[str, str]) -> int:
    """Runs mpirun to its end. Ctrl-C is passed on once; the second one, or too long a wait, ends everything."""
    with tempfile.TemporaryDirectory(prefix="chainrule_launch_") as folder:
        environment = {**environment, "CHAINRULE_LAUNCH_FOLDER": folder}
        pipe = subprocess.PIPE
        watch = _Watch(folder) if hasattr(os, "pidfd_open") else None  # Linux only
        process = subprocess.Popen(
            line, env=environment, start_new_session=True, stdout=pipe, stderr=pipe, preexec_fn=_end_with_parent
        )
        readers = [_Reader(process.stdout, sys.stdout), _Reader(process.stderr, sys.stderr)]
        code = _wait(process, folder)
        for reader in readers:
            reader.join(PATIENCE / 2)
        ended = watch.stop() if watch else []
        if code:
            _name_the_dead(folder, b"".join(reader.last for reader in readers), ended)
    return code


def _end_with_parent() -> None:
    """Linux ends mpirun, and so all processes, if this one is killed and cannot do so itself."""
    import ctypes

    set_death_signal = 1  # PR_SET_PDEATHSIG
    ctypes.CDLL(None).prctl(set_death_signal, signal.SIGTERM)


class _Reader(threading.Thread):
    """Passes on what mpirun and the processes print, as it comes, and remembers the end of it."""

    def __init__(self, source: Any, target: Any):
        super().__init__(daemon=True)
        self.source, self.target, self.last = source, target.buffer, b""
        self.start()

    def run(self) -> None:
        """Reads to the end."""
        while chunk := self.source.read1():
            self.target.write(chunk)
            self.target.flush()
            self.last = (self.last + chunk)[-4096:]


class _Watch(threading.Thread):
    """Notes in which order the ranks on this machine end: mpirun may name one that it has killed itself.

    A rank announces itself and waits for the answer before its script runs, so all ends are seen, in their order, also
    if this thread comes to look at them late.
    """

    def __init__(self, folder: str):
        super().__init__(daemon=True)
        self.ended: list[str] = []
        self._ranks: dict[int, str] = {}
        self._asked_to_stop = False
        self._door = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self._door.bind(watch_address(folder))
        self._door.listen(4096)
        self.start()

    def stop(self) -> list[str]:
        """The ranks that have ended, the first one first."""
        self._asked_to_stop = True
        self.join(PATIENCE)
        return self.ended

    def run(self) -> None:
        """Watches all ranks, as they come."""
        with self._door, select.epoll() as ends:  # it tells ends in the order in which they came
            ends.register(self._door, select.EPOLLIN)
            last_look = False
            while not last_look:
                last_look = self._asked_to_stop
                for handle, _ in ends.poll(0 if last_look else 0.1):
                    if handle == self._door.fileno():
                        self._let_in(ends)
                    else:
                        ends.unregister(handle)
                        self.ended.append(self._ranks[handle])
                        os.close(handle)

    def _let_in(self, ends: select.epoll) -> None:
        with contextlib.suppress(OSError), self._door.accept()[0] as caller:  # OSError: it has ended already
            caller.settimeout(PATIENCE)
            rank, process = caller.recv(64).decode().split()
            handle = os.pidfd_open(int(process))
            self._ranks[handle] = rank
            ends.register(handle, select.EPOLLIN)
            caller.send(b"watched")


def _name_the_dead(folder: str, told: bytes, ended: Sequence[str]) -> None:
    """Says which rank it was that MPICH's mpirun knows by the process's number only."""
    cause, peaceful = re.search(rb"EXIT STRING: (.*)", told), _words(folder, "done")
    died = [rank for rank in ended if rank not in peaceful]
    if cause and died and not _words(folder, "failed"):
        print(f"chainrule: rank {died[0]} died, so the job ended: {cause[1].decode()}", file=sys.stderr)


def _words(folder: str, kind: str) -> dict[str, str]:
    """What the ranks on this machine left in the folder, by rank."""
    found = {}
    for name in os.listdir(folder):
        if name.startswith(f"{kind}."):
            with open(os.path.join(folder, name)) as file:
                found[name.rpartition(".")[2]] = file.read()
    return found


def _wait(process: subprocess.Popen[Any], folder: str) -> int:
    failed = 0.0  # since when a rank has said that it failed
    asked: list[float] = []

    def pass_on(number: int, frame: Any) -> None:
        if not asked and number == signal.SIGINT:
            process.send_signal(signal.SIGINT)
        else:
            process.terminate()
        asked.append(time.monotonic())

    before = {number: signal.signal(number, pass_on) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        while True:
            try:
                code = process.wait(0.2)
                break
            except subprocess.TimeoutExpired:
                if not failed and _words(folder, "failed"):
                    failed = time.monotonic()
                if failed and time.monotonic() - failed > PATIENCE / 2:  # MPICH waits for those in MPI_Init
                    process.terminate()
                if asked and time.monotonic() - asked[0] > PATIENCE:
                    os.killpg(process.pid, signal.SIGTERM if len(asked) < 3 else signal.SIGKILL)
                    asked.append(time.monotonic())
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
    if asked:
        return 130
    if failed:
        told = next(iter(_words(folder, "failed").values()))
        return int(told) if told.isdecimal() else 1
    return code if code >= 0 else 128 - code
