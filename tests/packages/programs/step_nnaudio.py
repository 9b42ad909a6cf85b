"""One step with nnAudio, on random weights."""

import torch
from nnAudio.features import STFT, CQT1992v2, MelSpectrogram

torch.manual_seed(0)
x = torch.randn(1, 4000)
for layer in (
    STFT(n_fft=256, hop_length=128, trainable=True, output_format="Magnitude", sr=4000, verbose=False),
    MelSpectrogram(sr=4000, n_fft=256, n_mels=16, hop_length=128, trainable_mel=True, verbose=False),
    CQT1992v2(sr=4000, hop_length=128, fmin=220, n_bins=12, verbose=False),
):
    print(layer(x).mean().item())
