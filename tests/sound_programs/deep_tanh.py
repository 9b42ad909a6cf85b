"""Ten layers whose gradients shrink a little."""

# ask: torch.explain.doctor(net, loss)
import torch

torch.manual_seed(0)
layers = []
for _ in range(5):
    linear = torch.nn.Linear(16, 16)
    torch.nn.init.xavier_normal_(linear.weight)
    layers += [linear, torch.nn.Tanh()]
net = torch.nn.Sequential(*layers, torch.nn.Linear(16, 1))
loss = net(torch.randn(32, 16)).square().mean()
