"""A variational autoencoder with a class of its own."""

# ask: torch.explain.doctor(vae, loss)
import torch
from torch import nn
from torch.nn import functional


class VAE(nn.Module):
    def __init__(self):
        super().__init__()
        self.enc, self.mu, self.logvar = nn.Linear(8, 8), nn.Linear(8, 2), nn.Linear(8, 2)
        self.dec = nn.Sequential(nn.Linear(2, 8), nn.ReLU(), nn.Linear(8, 8))

    def forward(self, x):
        h = functional.relu(self.enc(x))
        mu, logvar = self.mu(h), self.logvar(h)
        z = mu + (0.5 * logvar).exp() * torch.randn_like(mu)
        return torch.sigmoid(self.dec(z)), mu, logvar


torch.manual_seed(0)
vae = VAE()
x = torch.rand(8, 8)
out, mu, logvar = vae(x)
loss = functional.binary_cross_entropy(out, x, reduction="sum") - 0.5 * (1 + logvar - mu.pow(2) - logvar.exp()).sum()
loss = loss / len(x)
