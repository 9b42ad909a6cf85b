"""A whole trainer: zero_grad, clip, step, validation, logging."""

# ask: torch.explain.doctor(trainer.net, loss, trainer.optimizer)
import torch
from torch import nn


class Trainer:
    def __init__(self, net):
        self.net, self.history = net, []
        self.optimizer = torch.optim.AdamW(net.parameters(), lr=1e-3)

    def step(self, x, y):
        self.net.train()
        self.optimizer.zero_grad(set_to_none=True)
        loss = nn.functional.cross_entropy(self.net(x), y)
        loss.backward()
        nn.utils.clip_grad_norm_(self.net.parameters(), 1.0)
        self.optimizer.step()
        self.history.append(loss.item())

    @torch.no_grad()
    def accuracy(self, x, y):
        self.net.eval()
        return (self.net(x).argmax(1) == y).float().mean().item()


torch.manual_seed(0)
trainer = Trainer(nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Dropout(0.1), nn.Linear(8, 3)))
x, y = torch.randn(12, 4), torch.randint(0, 3, (12,))
for _ in range(3):
    trainer.step(x, y)
score = trainer.accuracy(x, y)
trainer.net.train()
trainer.optimizer.zero_grad()
loss = nn.functional.cross_entropy(trainer.net(x), y)
