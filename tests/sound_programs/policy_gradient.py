"""log_prob of a sampled action carries the gradient."""

# ask: torch.explain.missing(policy, loss)
import torch

torch.manual_seed(0)
policy = torch.nn.Linear(4, 3)
distribution = torch.distributions.Categorical(logits=policy(torch.randn(6, 4)))
action = distribution.sample()
advantage = torch.randn(6)
loss = -(distribution.log_prob(action) * advantage).mean()
loss.backward()
