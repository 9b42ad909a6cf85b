"""A recurrent loop detaches the hidden state at each step, so that the first weights are lost."""

# cause: detach
# ask: torch.explain_none(start, loss)
import torch
from torch import nn

torch.manual_seed(0)
cell = nn.RNNCell(2, 3)
start = torch.zeros(1, 3, requires_grad=True)
hidden = start
for x in torch.randn(4, 1, 2):
    hidden = cell(x, hidden.detach())  # HERE
loss = hidden.sum()
loss.backward()
