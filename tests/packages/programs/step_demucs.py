"""One step with demucs, on random weights."""

import torch
from demucs.demucs import Demucs
from demucs.htdemucs import HTDemucs

torch.manual_seed(0)
model = Demucs(["voice", "rest"], channels=4, depth=3, lstm_layers=1, samplerate=8000, segment=1)
x = torch.randn(1, 2, 2048)
found = model(x)
found.square().mean().backward()
print(found.mean().item(), sum(p.grad.abs().sum().item() for p in model.parameters()))
model = HTDemucs(
    ["voice", "rest"], channels=8, depth=2, nfft=256, samplerate=8000, segment=1, t_layers=1, t_heads=2
).eval()
print(model(torch.randn(1, 2, 8000)).mean().item())
