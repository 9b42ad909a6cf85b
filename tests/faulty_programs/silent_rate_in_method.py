"""configure_optimizers gives a rate far too large."""

# cause: learning rate: .*times their own size
# ask: torch.explain.doctor(model, loss, model.configure())
import torch
from torch import nn


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.net = nn.Linear(3, 1)

    def configure(self):
        return torch.optim.RMSprop(  # HERE
            self.net.parameters(), lr=10.0
        )


torch.manual_seed(0)
model = Model()
loss = model.net(torch.randn(6, 3)).square().mean()
