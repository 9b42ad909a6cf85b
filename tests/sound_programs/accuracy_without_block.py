"""argmax of the scores for a figure, outside of any block."""

# ask: torch.explain.missing(net, loss)
import torch

torch.manual_seed(0)
net = torch.nn.Linear(4, 3)
x, y = torch.randn(8, 4), torch.tensor([0, 1, 2, 0, 1, 2, 0, 1])
scores = net(x)
hits = (scores.argmax(1) == y).sum().item()
loss = torch.nn.functional.cross_entropy(scores, y)
loss.backward()
