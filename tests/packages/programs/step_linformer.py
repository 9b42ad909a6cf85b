"""One step with linformer, on random weights."""

import torch
from linformer import Linformer

torch.manual_seed(0)
model = Linformer(dim=16, seq_len=12, depth=2, heads=2, k=4, one_kv_head=True, share_kv=True)
loss = model(torch.randn(2, 12, 16)).square().mean()
loss.backward()
print(loss.item(), sum(p.grad.abs().sum().item() for p in model.parameters()))
