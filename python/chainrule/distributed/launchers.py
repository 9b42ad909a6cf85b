"""What mpirun, srun and Kubernetes tell a process about its place, in variables of their own."""

from __future__ import annotations

from collections.abc import Mapping

# Where Open MPI, MPICH, PMIx and Slurm say what torchrun says under the name on the left.
_SOURCES = {
    "RANK": ("OMPI_COMM_WORLD_RANK", "PMI_RANK", "PMIX_RANK", "SLURM_PROCID"),
    "WORLD_SIZE": ("OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "SLURM_NTASKS"),
    "LOCAL_RANK": ("OMPI_COMM_WORLD_LOCAL_RANK", "MPI_LOCALRANKID", "SLURM_LOCALID"),
    "LOCAL_WORLD_SIZE": ("OMPI_COMM_WORLD_LOCAL_SIZE", "MPI_LOCALNRANKS", "SLURM_NTASKS_PER_NODE"),
}


def told(environment: Mapping[str, str]) -> dict[str, str]:
    """What is known, under torchrun's names."""
    found = {}
    for name, sources in _SOURCES.items():
        for source in sources:
            if source in environment:
                found[name] = environment[source]
                break
    counts = environment.get("SLURM_STEP_TASKS_PER_NODE", environment.get("SLURM_TASKS_PER_NODE"))
    if "LOCAL_WORLD_SIZE" not in found and counts is not None and "SLURM_NODEID" in environment:
        found["LOCAL_WORLD_SIZE"] = _of_node(counts, int(environment["SLURM_NODEID"]))
    return found


def _of_node(counts: str, node: int) -> str:
    """A machine's number of processes in Slurm's list of all, in which 4(x2),3 is 4,4,3."""
    each: list[str] = []
    for entry in counts.split(","):
        count, _, times = entry.rstrip(")").partition("(x")
        each += [count] * int(times or 1)
    return each[node]
