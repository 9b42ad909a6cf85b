"""The target of Q-learning is trained, too."""

# cause: target not detached
# ask: torch.explain.doctor(q, loss)
# look: loss
import torch

torch.manual_seed(0)
q = torch.nn.Sequential(torch.nn.Linear(4, 8), torch.nn.Tanh(), torch.nn.Linear(8, 2))
state, next_state, reward = torch.randn(6, 4), torch.randn(6, 4), torch.randn(6)
action, done = torch.tensor([0, 1, 0, 1, 1, 0]), torch.zeros(6)
target = reward + 0.99 * q(next_state).max(1).values * (1 - done)  # HERE
chosen = q(state).gather(1, action[:, None]).squeeze(1)
loss = torch.nn.functional.smooth_l1_loss(chosen, target)
