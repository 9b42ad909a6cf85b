"""One step with torchaudio, on random weights."""

import torch
import torchaudio

torch.manual_seed(0)
wave = (torch.sin(torch.arange(8000.0) * 0.1) + 0.1 * torch.randn(8000))[None].requires_grad_()
mel = torchaudio.transforms.MelSpectrogram(sample_rate=8000, n_fft=256, n_mels=16)(wave)
mel.clamp(min=1e-6).log().mean().backward()
print(mel.mean().item(), wave.grad.abs().sum().item())
