"""An LSTM is given raw prices."""

# cause: inputs not normalised
# ask: torch.explain.doctor(model, loss)
import torch
from torch import nn


class Prices(nn.Module):
    def __init__(self):
        super().__init__()
        self.lstm = nn.LSTM(1, 8, batch_first=True)
        self.out = nn.Linear(8, 1)

    def forward(self, x):
        h, _ = self.lstm(x)  # HERE
        return self.out(h[:, -1])


torch.manual_seed(0)
prices = 20000 + 500 * torch.randn(4, 10, 1)
model = Prices()
loss = model(prices).square().mean()
