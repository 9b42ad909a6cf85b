"""The LSTM state is carried from batch to batch."""

# cause: second time
import torch
from torch import nn


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.lstm = nn.LSTM(2, 4)
        self.state = None

    def forward(self, x):
        out, self.state = self.lstm(x, self.state)  # HERE
        return out.mean()


torch.manual_seed(0)
model = Model()
for x in torch.randn(3, 5, 1, 2):
    loss = model(x)
    loss.backward()
