"""A gradient is part of the loss."""

# ask: torch.explain.missing(judge, loss)
import torch

torch.manual_seed(0)
judge = torch.nn.Sequential(torch.nn.Linear(3, 4), torch.nn.Tanh(), torch.nn.Linear(4, 1, bias=False))
x = torch.randn(5, 3, requires_grad=True)
(g,) = torch.autograd.grad(judge(x).sum(), x, create_graph=True)
loss = (g.norm(dim=1) - 1).square().mean() + judge(x).mean()
loss.backward()
