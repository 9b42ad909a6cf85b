"""Discounted sums are data."""

# ask: torch.explain.missing(policy, loss)
import torch

torch.manual_seed(0)
policy = torch.nn.Linear(3, 2)
rewards, total, returns = [1.0, 0.0, 2.0], 0.0, []
for r in reversed(rewards):
    total = r + 0.9 * total
    returns.insert(0, total)
log_p = torch.log_softmax(policy(torch.randn(3, 3)), 1)
chosen = log_p.argmax(1)
loss = -(log_p.gather(1, chosen[:, None]).squeeze(1) * torch.tensor(returns)).mean()
loss.backward()
