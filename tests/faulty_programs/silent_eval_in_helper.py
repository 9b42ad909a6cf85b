"""The model stays in evaluation mode after validation."""

# cause: evaluation mode
# ask: torch.explain.doctor(model, loss)
import torch
from torch import nn


def validate(m, x):
    m.eval()  # HERE
    with torch.no_grad():
        return m(x).mean().item()


torch.manual_seed(0)
model = nn.Sequential(nn.Linear(4, 8), nn.BatchNorm1d(8), nn.Dropout(0.5), nn.Linear(8, 1))
score = validate(model, torch.randn(4, 4))
loss = model(torch.randn(8, 4)).square().mean()
