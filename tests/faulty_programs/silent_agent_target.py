"""Q-learning in an Agent class with nn.MSELoss and a list of transitions."""

# cause: target not detached
# ask: torch.explain.doctor(agent.net, loss)
import torch
from torch import nn


class Agent:
    def __init__(self):
        self.net = nn.Sequential(nn.Linear(2, 8), nn.ReLU(), nn.Linear(8, 3))
        self.criterion = nn.MSELoss()
        self.gamma = 0.95

    def learn(self, memory):
        states = torch.stack([m[0] for m in memory])
        actions = torch.tensor([m[1] for m in memory])
        rewards = torch.tensor([m[2] for m in memory])
        following = torch.stack([m[3] for m in memory])
        predicted = self.net(states)[range(len(memory)), actions]
        wanted = self.gamma * self.net(following).amax(1) + rewards  # HERE
        return self.criterion(predicted, wanted)


torch.manual_seed(0)
agent = Agent()
memory = [(torch.randn(2), i % 3, float(i), torch.randn(2)) for i in range(6)]
loss = agent.learn(memory)
