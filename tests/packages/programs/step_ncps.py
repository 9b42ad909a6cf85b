"""One step with ncps, on random weights."""

import torch
from ncps.torch import LTC, CfC
from ncps.wirings import AutoNCP

torch.manual_seed(0)
for model in (CfC(3, 6), LTC(3, AutoNCP(8, 2))):
    found, _ = model(torch.randn(2, 4, 3))
    found.square().sum().backward()
    print(found.sum().item(), sum(p.grad.abs().sum().item() for p in model.parameters() if p.grad is not None))
