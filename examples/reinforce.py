"""REINFORCE: a policy learns to balance a pole on a cart, in an environment that is written here."""

import math

import chainrule as torch  # `import torch` runs the same
from chainrule import nn
from chainrule.distributions import Categorical

EPISODES, LONGEST = 120, 200


class CartPole:
    """A pole hinged to a cart. Each step pushes the cart left (0) or right (1); falling or leaving ends the game."""

    GRAVITY, CART, POLE, HALF_LENGTH, FORCE, SECONDS = 9.8, 1.0, 0.1, 0.5, 10.0, 0.02

    def reset(self):
        self.state = [0.1 * (u - 0.5) for u in torch.rand(4).tolist()]
        self.steps = 0
        return self.state

    def step(self, action):
        """The next state (place, speed, angle, turning speed) and whether the game is over."""
        _, speed, angle, turning = self.state
        sine, cosine, mass = math.sin(angle), math.cos(angle), self.CART + self.POLE
        push = self.FORCE if action else -self.FORCE
        shared = (push + self.POLE * self.HALF_LENGTH * turning**2 * sine) / mass
        inertia = self.HALF_LENGTH * (4 / 3 - self.POLE * cosine**2 / mass)
        falling = (self.GRAVITY * sine - cosine * shared) / inertia
        moving = shared - self.POLE * self.HALF_LENGTH * falling * cosine / mass
        rates = (speed, moving, turning, falling)
        self.state = [value + self.SECONDS * rate for value, rate in zip(self.state, rates, strict=True)]
        self.steps += 1
        over = abs(self.state[0]) > 2.4 or abs(self.state[2]) > 0.21 or self.steps >= LONGEST
        return self.state, over


def play(policy, environment):
    """One game: the logarithms of the probabilities of what was done, one per step; each step earns 1."""
    state, over, log_probabilities = environment.reset(), False, []
    while not over:
        choice = Categorical(logits=policy(torch.tensor(state)))
        action = choice.sample()
        log_probabilities.append(choice.log_prob(action))
        state, over = environment.step(action.item())
    return log_probabilities


torch.manual_seed(0)
environment = CartPole()
policy = nn.Sequential(nn.Linear(4, 32), nn.ReLU(), nn.Linear(32, 2))
optimizer = torch.optim.Adam(policy.parameters(), lr=1e-2)
lengths = []
for episode in range(EPISODES):
    log_probabilities = play(policy, environment)
    earned = 0.0
    returns = []  # what each step brought from then on, later rewards counting less
    for _ in log_probabilities:
        earned = 1 + 0.99 * earned
        returns.append(earned)
    gain = torch.tensor(returns[::-1])
    gain = (gain - gain.mean()) / (gain.std() + 1e-6)  # better than usual is made likelier, worse rarer
    loss = -(torch.stack(log_probabilities) * gain).sum()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    lengths.append(len(log_probabilities))
    if (episode + 1) % 20 == 0:
        print(f"episode {episode + 1:3d}  steps until the pole fell, mean of 20: {sum(lengths[-20:]) / 20:.1f}")
