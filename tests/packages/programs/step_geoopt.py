"""One step with geoopt, on random weights."""

import geoopt
import torch

torch.manual_seed(0)
ball, sphere = geoopt.PoincareBall(), geoopt.Sphere()
x = geoopt.ManifoldParameter(ball.expmap0(0.3 * torch.randn(4, 3)), manifold=ball)
y = geoopt.ManifoldParameter(sphere.projx(torch.randn(4, 3)), manifold=sphere)
optimizer = geoopt.optim.RiemannianAdam([x, y], lr=0.05)
for _ in range(3):
    loss = ball.dist0(x).square().sum() + y[:, 0].sum()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    print(loss.item())
print(y.norm(dim=1).tolist())
