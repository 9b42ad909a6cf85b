"""A Trainer zeroes the other optimiser."""

# cause: not zeroed
# ask: torch.explain.doctor(trainer.net, loss, trainer.optimizer)
import torch
from torch import nn


class Trainer:
    def __init__(self):
        self.net = nn.Linear(4, 1)
        self.critic = nn.Linear(4, 1)
        self.optimizer = torch.optim.SGD(self.net.parameters(), lr=0.01)
        self.critic_optimizer = torch.optim.SGD(self.critic.parameters(), lr=0.01)

    def loss(self, x):
        return self.net(x).square().mean()

    def step(self, x):
        self.critic_optimizer.zero_grad()
        loss = self.loss(x)
        loss.backward()  # HERE
        self.optimizer.step()


torch.manual_seed(0)
trainer = Trainer()
trainer.step(torch.randn(8, 4))
trainer.step(torch.randn(8, 4))
loss = trainer.loss(torch.randn(8, 4))
