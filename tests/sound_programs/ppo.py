"""PPO: old log-probabilities detached, ratio clipped, entropy bonus, value loss."""

# ask: torch.explain.doctor(model, loss)
import torch
from torch import nn
from torch.distributions import Categorical


class ActorCritic(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Linear(4, 16)
        self.pi, self.v = nn.Linear(16, 2), nn.Linear(16, 1)

    def forward(self, s):
        h = torch.tanh(self.body(s))
        return Categorical(logits=self.pi(h)), self.v(h).squeeze(-1)


torch.manual_seed(0)
model = ActorCritic()
states, returns = torch.randn(8, 4), torch.randn(8)
with torch.no_grad():
    d, values = model(states)
    actions = d.sample()
    old = d.log_prob(actions) + 0.05 * torch.randn(8)
d, v = model(states)
ratio = (d.log_prob(actions) - old).exp()
advantage = returns - values
surrogate = torch.min(ratio * advantage, ratio.clamp(0.8, 1.2) * advantage)
loss = -surrogate.mean() + 0.5 * (v - returns).square().mean() - 0.01 * d.entropy().mean()
