"""Learned log-variances weigh two tasks."""

# ask: torch.explain.doctor(model, loss)
import torch
from torch import nn


class MultiTask(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Linear(4, 8)
        self.a, self.b = nn.Linear(8, 1), nn.Linear(8, 3)
        self.log_var = nn.Parameter(torch.zeros(2))

    def forward(self, x, ya, yb):
        h = torch.relu(self.body(x))
        losses = torch.stack(
            [nn.functional.mse_loss(self.a(h).squeeze(-1), ya), nn.functional.cross_entropy(self.b(h), yb)]
        )
        return (torch.exp(-self.log_var) * losses + self.log_var).sum()


torch.manual_seed(0)
model = MultiTask()
loss = model(torch.randn(8, 4), torch.randn(8), torch.randint(0, 3, (8,)))
