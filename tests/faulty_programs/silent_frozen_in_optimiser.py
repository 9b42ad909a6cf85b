"""The optimiser was given frozen layers."""

# cause: frozen in the optimiser: the optimiser has 0\.weight, 0\.bias
# ask: torch.explain.doctor(net, loss, optimizer)
# look: loss
import torch

torch.manual_seed(0)
net = torch.nn.Sequential(torch.nn.Linear(4, 8), torch.nn.Tanh(), torch.nn.Linear(8, 1))
net[0].requires_grad_(False)
optimizer = torch.optim.Adam(net.parameters(), lr=1e-3)  # HERE
loss = net(torch.randn(16, 4)).square().mean()
