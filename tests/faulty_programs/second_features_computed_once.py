"""Features of an encoder that is being trained are computed once, before the epochs."""

# cause: backward through the graph a second time
import torch
from torch import nn

encoder, head = nn.Linear(3, 3), nn.Linear(3, 1)
batches = [torch.ones(2, 3), torch.zeros(2, 3)]
features = [torch.relu(encoder(batch)) for batch in batches]  # HERE
for _ in range(2):
    for feature in features:
        head(feature).sum().backward()
