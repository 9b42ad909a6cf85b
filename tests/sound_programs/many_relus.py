"""Half of the units rest for each sample, as relu's do."""

# ask: torch.explain.doctor(net, loss)
import torch

torch.manual_seed(1)
net = torch.nn.Sequential(
    torch.nn.Linear(8, 32), torch.nn.ReLU(), torch.nn.Linear(32, 32), torch.nn.ReLU(), torch.nn.Linear(32, 2)
)
loss = torch.nn.functional.cross_entropy(net(torch.randn(64, 8)), torch.randint(0, 2, (64,)))
