"""cross_entropy with smoothed labels."""

# ask: torch.explain.doctor(net, loss, optimizer)
import torch

torch.manual_seed(0)
net = torch.nn.Linear(6, 4)
optimizer = torch.optim.RMSprop(net.parameters(), lr=1e-3)
loss = torch.nn.functional.cross_entropy(net(torch.randn(9, 6)), torch.arange(9) % 4, label_smoothing=0.1)
