"""One step with rotary-embedding-torch, on random weights."""

import torch
from rotary_embedding_torch import RotaryEmbedding, apply_rotary_emb

torch.manual_seed(0)
rotary, q = RotaryEmbedding(dim=8, learned_freq=True), torch.randn(1, 2, 6, 16, requires_grad=True)
y = rotary.rotate_queries_or_keys(q)
(y * torch.arange(16.0)).sum().backward()
print(y.sum().item(), q.grad.abs().sum().item(), rotary.freqs.grad.abs().sum().item())
grid = RotaryEmbedding(dim=4, freqs_for="pixel", max_freq=16).get_axial_freqs(4, 4)
print(apply_rotary_emb(grid, torch.randn(1, 4, 4, 16)).sum().item())
