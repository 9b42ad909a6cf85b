"""One step with vocos, on random weights."""

import torch
from vocos.feature_extractors import MelSpectrogramFeatures
from vocos.heads import ISTFTHead
from vocos.models import VocosBackbone

torch.manual_seed(0)
mel = MelSpectrogramFeatures(sample_rate=8000, n_fft=128, hop_length=32, n_mels=16)(torch.randn(1, 1024))
backbone, head = VocosBackbone(16, dim=24, intermediate_dim=32, num_layers=2), ISTFTHead(24, n_fft=128, hop_length=32)
sound = head(backbone(mel))
sound.square().sum().backward()
print(mel.mean().item(), sound.abs().mean().item(), sum(p.grad.abs().sum().item() for p in backbone.parameters()))
