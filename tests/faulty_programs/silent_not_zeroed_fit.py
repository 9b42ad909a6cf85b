"""Two models are trained in a loop over pairs, one loop forgets."""

# cause: not zeroed
# ask: torch.explain.doctor(b, loss)
import torch
from torch import nn


def fit(model, x, clean):
    opt = torch.optim.SGD(model.parameters(), lr=0.01)
    for _ in range(2):
        if clean:
            opt.zero_grad()
        loss = model(x).square().mean()
        loss.backward()  # HERE
        opt.step()
    return model


torch.manual_seed(0)
x = torch.randn(4, 3)
a = fit(nn.Linear(3, 1), x, clean=True)
b = fit(nn.Linear(3, 1), x, clean=False)
loss = b(x).square().mean()
