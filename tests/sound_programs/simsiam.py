"""Stop-gradient between two branches, by detach()."""

# ask: torch.explain.missing(net, loss)
import torch
from torch import nn


class SimSiam(nn.Module):
    def __init__(self):
        super().__init__()
        self.encoder, self.predictor = nn.Linear(4, 4), nn.Linear(4, 4)

    def forward(self, a, b):
        za, zb = self.encoder(a), self.encoder(b)
        pa, pb = self.predictor(za), self.predictor(zb)
        similarity = nn.functional.cosine_similarity
        return -(similarity(pa, zb.detach()).mean() + similarity(pb, za.detach()).mean()) / 2


torch.manual_seed(0)
net = SimSiam()
x = torch.randn(6, 4)
loss = net(x, x + 0.1 * torch.randn(6, 4))
loss.backward()
