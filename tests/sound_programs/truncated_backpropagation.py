"""A hidden state is detached between pieces of a sequence."""

# ask: torch.explain.missing(cell, loss)
import torch

torch.manual_seed(0)
cell = torch.nn.RNNCell(3, 4)
hidden = torch.zeros(2, 4)
for _ in range(3):
    cell.zero_grad()
    hidden = hidden.detach()
    for _ in range(2):
        hidden = cell(torch.randn(2, 3), hidden)
    loss = hidden.square().mean()
    loss.backward()
