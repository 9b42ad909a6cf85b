"""Labels 1 and 2 for a binary loss."""

# cause: labels out of range: .*from 1 to 2
# ask: torch.explain.doctor(net, loss)
# look: loss
import torch

torch.manual_seed(0)
net = torch.nn.Linear(4, 1)
labels = torch.tensor([[1.0], [2.0], [1.0], [2.0]])
loss = torch.nn.functional.binary_cross_entropy_with_logits(net(torch.randn(4, 4)), labels)  # HERE
