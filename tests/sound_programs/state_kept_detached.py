"""A recurrent state is detached between windows."""

# ask: torch.explain.missing(model, loss)
import torch
from torch import nn


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.rnn, self.out, self.state = nn.LSTM(2, 4), nn.Linear(4, 1), None

    def forward(self, x):
        h, state = self.rnn(x, self.state)
        self.state = tuple(s.detach() for s in state)
        return self.out(h)


torch.manual_seed(0)
model = Model()
for x in torch.randn(3, 5, 2, 2):
    model.zero_grad()
    loss = model(x).square().mean()
    loss.backward()
