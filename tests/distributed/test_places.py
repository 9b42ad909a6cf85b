"""Where processes run: machines of a hostfile, and what Slurm and MPI tell each process."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from jobs import PROGRAMS, environment, launch, needs_mpi

from chainrule.distributed.launch import find_mpirun, implementation
from chainrule.distributed.launchers import told

# Runs here what should run on another machine: drops options, and notes the machine's name.
SECURE_SHELL = """#!/bin/sh
while [ "${1#-}" != "$1" ]; do shift; done
echo "$1" >> "$0.log"
shift
exec sh -c "$*"
"""


@needs_mpi
def test_two_machines(tmp_path: Path) -> None:
    """MPICH believes in two machines and goes through the network; Open MPI takes the one twice."""
    hosts = tmp_path / "hosts"
    if implementation(find_mpirun() or "") == "openmpi":
        hosts.write_text("localhost\nlocalhost  # twice\n")
        result = launch("place.py", 2, options=("--hostfile", str(hosts)))
        expected = ["[rank 0] [2.0, 2.0] 0 2 0 2", "[rank 1] [2.0, 2.0] 1 2 1 2"]
    else:
        hosts.write_text("alpha:1\nbeta:1\n")
        shell = tmp_path / "shell"
        shell.write_text(SECURE_SHELL)
        shell.chmod(0o755)
        variables = {"HYDRA_LAUNCHER": "ssh", "HYDRA_LAUNCHER_EXEC": str(shell)}
        result = launch("place.py", 2, options=("--hostfile", str(hosts)), **variables)
        assert sorted((tmp_path / "shell.log").read_text().split()) == ["alpha", "beta"]
        expected = ["[rank 0] [2.0, 2.0] 0 2 0 1", "[rank 1] [2.0, 2.0] 1 2 0 1"]
    assert result.returncode == 0, result.stderr
    assert sorted(result.stdout.splitlines()) == expected


@pytest.mark.parametrize(
    ("variables", "expected"),
    [
        ("OMPI_COMM_WORLD_RANK=3 OMPI_COMM_WORLD_SIZE=8 OMPI_COMM_WORLD_LOCAL_RANK=1 OMPI_COMM_WORLD_LOCAL_SIZE=2",
         "3 8 1 2"),
        ("PMI_RANK=3 PMI_SIZE=8 MPI_LOCALRANKID=1 MPI_LOCALNRANKS=2 SLURM_PROCID=0", "3 8 1 2"),
        ("PMIX_RANK=3 SLURM_PROCID=3 SLURM_NTASKS=8 SLURM_LOCALID=1 SLURM_NTASKS_PER_NODE=2", "3 8 1 2"),
        ("SLURM_PROCID=9 SLURM_NTASKS=11 SLURM_LOCALID=1 SLURM_NODEID=2 SLURM_TASKS_PER_NODE=4(x2),3", "9 11 1 3"),
        ("SLURM_PROCID=1 SLURM_NTASKS=2 SLURM_LOCALID=1 SLURM_NODEID=0 SLURM_STEP_TASKS_PER_NODE=2", "1 2 1 2"),
        ("PATH=/bin", ""),
    ],
)  # fmt: skip
def test_what_launchers_tell(variables: str, expected: str) -> None:
    found = told(dict(entry.split("=") for entry in variables.split()))
    names = ("RANK", "WORLD_SIZE", "LOCAL_RANK", "LOCAL_WORLD_SIZE")
    assert [found[name] for name in names if name in found] == expected.split()


def run_as_slurm(number: int, count: int) -> subprocess.CompletedProcess[str]:
    variables = {"SLURM_PROCID": str(number), "SLURM_NTASKS": str(count), "SLURM_LOCALID": str(number)}
    variables |= {"SLURM_NODEID": "0", "SLURM_STEP_TASKS_PER_NODE": str(count)}
    line = [sys.executable, "-m", "chainrule.distributed.rank_program", str(PROGRAMS / "place.py")]
    return subprocess.run(line, env=environment(**variables), capture_output=True, text=True, check=False, timeout=120)


@needs_mpi
def test_slurm() -> None:
    """A step of one process as srun starts it; and one whose processes MPI does not know of, without --mpi=pmix."""
    alone = run_as_slurm(0, 1)
    assert alone.stdout == "[rank 0] [1.0, 1.0] 0 1 0 1\n", alone.stderr
    unknown = run_as_slurm(1, 2)
    assert unknown.returncode == 1
    assert "[rank 1] ValueError: init_process_group: there should be 2 processes" in unknown.stderr
    assert "--mpi=pmix" in unknown.stderr
