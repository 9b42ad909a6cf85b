"""LBFGS calls a closure."""

# ask: torch.explain.missing(net, loss)
import torch

torch.manual_seed(0)
net = torch.nn.Linear(2, 1)
optimizer = torch.optim.LBFGS(net.parameters(), lr=0.1, max_iter=2)
x, y = torch.randn(8, 2), torch.randn(8, 1)


def closure():
    optimizer.zero_grad()
    loss = torch.nn.functional.mse_loss(net(x), y)
    loss.backward()
    return loss


loss = optimizer.step(closure)
