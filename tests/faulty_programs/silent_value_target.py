"""The difference of a value function with itself."""

# cause: target not detached
# ask: torch.explain.doctor(value, loss)
# look: loss
import torch

torch.manual_seed(0)
value = torch.nn.Linear(4, 1)
state, next_state, reward = torch.randn(6, 4), torch.randn(6, 4), torch.randn(6, 1)
expected = reward + 0.9 * value(next_state)  # HERE
loss = (value(state) - expected).square().mean()
