import numpy as np
import torch
import torch.nn as nn
from torch.distributions import Categorical, MultivariateNormal, Normal

device = torch.device("cpu")
if torch.cuda.is_available():
    device = torch.device("cuda:0")
    torch.cuda.empty_cache()
    print("Device set to : " + str(torch.cuda.get_device_name(device)))
else:
    print("Device set to : cpu")
torch.manual_seed(1)
np.random.seed(1)


class RolloutBuffer:
    def __init__(self):
        self.actions, self.states, self.logprobs, self.rewards, self.state_values, self.is_terminals = (
            [],
            [],
            [],
            [],
            [],
            [],
        )

    def clear(self):
        del self.actions[:]
        del self.states[:]
        del self.logprobs[:]
        del self.rewards[:]
        del self.state_values[:]
        del self.is_terminals[:]


class ActorCritic(nn.Module):
    def __init__(self, state_dim, action_dim, has_continuous, action_std_init):
        super().__init__()
        self.has = has_continuous
        if has_continuous:
            self.action_dim = action_dim
            self.action_var = torch.full((action_dim,), action_std_init * action_std_init).to(device)
        self.actor = nn.Sequential(
            nn.Linear(state_dim, 32),
            nn.Tanh(),
            nn.Linear(32, action_dim),
            nn.Tanh() if has_continuous else nn.Softmax(dim=-1),
        )
        self.critic = nn.Sequential(nn.Linear(state_dim, 32), nn.Tanh(), nn.Linear(32, 1))

    def act(self, state):
        if self.has:
            mean = self.actor(state)
            cov = torch.diag(self.action_var).unsqueeze(dim=0)
            dist = MultivariateNormal(mean, cov)
        else:
            dist = Categorical(self.actor(state))
        a = dist.sample()
        return a.detach(), dist.log_prob(a).detach(), self.critic(state).detach()

    def evaluate(self, state, action):
        if self.has:
            mean = self.actor(state)
            var = self.action_var.expand_as(mean)
            cov = torch.diag_embed(var).to(device)
            dist = MultivariateNormal(mean, cov)
            if self.action_dim == 1:
                action = action.reshape(-1, self.action_dim)
        else:
            dist = Categorical(self.actor(state))
        return dist.log_prob(action), self.critic(state), dist.entropy()


def run(cont):
    adim = 2
    policy = ActorCritic(3, adim, cont, 0.6).to(device)
    old = ActorCritic(3, adim, cont, 0.6).to(device)
    old.load_state_dict(policy.state_dict())
    opt = torch.optim.Adam(
        [{"params": policy.actor.parameters(), "lr": 3e-3}, {"params": policy.critic.parameters(), "lr": 1e-2}]
    )
    buf = RolloutBuffer()
    mse = nn.MSELoss()
    for upd in range(3):
        s = np.random.randn(3).astype(np.float32)
        tot = 0
        for t in range(60):
            with torch.no_grad():
                st = torch.FloatTensor(s).to(device)
                a, lp, v = old.act(st)
            buf.states.append(st)
            buf.actions.append(a)
            buf.logprobs.append(lp)
            buf.state_values.append(v)
            act = a.detach().cpu().numpy().flatten() if cont else a.item()
            r = -float(np.abs(s).sum()) + (float(act[0]) if cont else act)
            tot += r
            s = (0.9 * s + 0.1 * np.random.randn(3)).astype(np.float32)
            buf.rewards.append(r)
            buf.is_terminals.append(t % 20 == 19)
        rewards = []
        d = 0
        for r, term in zip(reversed(buf.rewards), reversed(buf.is_terminals)):
            if term:
                d = 0
            d = r + 0.99 * d
            rewards.insert(0, d)
        rewards = torch.tensor(rewards, dtype=torch.float32).to(device)
        rewards = (rewards - rewards.mean()) / (rewards.std() + 1e-7)
        os_ = torch.squeeze(torch.stack(buf.states, dim=0)).detach()
        oa = torch.squeeze(torch.stack(buf.actions, dim=0)).detach()
        ol = torch.squeeze(torch.stack(buf.logprobs, dim=0)).detach()
        ov = torch.squeeze(torch.stack(buf.state_values, dim=0)).detach()
        adv = rewards.detach() - ov.detach()
        for _ in range(5):
            lps, sv, ent = policy.evaluate(os_, oa)
            sv = torch.squeeze(sv)
            lps = lps.squeeze()
            ratios = torch.exp(lps - ol.detach())
            s1 = ratios * adv
            s2 = torch.clamp(ratios, 0.8, 1.2) * adv
            loss = -torch.min(s1, s2) + 0.5 * mse(sv, rewards) - 0.01 * ent
            opt.zero_grad()
            loss.mean().backward()
            opt.step()
        old.load_state_dict(policy.state_dict())
        buf.clear()
        print(cont, upd, round(tot, 3), f"{loss.mean().item():.4f}")


run(False)
run(True)
# clean-rl style gaussian
logstd = nn.Parameter(torch.zeros(1, 2))
mu = nn.Linear(3, 2)
probs = Normal(mu(torch.randn(5, 3)), logstd.expand(5, 2).exp())
a = probs.sample()
print(probs.log_prob(a).sum(1).mean().item(), probs.entropy().sum(1).mean().item())
