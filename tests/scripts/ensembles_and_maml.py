# Ensembles with vmap, per-sample gradients and MAML over a model without parameters of its own (device "meta").
import copy

import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.func import functional_call, grad, jacrev, stack_module_state, vmap

torch.manual_seed(0)


class MLP(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc1 = nn.Linear(6, 8)
        self.fc2 = nn.Linear(8, 3)
        self.register_buffer("scale", torch.ones(1))

    def forward(self, x):
        return self.fc2(F.relu(self.fc1(x))) * self.scale


models = [MLP() for _ in range(4)]
params, buffers = stack_module_state(models)
base = copy.deepcopy(models[0]).to("meta")
print(base.fc1.bias)


def call(p, b, x):
    return functional_call(base, (p, b), (x,))


data, labels = torch.randn(4, 5, 6), torch.randint(3, (5,))
each = vmap(call)(params, buffers, data)
print(each.shape, torch.allclose(each[1], models[1](data[1]), atol=1e-6))
print(f"{vmap(call, in_dims=(0, 0, None))(params, buffers, data[0]).sum().item():.4f}")

p0 = {k: v.detach() for k, v in models[0].named_parameters()}
b0 = dict(models[0].named_buffers())


def sample_loss(p, b, x, t):
    return F.cross_entropy(call(p, b, x.unsqueeze(0)), t.unsqueeze(0))


per_sample = vmap(grad(sample_loss), in_dims=(None, None, 0, 0))(p0, b0, data[0], labels)
for name, g in per_sample.items():
    print(name, tuple(g.shape), f"{g.norm().item():.4f}")
J = vmap(jacrev(call), (None, None, 0))(p0, b0, data[0])
rows = torch.cat([j.flatten(2) for j in J.values()], -1)
print(f"tangent kernel {torch.einsum('naf,maf->nm', rows, rows).trace().item():.3f}")


def adapted(p, x, t, lr=0.1):
    g = grad(lambda q: F.cross_entropy(call(q, b0, x), t))(p)
    return {k: p[k] - lr * g[k] for k in p}


meta = {k: v.clone().requires_grad_() for k, v in p0.items()}
opt = torch.optim.Adam(meta.values(), lr=1e-2)
for it in range(5):
    losses = []
    for task in range(3):
        x = torch.randn(10, 6)
        t = (x[:, task] > 0).long()
        fast = adapted(meta, x[:5], t[:5])
        losses.append(F.cross_entropy(call(fast, b0, x[5:]), t[5:]))
    loss = torch.stack(losses).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
    print(f"iteration {it} loss {loss.item():.4f}")

with torch.device("meta"):
    big = nn.TransformerEncoder(nn.TransformerEncoderLayer(512, 8, 2048, batch_first=True), 6)
print(sum(p.numel() for p in big.parameters()), next(big.parameters()).is_meta)
small = nn.Linear(2, 2, device="meta").to_empty(device="cpu")
small.reset_parameters()
print(f"{small(torch.ones(1, 2)).sum().item():.4f}", small.load_state_dict(nn.Linear(2, 2).state_dict(), assign=True))
