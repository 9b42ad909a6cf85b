"""The head is replaced after the optimiser was made."""

# cause: not in the optimiser
# ask: torch.explain.doctor(model, loss, optimizer)
import torch
from torch import nn


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Linear(4, 8)
        self.head = nn.Linear(8, 10)

    def forward(self, x):
        return self.head(torch.tanh(self.body(x)))


torch.manual_seed(0)
model = Model()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)  # HERE
model.head = nn.Linear(8, 2)
loss = nn.functional.cross_entropy(model(torch.randn(4, 4)), torch.tensor([0, 1, 1, 0]))
