"""Q-learning with one network and a detached target."""

# ask: torch.explain.doctor(q, loss)
import torch

torch.manual_seed(0)
q = torch.nn.Sequential(torch.nn.Linear(4, 8), torch.nn.Tanh(), torch.nn.Linear(8, 2))
state, next_state = torch.randn(6, 4), torch.randn(6, 4)
reward, action = torch.randn(6), torch.tensor([0, 1, 0, 1, 1, 0])
target = (reward + 0.9 * q(next_state).max(1).values).detach()
chosen = q(state).gather(1, action[:, None]).squeeze(1)
loss = torch.nn.functional.mse_loss(chosen, target)
