"""One step with performer-pytorch, on random weights."""

import torch
from performer_pytorch import PerformerLM

torch.manual_seed(0)
model = PerformerLM(num_tokens=20, max_seq_len=16, dim=16, depth=1, heads=2, dim_head=8, nb_features=8)
ids = torch.randint(0, 20, (2, 16))
loss = torch.nn.functional.cross_entropy(model(ids).flatten(0, 1), ids.flatten())
loss.backward()
print(loss.item(), sum(p.grad.abs().sum().item() for p in model.parameters() if p.grad is not None))
