"""no_grad as a decorator of a method of the model."""

# cause: no_grad
# ask: torch.explain.missing(model.body, loss)
import torch
from torch import nn


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Linear(3, 3)
        self.head = nn.Linear(3, 1)

    @torch.no_grad()
    def embed(self, x):
        return torch.relu(self.body(x))  # HERE

    def forward(self, x):
        return self.head(self.embed(x))


torch.manual_seed(0)
model = Model()
loss = model(torch.randn(4, 3)).square().mean()
loss.backward()
