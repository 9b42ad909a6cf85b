"""One step with loralib, on random weights."""

import loralib
import torch

torch.manual_seed(0)
model = torch.nn.Sequential(
    loralib.Embedding(10, 6, r=2),
    loralib.MergedLinear(6, 9, r=2, enable_lora=[True, False, True]),
    loralib.Linear(9, 2, r=2),
)
loralib.mark_only_lora_as_trainable(model)
with torch.no_grad():
    model[2].lora_B.normal_()
loss = model(torch.arange(8).reshape(2, 4)).square().mean()
loss.backward()
print(loss.item(), model[2].lora_A.grad.abs().sum().item(), len(loralib.lora_state_dict(model)))
print(model.eval()(torch.arange(4)).sum().item())
