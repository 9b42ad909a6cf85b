"""Trains, and keeps the state after each step in the file that the first argument names; goes on from there."""

import os
import sys
import time

import chainrule as torch
import chainrule.distributed as dist
from chainrule import nn
from chainrule.nn.parallel import DistributedDataParallel

path, steps = sys.argv[1], int(sys.argv[2])
dist.init_process_group("mpi")
rank, size = dist.get_rank(), dist.get_world_size()
torch.manual_seed(0)
model = DistributedDataParallel(nn.Sequential(nn.Linear(64, 256), nn.Dropout(0.1), nn.Tanh(), nn.Linear(256, 8)))
optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
begin = 0
if os.path.exists(path):
    state = torch.load(path)
    model.load_state_dict(state["model"])
    optimizer.load_state_dict(state["optimizer"])
    begin = state["step"] + 1
for step in range(begin, steps):
    torch.manual_seed(size * step + rank)  # another batch and another dropout for each, the same in every run
    x = torch.randn(16, 64)
    loss = nn.functional.mse_loss(model(x), x[:, :8])
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    total = loss.detach()
    dist.all_reduce(total, dist.ReduceOp.AVG)
    if rank == 0:
        torch.save({"model": model.state_dict(), "optimizer": optimizer.state_dict(), "step": step}, path)
        print(f"step {step} loss {total.item()!r}", flush=True)
    time.sleep(0.01)  # on a fast machine too, there is time enough to be killed in
