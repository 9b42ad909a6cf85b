"""One step with torch-stoi, on random weights."""

import torch
from torch_stoi import NegSTOILoss

torch.manual_seed(0)
clean = torch.randn(2, 16000)
noisy = (clean + torch.randn(2, 16000)).requires_grad_()
loss = NegSTOILoss(sample_rate=10000, extended=True, use_vad=False)(noisy, clean).mean()
loss.backward()
print(loss.item(), noisy.grad.abs().sum().item())
