"""One step with sentence-transformers, on random weights."""

import torch
from sentence_transformers import models
from sentence_transformers.util import cos_sim

torch.manual_seed(0)
pooling, dense = models.Pooling(16, "mean"), models.Dense(16, 8)
features = {"token_embeddings": torch.randn(3, 5, 16), "attention_mask": torch.ones(3, 5, dtype=torch.int64)}
found = dense(pooling(features))["sentence_embedding"]
loss = cos_sim(found, found).sum()
loss.backward()
print(loss.item(), dense.linear.weight.grad.abs().sum().item())
