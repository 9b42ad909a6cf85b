"""One step with torchdata, on random weights."""

import torch
from torchdata.nodes import Batcher, IterableWrapper, Loader, Mapper

torch.manual_seed(0)
model = torch.nn.Linear(2, 1)
rows = Mapper(IterableWrapper(range(8)), lambda i: torch.full((2,), float(i)))
for batch in Loader(Mapper(Batcher(rows, batch_size=4), torch.stack)):
    loss = model(batch).square().mean()
    loss.backward()
    print(loss.item())
