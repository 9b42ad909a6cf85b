"""Q-learning with a target network under no_grad."""

# ask: torch.explain.doctor(q, loss)
import copy

import torch

torch.manual_seed(0)
q = torch.nn.Sequential(torch.nn.Linear(4, 8), torch.nn.Tanh(), torch.nn.Linear(8, 2))
target_q = copy.deepcopy(q)
state, next_state = torch.randn(6, 4), torch.randn(6, 4)
reward, action = torch.randn(6), torch.tensor([0, 1, 0, 1, 1, 0])
with torch.no_grad():
    target = reward + 0.9 * target_q(next_state).max(1).values
chosen = q(state).gather(1, action[:, None]).squeeze(1)
loss = torch.nn.functional.smooth_l1_loss(chosen, target)
