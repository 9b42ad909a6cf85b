"""One step with gluonts, on random weights."""

import torch
from gluonts.torch.model.deepar.module import DeepARModel
from gluonts.torch.model.patch_tst.module import PatchTSTModel

torch.manual_seed(0)
model = DeepARModel(
    freq="D", context_length=6, prediction_length=3, num_feat_static_real=1, hidden_size=8, lags_seq=[1, 2]
)
past, ones = torch.rand(2, 8), torch.ones(2, 8)
inputs = {"feat_static_cat": torch.zeros(2, 1, dtype=torch.int64), "feat_static_real": torch.zeros(2, 1)}
inputs |= {"past_time_feat": torch.rand(2, 8, 1), "past_target": past, "past_observed_values": ones}
future = {
    "future_time_feat": torch.rand(2, 3, 1),
    "future_target": torch.rand(2, 3),
    "future_observed_values": torch.ones(2, 3),
}
loss = model.loss(**inputs, **future).mean()
loss.backward()
print(
    loss.item(),
    sum(p.grad.abs().sum().item() for p in model.parameters() if p.grad is not None),
    PatchTSTModel.__name__,
)
