"""Handwritten digits, learned by several processes together: each has the model and a part of every batch.

    chainrule launch -n 4 examples/data_parallel.py

With --checkpoint FILE the state is kept after each epoch, and a run that was ended in any way goes on from there.
"""

import argparse
import os

from sklearn.datasets import load_digits

import chainrule as torch
import chainrule.distributed as dist
from chainrule import nn
from chainrule.nn.parallel import DistributedDataParallel
from chainrule.utils.data import DataLoader, DistributedSampler, TensorDataset

parser = argparse.ArgumentParser()
parser.add_argument("--epochs", type=int, default=12)
parser.add_argument("--batch-size", type=int, default=64, help="of all processes together")
parser.add_argument("--checkpoint", help="a file to go on from, if it is there, and to keep the state in")
options = parser.parse_args()

dist.init_process_group("mpi")
rank, size = dist.get_rank(), dist.get_world_size()
torch.manual_seed(0)

pixels, numbers = load_digits(return_X_y=True)
images, labels = torch.tensor(pixels, dtype=torch.float32) / 16, torch.tensor(numbers)
training = TensorDataset(images[:1500], labels[:1500])
sampler = DistributedSampler(training)  # every process sees another part
loader = DataLoader(training, batch_size=options.batch_size // size, sampler=sampler)

model = DistributedDataParallel(nn.Sequential(nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 10)))
optimizer = torch.optim.SGD(model.parameters(), lr=0.3, momentum=0.9)
begin = 0
if options.checkpoint and os.path.exists(options.checkpoint):
    state = torch.load(options.checkpoint)
    model.load_state_dict(state["model"])
    optimizer.load_state_dict(state["optimizer"])
    begin = state["epoch"] + 1
    if rank == 0:
        print(f"goes on with epoch {begin}", flush=True)

for epoch in range(begin, options.epochs):
    sampler.set_epoch(epoch)  # another order, the same in all processes
    total = torch.zeros(())
    for batch, target in loader:
        loss = nn.functional.cross_entropy(model(batch), target)
        optimizer.zero_grad()
        loss.backward()  # the gradients are averaged over the processes meanwhile
        optimizer.step()
        total += loss.detach()
    dist.all_reduce(total)
    if rank == 0:
        print(f"epoch {epoch:2d}  loss {total.item() / size / len(loader):.6f}", flush=True)
        if options.checkpoint:  # one process writes, and the file is whole or not there
            state = {"model": model.state_dict(), "optimizer": optimizer.state_dict(), "epoch": epoch}
            torch.save(state, options.checkpoint)

with torch.no_grad():
    hits = model(images[1500:]).argmax(1) == labels[1500:]
if rank == 0:
    print(f"{size} process{'es' if size > 1 else ''}, unseen digits: {100 * hits.float().mean().item():.1f}%")
dist.destroy_process_group()
