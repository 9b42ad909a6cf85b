"""Policy gradient with log-probabilities; actions by sample()."""

# ask: torch.explain.missing(policy, loss)
import torch
from torch import nn
from torch.distributions import Categorical


def rollout(policy, steps):
    logs, rewards = [], []
    state = torch.zeros(1, 3)
    for t in range(steps):
        d = Categorical(logits=policy(state))
        action = d.sample()
        logs.append(d.log_prob(action))
        rewards.append(float(action.item() == t % 2))
        state = state + 0.1 * action
    return torch.cat(logs), torch.tensor(rewards)


torch.manual_seed(0)
policy = nn.Sequential(nn.Linear(3, 8), nn.Tanh(), nn.Linear(8, 2))
logs, rewards = rollout(policy, 6)
loss = -(logs * (rewards - 0.4)).mean()
loss.backward()
