"""The accuracy is looked at under no_grad beside the loss."""

# ask: torch.explain.missing(net, loss)
import torch

torch.manual_seed(0)
net = torch.nn.Linear(4, 3)
x, y = torch.randn(8, 4), torch.tensor([0, 1, 2, 0, 1, 2, 0, 1])
scores = net(x)
loss = torch.nn.functional.cross_entropy(scores, y)
with torch.no_grad():
    accuracy = (scores.argmax(1) == y).float().mean().item()
loss.backward()
