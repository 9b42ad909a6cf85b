"""A GAN's two steps, the generator asked about."""

# ask: torch.explain.doctor(generator, loss, g_opt)
import torch
from torch import nn

torch.manual_seed(0)
generator, judge = nn.Linear(2, 2), nn.Sequential(nn.Linear(2, 8), nn.LeakyReLU(), nn.Linear(8, 1))
g_opt = torch.optim.Adam(generator.parameters(), lr=1e-3)
d_opt = torch.optim.Adam(judge.parameters(), lr=1e-3)
bce = nn.BCEWithLogitsLoss()
for _ in range(2):
    fake = generator(torch.randn(8, 2))
    d_opt.zero_grad()
    d_loss = bce(judge(torch.randn(8, 2)), torch.ones(8, 1)) + bce(judge(fake.detach()), torch.zeros(8, 1))
    d_loss.backward()
    d_opt.step()
    g_opt.zero_grad()
    loss = bce(judge(fake), torch.ones(8, 1))
    loss.backward()
    g_opt.step()
g_opt.zero_grad()
loss = bce(judge(generator(torch.randn(8, 2))), torch.ones(8, 1))
