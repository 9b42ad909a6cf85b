"""Labels of -100 are left out, as cross_entropy does."""

# ask: torch.explain.doctor(net, loss)
import torch

torch.manual_seed(0)
net = torch.nn.Linear(4, 5)
labels = torch.tensor([0, 4, -100, 2, -100, 1])
loss = torch.nn.functional.cross_entropy(net(torch.randn(6, 4)), labels)
