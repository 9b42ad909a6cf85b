"""The advantage is detached for the actor, and the critic has a loss of its own."""

# ask: torch.explain.missing(net, loss)
import torch

torch.manual_seed(0)
net = torch.nn.ModuleDict({"actor": torch.nn.Linear(4, 3), "critic": torch.nn.Linear(4, 1)})
state, returns = torch.randn(6, 4), torch.randn(6)
distribution = torch.distributions.Categorical(logits=net["actor"](state))
action = distribution.sample()
value = net["critic"](state).squeeze(1)
advantage = returns - value
actor_loss = -(distribution.log_prob(action) * advantage.detach()).mean()
loss = actor_loss + 0.5 * advantage.square().mean()
loss.backward()
