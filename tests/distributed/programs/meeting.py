"""How processes meet: ranks of their own, other backends' names, wrong arguments, an end and a new beginning."""

import os
import sys
import warnings
from datetime import timedelta

from cases import raises

import chainrule as torch
import chainrule.distributed as dist

warnings.simplefilter("error")
rank, size = int(os.environ.pop("RANK")), int(os.environ.pop("WORLD_SIZE"))
assert dist.is_available()
assert not dist.is_initialized()
assert dist.group.WORLD is None
assert "mpi4py" not in sys.modules
with raises(ValueError, "Default process group has not been initialized"):
    dist.get_rank()
for arguments, error, text in (
    ({"backend": "pigeons"}, ValueError, "Unknown c10d backend type PIGEONS"),
    ({"world_size": size + 1}, ValueError, f"there should be {size + 1} processes"),
    ({"store": object()}, ValueError, "store is not supported"),
    ({"timeout": 3}, TypeError, "datetime.timedelta"),
    ({"device_id": torch.device("cuda:0")}, ValueError, "the CPU only"),
    ({"init_method": "post://office"}, RuntimeError, "no such way to meet"),
    ({"rank": 5 * rank}, ValueError, "their ranks are [0, 5]"),
    ({"rank": 0}, ValueError, "each needs a number of its own"),
):
    with raises(error, text):
        dist.init_process_group(**{"backend": "mpi", **arguments})
    assert not dist.is_initialized()
dist.init_process_group("mpi", rank=size - 1 - rank, world_size=size, timeout=timedelta(seconds=60))
assert (dist.get_rank(), dist.get_world_size(), dist.get_backend()) == (size - 1 - rank, size, "mpi")
assert dist.get_node_local_rank() == int(os.environ["LOCAL_RANK"])
ranks = [torch.zeros(1) for _ in range(size)]
dist.all_gather(ranks, torch.tensor([float(rank)]))
assert [int(r) for r in ranks] == list(range(size))[::-1]
dist.destroy_process_group()
assert not dist.is_initialized()
dist.init_process_group("cpu:gloo,cuda:nccl", init_method="env://")
assert dist.get_rank() == rank
print("met again")
