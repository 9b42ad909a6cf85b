"""What is under way: handles of every call, results that nobody waits for, and whose memory MPI works in."""

from datetime import timedelta

import numpy as np
from cases import run, same, strided

import chainrule as torch
import chainrule.distributed as dist


def case_handles():
    rank, size = dist.get_rank(), dist.get_world_size()
    tensors = [torch.full((1000,), float(rank + i)) for i in range(20)]
    handles = [dist.all_reduce(tensor, async_op=True) for tensor in tensors]
    for handle in reversed(handles):
        assert handle.wait(timedelta(seconds=60))
        assert handle.exception() is None
    for i, tensor in enumerate(tensors):
        same(tensor, np.full(1000, sum(r + i for r in range(size))))
    assert handles[0].result()[0] is tensors[0]
    for _ in range(100):  # nobody waits: the memory must live on all the same
        dist.all_reduce(torch.ones(10), async_op=True)
    dist.barrier(async_op=True).wait()
    pair = [torch.ones(2), torch.full((3,), 2.0)]
    dist.all_reduce_coalesced(pair)
    same(pair[1], np.full(3, 2 * size))


def calls(tensor, async_op):
    """Every collective on tensors like this one: its name, a function that starts it, and what MPI may touch."""
    rank, size = dist.get_rank(), dist.get_world_size()
    room = torch.zeros(size, *tensor.shape)
    parts, own = list(room.unbind()), tensor.clone()
    more = {"async_op": async_op}
    root = rank == 0
    return {
        "all_reduce": (lambda: dist.all_reduce(own, **more), [own]),
        "reduce": (lambda: dist.reduce(own, 0, **more), [own]),
        "broadcast": (lambda: dist.broadcast(own, 0, **more), [own]),
        "all_gather": (lambda: dist.all_gather(parts, own, **more), [own, room]),
        "all_gather_single": (lambda: dist.all_gather_single(room, own, **more), [own, room]),
        "gather": (lambda: dist.gather(own, parts if root else None, **more), [own, room]),
        "scatter": (lambda: dist.scatter(own, parts if root else None, **more), [own, room]),
        "reduce_scatter": (lambda: dist.reduce_scatter(own, parts, **more), [own, room]),
        "reduce_scatter_single": (lambda: dist.reduce_scatter_single(own, room, **more), [own, room]),
        "all_to_all": (lambda: dist.all_to_all(list(room.clone().unbind()), parts, **more), None),
        "all_to_all_single": (lambda: dist.all_to_all_single(room, room.clone(), **more), None),
    }


def case_every_call_gives_a_handle():
    works = []
    for name, (call, _) in calls(torch.ones(3), True).items():
        works.append(call())
        assert isinstance(works[-1], dist.Work), name
    for work in works:
        assert work.wait(), work.name
        assert work.is_completed(), work.name
        assert work.is_success(), work.name
    for name, (call, _) in calls(torch.ones(3), False).items():
        assert call() is None, name


class Recorder:
    """A communicator that notes the memory it is given."""

    def __init__(self, communicator, seen):
        self.communicator, self.seen = communicator, seen

    def __getattr__(self, name):
        found = getattr(self.communicator, name)
        if not name.startswith("I"):
            return found

        def call(*buffers, **options):
            for buffer in buffers:
                if isinstance(buffer, list) and buffer[0].nbytes:
                    self.seen.append(buffer[0].address)
            return found(*buffers, **options)

        return call


def case_contiguous_tensors_are_not_copied():
    """MPI gets the addresses of the callers' tensors themselves; those of others are not theirs."""
    world, seen = dist.group.WORLD, []
    communicator = world.communicator
    try:
        world.communicator = Recorder(communicator, seen)
        for name, (call, tensors) in calls(torch.ones(1000), False).items():
            seen.clear()
            call()
            if tensors is not None:
                assert seen, name
                assert set(seen) <= {tensor.data_ptr() for tensor in tensors}, name
        rank, size = dist.get_rank(), dist.get_world_size()
        sent, got = torch.ones(10), torch.zeros(10)
        seen.clear()
        for work in (dist.isend(sent, (rank + 1) % size), dist.irecv(got, (rank - 1) % size)):
            work.wait()
        assert seen == [sent.data_ptr(), got.data_ptr()]
        seen.clear()
        gaps = strided(torch.ones(10))
        dist.all_reduce(gaps)
        assert seen != [gaps.data_ptr()]
        same(gaps, np.full(10, size))
    finally:
        world.communicator = communicator


run(globals())
