"""One step with speechbrain, on random weights."""

import torch
from speechbrain.lobes.features import Fbank
from speechbrain.lobes.models.ECAPA_TDNN import ECAPA_TDNN
from speechbrain.nnet.losses import ctc_loss

torch.manual_seed(0)
features = Fbank(n_mels=20)(torch.randn(2, 4000))
model = ECAPA_TDNN(
    20,
    channels=[8, 8, 8, 8, 24],
    kernel_sizes=[5, 3, 3, 3, 1],
    dilations=[1, 2, 3, 4, 1],
    attention_channels=4,
    lin_neurons=6,
    res2net_scale=2,
    se_channels=4,
)
found = model(features)
found.square().sum().backward()
print(features.mean().item(), found.sum().item(), sum(p.grad.abs().sum().item() for p in model.parameters()))
scores = torch.randn(2, 10, 5).log_softmax(-1)
print(ctc_loss(scores, torch.tensor([[1, 2], [3, 4]]), torch.ones(2), torch.ones(2), blank_index=0).item())
