"""One step with zuko, on random weights."""

import torch
import zuko

torch.manual_seed(0)
flow = zuko.flows.NSF(2, transforms=2, hidden_features=(16, 16))
loss = -flow().log_prob(torch.randn(8, 2)).mean()
loss.backward()
print(loss.item())
