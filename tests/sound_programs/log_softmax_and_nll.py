"""nll_loss gets log-probabilities."""

# ask: torch.explain.doctor(net, loss)
import torch

torch.manual_seed(0)
net = torch.nn.Linear(3, 5)
scores = torch.log_softmax(net(torch.randn(8, 3)), dim=1)
loss = torch.nn.functional.nll_loss(scores, torch.arange(8) % 5)
