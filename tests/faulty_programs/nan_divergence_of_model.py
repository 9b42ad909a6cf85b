"""Training with a huge rate: some step overflows."""

# cause: (inf|nan).*step \d+|step \d+
# under: nan_guard
import torch
from torch import nn

torch.manual_seed(0)
net = nn.Linear(2, 1)
optimizer = torch.optim.SGD(net.parameters(), lr=1e4)
x, y = torch.randn(8, 2), torch.randn(8, 1)
for _ in range(50):
    out = net(x)
    loss = ((out - y) ** 2).mean()  # HERE
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
