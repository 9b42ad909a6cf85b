"""One step with julius, on random weights."""

import julius
import torch

torch.manual_seed(0)
x = torch.randn(2, 400, requires_grad=True)
y = julius.lowpass_filter(julius.resample_frac(x, 4, 3), 0.2)
bands = julius.split_bands(y, sample_rate=8000, n_bands=3)
loss = bands.square().sum() + julius.fftconv.fft_conv1d(x[:, None], torch.randn(1, 1, 21)).square().sum()
loss.backward()
print(loss.item(), x.grad.abs().sum().item())
