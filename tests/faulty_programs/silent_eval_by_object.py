"""An evaluate() helper switches through a wrapper object."""

# cause: evaluation mode
# ask: torch.explain.doctor(net, loss)
import torch
from torch import nn


class Evaluator:
    def __init__(self, model):
        self.model = model

    def __enter__(self):
        self.model.train(False)  # HERE
        return self.model

    def __exit__(self, *exception):
        pass


torch.manual_seed(0)
net = nn.Sequential(nn.Linear(3, 8), nn.Dropout(0.3), nn.Linear(8, 1))
with Evaluator(net) as model, torch.no_grad():
    score = model(torch.randn(4, 3)).mean()
loss = net(torch.randn(4, 3)).square().mean()
