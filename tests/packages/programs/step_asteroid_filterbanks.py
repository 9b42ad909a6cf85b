"""One step with asteroid-filterbanks, on random weights."""

import torch
from asteroid_filterbanks import STFTFB, Decoder, Encoder, FreeFB, make_enc_dec

torch.manual_seed(0)
encoder, decoder = Encoder(FreeFB(8, 16, stride=8)), Decoder(FreeFB(8, 16, stride=8))
x = torch.randn(2, 1, 64)
loss = (decoder(encoder(x)) - x).square().mean()
loss.backward()
print(loss.item(), encoder.filterbank._filters.grad.abs().sum().item())
encoder, decoder = make_enc_dec("stft", n_filters=16, kernel_size=16, stride=8)
print(encoder(x).abs().sum().item(), decoder(encoder(x)).abs().sum().item(), STFTFB.__name__)
