"""One step with blitz-bayesian-pytorch, on random weights."""

import torch
from blitz.modules import BayesianLinear
from blitz.utils import variational_estimator


@variational_estimator
class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.first, self.last = BayesianLinear(4, 8), BayesianLinear(8, 1)

    def forward(self, x):
        return self.last(self.first(x).relu())


torch.manual_seed(0)
model, x = Net(), torch.randn(10, 4)
loss = model.sample_elbo(inputs=x, labels=x.sum(1, keepdim=True), criterion=torch.nn.MSELoss(), sample_nbr=2)
loss.backward()
print(loss.item(), sum(p.grad.abs().sum().item() for p in model.parameters() if p.grad is not None))
