"""The optimiser was made from one layer only."""

# cause: optimi
# ask: torch.explain.doctor(net, loss, optimizer)
# look: loss
import torch


class Descent:
    def __init__(self, parameters):
        self.param_groups = [{"params": list(parameters)}]


net = torch.nn.Sequential(torch.nn.Linear(3, 3), torch.nn.Linear(3, 1))
optimizer = Descent(net[1].parameters())  # HERE
loss = net(torch.ones(2, 3)).sum()
