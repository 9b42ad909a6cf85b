"""What a data-parallel step costs: how much of the reduction is hidden behind the backward pass, and bytes sent.

    python benchmarks/distributed.py                           # both, in processes that it starts
    chainrule launch -n 2 benchmarks/distributed.py step       # the one
    chainrule launch -n 4 benchmarks/distributed.py bytes      # the other, if MPI uses TCP

A step in N processes is compared with the same step of one process on its part of the batch (no_sync) plus the
reduction that cannot be hidden: a core does one thing at a time, so that is what the reduction by itself occupies the
process's own core with. Over shared memory it is nearly all of it, with a network card that moves data itself little.
The other line subtracts only the reduction of the last bucket, which cannot start before the backward pass has ended.
The rounds of all measurements alternate, each process has a core, and the least time of the slowest process counts, so
that other programs disturb as little as can be. Bytes are those that the kernel counts for each process's sockets.
"""

import os
import socket
import struct
import subprocess
import sys
import time
from collections.abc import Callable

import chainrule as torch
import chainrule.distributed as dist
from chainrule import nn
from chainrule.distributed.launch import find_mpirun, implementation
from chainrule.nn.parallel import DistributedDataParallel

BAR = 1.15
WIDTH, LAYERS, SAMPLES, ROUNDS = 768, 6, 1024, 40
# What makes MPI use TCP between processes of one machine.
TCP = {
    "openmpi": {"OMPI_MCA_pml": "ob1", "OMPI_MCA_btl": "tcp,self", "OMPI_MCA_btl_tcp_if_include": "lo"},
    "mpich": {"MPIR_CVAR_NOLOCAL": "1", "MPIR_CVAR_CH4_NETMOD": "ucx", "UCX_TLS": "tcp"},
}


def least_seconds(works: dict[str, Callable[[], object]]) -> dict[str, float]:
    """The least time of each work over all rounds, of the slowest process; they take turns.

    A work that returns a number of seconds is taken by its word.
    """
    times = torch.zeros(len(works), ROUNDS)
    for turn in range(ROUNDS):
        for i, work in enumerate(works.values()):
            dist.barrier()
            began = time.perf_counter()
            said = work()
            times[i, turn] = said if isinstance(said, float) else time.perf_counter() - began
    dist.all_reduce(times, dist.ReduceOp.MAX)
    return dict(zip(works, times.amin(1).tolist(), strict=True))


def model(width: int, megabytes: float) -> DistributedDataParallel:
    """Some layers, in a few buckets of this size."""
    torch.manual_seed(0)
    layers = [layer for _ in range(LAYERS) for layer in (nn.Linear(width, width), nn.ReLU())]
    return DistributedDataParallel(nn.Sequential(*layers), gradient_as_bucket_view=True, bucket_cap_mb=megabytes)


def measure_step() -> bool:
    """Prints the parts of a step; gives whether the bar is met."""
    size, parallel = dist.get_world_size(), model(WIDTH, 4)
    batch = torch.randn(SAMPLES // size, WIDTH)

    def together() -> None:
        parallel.zero_grad(set_to_none=False)
        parallel(batch).square().mean().backward()

    def alone() -> None:
        with parallel.no_sync():
            together()

    together()
    together()  # the second one orders the buckets anew
    buckets = [bucket.memory.clone() for bucket in parallel.reducer.buckets]

    def reduce_all() -> float:
        began = time.thread_time()
        for work in [dist.all_reduce(bucket, async_op=True) for bucket in buckets]:
            if work is not None:
                work.wait()
        return time.thread_time() - began

    works = {"alone": alone, "together": together, "core": reduce_all, "last": lambda: dist.all_reduce(buckets[-1])}
    taken = least_seconds(works)
    ratio, strict = ((taken["together"] - taken[name]) / taken["alone"] for name in ("core", "last"))
    if dist.get_rank() == 0:
        megabytes = sum(bucket.numel() for bucket in buckets) * 4 / 1e6
        print(f"{size} processes, {megabytes:.1f} MB of gradients, {len(buckets)} buckets")
        print(f"  step of one process on its part               {1e3 * taken['alone']:8.2f} ms")
        print(f"  step of all together                          {1e3 * taken['together']:8.2f} ms")
        print(f"  all_reduce by itself occupies the core for    {1e3 * taken['core']:8.2f} ms")
        print(f"  all_reduce of the last bucket takes           {1e3 * taken['last']:8.2f} ms")
        print(f"  (together - core's part) / one process        {ratio:8.2f}    at most {BAR}")
        print(f"  (together - last bucket) / one process        {strict:8.2f}")
    return ratio <= BAR


def bytes_sent() -> int:
    """By this process over TCP, so far."""
    total = 0
    for name in os.listdir("/proc/self/fd"):
        try:
            with socket.socket(fileno=os.dup(int(name))) as one:
                is_tcp = one.family in (socket.AF_INET, socket.AF_INET6) and one.type == socket.SOCK_STREAM
                facts = one.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, 256) if is_tcp else b""
        except OSError:  # no socket, or closed meanwhile
            continue
        if len(facts) >= 208:
            total += struct.unpack_from("Q", facts, 200)[0]  # tcpi_bytes_sent
    return total


def measure_bytes() -> None:
    """Prints how many bytes each process sends for one byte that is reduced: by itself, and in a training step."""
    size, parallel = dist.get_world_size(), model(256, 0.5)
    flat, batch = torch.ones(2**18), torch.randn(4, 256)
    gradients = sum(p.numel() * p.element_size() for p in parallel.parameters())

    def step() -> None:
        parallel(batch).sum().backward()

    for name, work, count in (
        ("all_reduce", lambda: dist.all_reduce(flat), flat.numel() * flat.element_size()),
        ("step", step, gradients),
    ):
        for _ in range(2):
            work()
        dist.barrier()
        before = bytes_sent()
        for _ in range(4):
            work()
        dist.barrier()
        each = [torch.zeros(1) for _ in range(size)]
        dist.all_gather(each, torch.tensor([(bytes_sent() - before) / 4 / count]))
        if dist.get_rank() == 0:
            numbers = " ".join(f"{one.item():.3f}" for one in each)
            print(f"{size} processes, {name}: {numbers} bytes sent for each that is reduced; a ring {2 - 2 / size:.3f}")


def start_all() -> int:
    """Starts this file in several processes, for each measurement."""
    mpirun = find_mpirun()
    if mpirun is None:
        print("there is no mpirun: pip install 'chainrule[distributed]'")
        return 2
    code = start(2, "step")
    for processes in (2, 3, 4):
        code |= start(processes, "bytes", **TCP[implementation(mpirun)])
    return code


def start(processes: int, what: str, **variables: str) -> int:
    line = [sys.executable, "-m", "chainrule", "launch", "-n", str(processes), "--no-prefix", __file__, what]
    return subprocess.run(line, env={**os.environ, **variables}, check=False).returncode


if __name__ == "__main__":
    if "RANK" not in os.environ:
        sys.exit(start_all())
    dist.init_process_group("mpi")
    if sys.argv[1:] == ["bytes"]:
        measure_bytes()
    elif not measure_step():
        sys.exit("the bar is missed")
