import math

import torch
import torch.nn as nn
import torch.nn.functional as F
from tqdm.auto import tqdm

torch.manual_seed(0)


def exists(x):
    return x is not None


def default(val, d):
    return val if exists(val) else d() if callable(d) else d


class SinusoidalPositionEmbeddings(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.dim = dim

    def forward(self, time):
        device = time.device
        half = self.dim // 2
        e = math.log(10000) / (half - 1)
        e = torch.exp(torch.arange(half, device=device) * -e)
        e = time[:, None] * e[None, :]
        return torch.cat((e.sin(), e.cos()), dim=-1)


def cosine_beta_schedule(timesteps, s=0.008):
    x = torch.linspace(0, timesteps, timesteps + 1)
    ac = torch.cos(((x / timesteps) + s) / (1 + s) * torch.pi * 0.5) ** 2
    ac = ac / ac[0]
    return torch.clip(1 - (ac[1:] / ac[:-1]), 0.0001, 0.9999)


def linear_beta_schedule(t):
    return torch.linspace(0.0001, 0.02, t)


T = 50
betas = linear_beta_schedule(T)
print(cosine_beta_schedule(T).sum().item())
alphas = 1.0 - betas
ac = torch.cumprod(alphas, axis=0)
ac_prev = F.pad(ac[:-1], (1, 0), value=1.0)
sqrt_recip = torch.sqrt(1.0 / alphas)
sac = torch.sqrt(ac)
s1 = torch.sqrt(1.0 - ac)
pv = betas * (1.0 - ac_prev) / (1.0 - ac)


def extract(a, t, x_shape):
    b = t.shape[0]
    out = a.gather(-1, t.cpu())
    return out.reshape(b, *((1,) * (len(x_shape) - 1))).to(t.device)


class Net(nn.Module):
    def __init__(self, dim=2, h=32):
        super().__init__()
        self.time_mlp = nn.Sequential(
            SinusoidalPositionEmbeddings(16), nn.Linear(16, h), nn.SiLU(), nn.Linear(h, h * 2)
        )
        self.a = nn.Linear(dim, h)
        self.n = nn.GroupNorm(4, h)
        self.b = nn.Linear(h, h)
        self.c = nn.Linear(h, dim)

    def forward(self, x, t):
        scale, shift = self.time_mlp(t).chunk(2, dim=1)
        x = F.silu(self.a(x))
        x = self.n(x) * (scale + 1) + shift
        return self.c(F.silu(self.b(x)))


def p_losses(net, x0, t, noise=None, loss_type="huber"):
    noise = default(noise, lambda: torch.randn_like(x0))
    xn = extract(sac, t, x0.shape) * x0 + extract(s1, t, x0.shape) * noise
    p = net(xn, t)
    return F.l1_loss(noise, p) if loss_type == "l1" else F.smooth_l1_loss(noise, p)


@torch.no_grad()
def p_sample(model, x, t, i):
    mean = extract(sqrt_recip, t, x.shape) * (x - extract(betas, t, x.shape) * model(x, t) / extract(s1, t, x.shape))
    if i == 0:
        return mean
    return mean + torch.sqrt(extract(pv, t, x.shape)) * torch.randn_like(x)


net = Net()
opt = torch.optim.Adam(net.parameters(), 2e-3)
th = torch.rand(256) * 2 * torch.pi
data = torch.stack([th.cos(), th.sin()], 1)
for i in range(40):
    x = data[torch.randperm(256)[:64]]
    t = torch.randint(0, T, (64,)).long()
    l = p_losses(net, x, t)
    opt.zero_grad()
    l.backward()
    opt.step()
    if i % 8 == 0:
        print("Loss:", f"{l.item():.5f}")
net.eval()
x = torch.randn(8, 2)
for i in tqdm(reversed(range(T)), desc="sampling", total=T, disable=True):
    x = p_sample(net, x, torch.full((8,), i, dtype=torch.long), i)
print(x.norm(dim=1).mean().item())
