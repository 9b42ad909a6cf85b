import numpy as np
import torch
import torch.nn as nn
from torch import distributions
from torch.distributions import AffineTransform, SigmoidTransform, TransformedDistribution, Uniform

torch.manual_seed(0)
np.random.seed(0)


class RealNVP(nn.Module):
    def __init__(self, nets, nett, mask, prior):
        super().__init__()
        self.prior = prior
        self.mask = nn.Parameter(mask, requires_grad=False)
        self.t = torch.nn.ModuleList([nett() for _ in range(len(mask))])
        self.s = torch.nn.ModuleList([nets() for _ in range(len(mask))])

    def g(self, z):
        x = z
        for i in range(len(self.t)):
            x_ = x * self.mask[i]
            s = self.s[i](x_) * (1 - self.mask[i])
            t = self.t[i](x_) * (1 - self.mask[i])
            x = x_ + (1 - self.mask[i]) * (x * torch.exp(s) + t)
        return x

    def f(self, x):
        log_det_J, z = x.new_zeros(x.shape[0]), x
        for i in reversed(range(len(self.t))):
            z_ = self.mask[i] * z
            s = self.s[i](z_) * (1 - self.mask[i])
            t = self.t[i](z_) * (1 - self.mask[i])
            z = (1 - self.mask[i]) * (z - t) * torch.exp(-s) + z_
            log_det_J -= s.sum(dim=1)
        return z, log_det_J

    def log_prob(self, x):
        z, logp = self.f(x)
        return self.prior.log_prob(z) + logp

    def sample(self, batchSize):
        z = self.prior.sample((batchSize, 1))
        return self.g(z)


nets = lambda: nn.Sequential(nn.Linear(2, 16), nn.LeakyReLU(), nn.Linear(16, 2), nn.Tanh())
nett = lambda: nn.Sequential(nn.Linear(2, 16), nn.LeakyReLU(), nn.Linear(16, 2))
masks = torch.from_numpy(np.array([[0, 1], [1, 0]] * 2).astype(np.float32))
prior = distributions.MultivariateNormal(torch.zeros(2), torch.eye(2))
flow = RealNVP(nets, nett, masks, prior)
opt = torch.optim.Adam([p for p in flow.parameters() if p.requires_grad == True], lr=1e-3)
x = torch.from_numpy((np.random.randn(128, 2) @ np.array([[1, 0.5], [0, 0.3]])).astype(np.float32))
for t in range(20):
    loss = -flow.log_prob(x).mean()
    opt.zero_grad()
    loss.backward(retain_graph=True)
    opt.step()
    if t % 5 == 0:
        print("iter %s:" % t, "loss = %.3f" % loss)
print(flow.sample(4).squeeze(1).detach().numpy().shape)
base = Uniform(torch.zeros(3), torch.ones(3))
logistic = TransformedDistribution(
    base, [SigmoidTransform().inv, AffineTransform(loc=torch.tensor(1.0), scale=torch.tensor([1.0, 2.0, 0.5]))]
)
s = logistic.rsample((5,))
print(s.mean().item(), logistic.log_prob(s).sum().item(), logistic.cdf(s).sum().item())
