"""One step with pytorch-forecasting, on random weights."""

import torch
from pytorch_forecasting.metrics import QuantileLoss
from pytorch_forecasting.models.nbeats.sub_modules import NBEATSGenericBlock
from pytorch_forecasting.models.temporal_fusion_transformer.sub_modules import (
    GatedResidualNetwork,
    InterpretableMultiHeadAttention,
)

torch.manual_seed(0)
gate, attention = GatedResidualNetwork(6, 8, 4), InterpretableMultiHeadAttention(n_head=2, d_model=4)
y, weights = attention(*3 * [gate(torch.randn(2, 5, 6))])
loss = QuantileLoss()(torch.cat([y, y[..., :3]], -1), torch.randn(2, 5))
loss.backward()
print(loss.item(), weights.sum().item(), gate.fc1.weight.grad.abs().sum().item(), NBEATSGenericBlock.__name__)
