"""One step with encodec, on random weights."""

import torch
from encodec.modules import SEANetDecoder, SEANetEncoder
from encodec.quantization import ResidualVectorQuantizer

torch.manual_seed(0)
encoder = SEANetEncoder(dimension=16, n_filters=4, ratios=[4, 2], lstm=1)
decoder = SEANetDecoder(dimension=16, n_filters=4, ratios=[4, 2], lstm=1)
quantizer = ResidualVectorQuantizer(dimension=16, n_q=2, bins=16, kmeans_init=False)
x = torch.randn(1, 1, 256)
found = quantizer(encoder(x), 75)
loss = (decoder(found.quantized) - x).abs().mean() + found.penalty
loss.backward()
print(loss.item(), sum(p.grad.abs().sum().item() for p in encoder.parameters() if p.grad is not None))
