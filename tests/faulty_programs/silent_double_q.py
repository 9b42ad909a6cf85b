"""Double DQN by hand with gather, both from the online network."""

# cause: target not detached
# ask: torch.explain.doctor(net, loss)
import torch
from torch import nn


class Learner:
    def __init__(self, net, gamma):
        self.net, self.gamma = net, gamma

    def targets(self, r, s2, done):
        q = self.net(s2)
        best = q.argmax(1, keepdim=True)
        return r + (1.0 - done) * self.gamma * q.gather(1, best).squeeze(1)  # HERE

    def loss(self, s, a, r, s2, done):
        q = self.net(s).gather(1, a[:, None])[:, 0]
        return nn.HuberLoss()(q, self.targets(r, s2, done))


torch.manual_seed(0)
net = nn.Sequential(nn.Linear(3, 16), nn.ReLU(), nn.Linear(16, 4))
learner = Learner(net, 0.97)
loss = learner.loss(
    torch.randn(6, 3), torch.randint(0, 4, (6,)), torch.randn(6), torch.randn(6, 3), torch.tensor([0.0, 0, 1, 0, 0, 1])
)
