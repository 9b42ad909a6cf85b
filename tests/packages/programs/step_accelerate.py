"""One step with accelerate, on random weights."""

import torch
from accelerate import Accelerator

torch.manual_seed(0)
accelerator = Accelerator(cpu=True)
model = torch.nn.Linear(4, 1)
data = torch.utils.data.TensorDataset(torch.randn(16, 4), torch.randn(16, 1))
parts = model, torch.optim.SGD(model.parameters(), lr=0.1), torch.utils.data.DataLoader(data, batch_size=8)
model, optimizer, loader = accelerator.prepare(*parts)
for x, y in loader:
    loss = (model(x) - y).square().mean()
    optimizer.zero_grad()
    accelerator.backward(loss)
    optimizer.step()
    print(loss.item())
