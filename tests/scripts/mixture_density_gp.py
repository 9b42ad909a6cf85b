import math

import torch
import torch.distributions as D
import torch.nn as nn
from torch.distributions import Categorical, Independent, MixtureSameFamily, Normal

torch.manual_seed(0)


class MDN(nn.Module):
    def __init__(self, i, o, k):
        super().__init__()
        self.k, self.o = k, o
        self.h = nn.Sequential(nn.Linear(i, 20), nn.Tanh())
        self.pi = nn.Linear(20, k)
        self.mu = nn.Linear(20, k * o)
        self.ls = nn.Linear(20, k * o)

    def forward(self, x):
        h = self.h(x)
        return MixtureSameFamily(
            Categorical(logits=self.pi(h)),
            Independent(Normal(self.mu(h).view(-1, self.k, self.o), self.ls(h).view(-1, self.k, self.o).exp()), 1),
        )


x = torch.linspace(-1, 1, 100).unsqueeze(1)
y = torch.sin(4 * x) + 0.1 * torch.randn_like(x)
m = MDN(1, 1, 3)
o = torch.optim.Adam(m.parameters(), 1e-2)
for i in range(20):
    d = m(x)
    l = -d.log_prob(y).mean()
    o.zero_grad()
    l.backward()
    o.step()
    if i % 5 == 0:
        print(f"{l.item():.5f}")
print(d.mean.mean().item(), d.variance.mean().item(), d.sample().shape, d.batch_shape, d.event_shape)


class GP(nn.Module):
    def __init__(self):
        super().__init__()
        self.ll, self.lv, self.ln = (
            nn.Parameter(torch.zeros(())),
            nn.Parameter(torch.zeros(())),
            nn.Parameter(torch.tensor(-2.0)),
        )

    def k(self, a, b):
        return self.lv.exp() * torch.exp(-0.5 * torch.cdist(a, b) ** 2 / self.ll.exp() ** 2)

    def nll(self, x, y):
        K = self.k(x, x) + (self.ln.exp() ** 2 + 1e-4) * torch.eye(len(x))
        L = torch.linalg.cholesky(K)
        a = torch.cholesky_solve(y, L)
        return 0.5 * (y * a).sum() + L.diagonal().log().sum() + 0.5 * len(x) * math.log(2 * math.pi)

    @torch.no_grad()
    def predict(self, x, y, xs):
        K = self.k(x, x) + self.ln.exp() ** 2 * torch.eye(len(x))
        L = torch.linalg.cholesky(K)
        Ks = self.k(x, xs)
        v = torch.linalg.solve_triangular(L, Ks, upper=False)
        return Ks.T @ torch.cholesky_solve(y, L), self.k(xs, xs).diag() - (v**2).sum(0)


gp = GP()
o = torch.optim.Adam(gp.parameters(), 0.1)
xt, yt = x[::5], y[::5]
for i in range(15):
    o.zero_grad()
    l = gp.nll(xt, yt)
    l.backward()
    o.step()
    if i % 5 == 0:
        print(f"{l.item():.4f} {gp.ll.item():.4f} {gp.lv.item():.4f} {gp.ln.item():.4f}")
mu, v = gp.predict(xt, yt, x[:5])
print(mu.squeeze().tolist(), v.tolist())
mvn = D.MultivariateNormal(torch.zeros(len(xt)), gp.k(xt, xt) + 0.1 * torch.eye(len(xt)))
print(
    mvn.log_prob(yt.squeeze()).item(),
    mvn.rsample().shape,
    D.kl_divergence(mvn, D.MultivariateNormal(torch.ones(len(xt)), torch.eye(len(xt)))).item(),
)
