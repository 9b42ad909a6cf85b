"""Self-distillation with a detached branch."""

# ask: torch.explain.missing(net, loss)
import torch

torch.manual_seed(0)
net = torch.nn.Sequential(torch.nn.Linear(3, 4), torch.nn.ReLU(), torch.nn.Linear(4, 4))
a, b = net(torch.randn(5, 3)), net(torch.randn(5, 3))
loss = -torch.nn.functional.cosine_similarity(a, b.detach()).mean()
loss.backward()
