"""Embeddings are looked up once before the loop."""

# cause: second time
# look: loss
import torch

table = torch.nn.Embedding(10, 4)
head = torch.nn.Linear(4, 1)
features = table(torch.arange(5))  # HERE
for _ in range(2):
    loss = head(features).square().mean()
    loss.backward()
