"""One step with torch-lr-finder, on random weights."""

import torch
from torch_lr_finder import LRFinder

torch.manual_seed(0)
x = torch.randn(40, 4)
data = torch.utils.data.DataLoader(torch.utils.data.TensorDataset(x, x.sum(1, keepdim=True)), batch_size=8)
model = torch.nn.Linear(4, 1)
finder = LRFinder(model, torch.optim.SGD(model.parameters(), lr=1e-4), torch.nn.MSELoss())
finder.range_test(data, end_lr=1, num_iter=6)
print(finder.history["loss"])
finder.reset()
print(model.weight.sum().item())
