"""relu in place after a linear layer, which does not need its result."""

# ask: torch.explain.missing(net, loss)
import torch

torch.manual_seed(0)
net = torch.nn.Sequential(torch.nn.Linear(3, 8), torch.nn.ReLU(inplace=True), torch.nn.Linear(8, 1))
loss = net(torch.randn(8, 3)).square().mean()
loss.backward()
