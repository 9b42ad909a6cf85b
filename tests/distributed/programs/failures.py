"""Ways to fail: the first argument says which. Rank 1 fails; the others wait for it in a collective."""

import os
import sys
import time

import chainrule as torch
import chainrule.distributed as dist

how = sys.argv[1]
rank = int(os.environ["RANK"])
if how == "early" and rank == 1:
    print("met nobody", flush=True)  # from here on the time counts
    raise OSError("before the processes met")
dist.init_process_group("mpi")
x = torch.ones(3)
dist.all_reduce(x)
print("met", flush=True)
if how == "shapes":
    if rank == 1:
        dist.all_reduce(torch.ones(4))  # the other shape
    else:
        dist.all_reduce(x)  # the first shape
elif how == "order":
    if rank == 0:
        dist.broadcast(x, 0)  # rank 0 broadcasts
    dist.all_reduce(x)  # rank 1 reduces
elif how == "interrupted":
    time.sleep(60)
elif rank == 1:
    if how == "raises":
        raise ValueError("the reason")
    if how == "bad argument":
        dist.broadcast(x, 17)
    if how == "exits":
        sys.exit(3)
    if how == "leaves":
        sys.exit()
    if how == "killed":
        os.kill(os.getpid(), 9)
dist.all_reduce(x)  # the others wait here
if how == "works":
    print(x.tolist())
