
import torch
import torch.nn as nn

torch.manual_seed(0)
y0 = torch.tensor([[2.0, 0.0]])
t = torch.linspace(0.0, 5.0, 40)
A = torch.tensor([[-0.1, 2.0], [-2.0, -0.1]])


def rk4(f, y, t):
    ys = [y]
    for t0, t1 in zip(t[:-1], t[1:]):
        h = t1 - t0
        k1 = f(t0, y)
        k2 = f(t0 + h / 2, y + h * k1 / 2)
        k3 = f(t0 + h / 2, y + h * k2 / 2)
        k4 = f(t1, y + h * k3)
        y = y + h * (k1 + 2 * k2 + 2 * k3 + k4) / 6
        ys.append(y)
    return torch.stack(ys)


class Lambda(nn.Module):
    def forward(self, t, y):
        return torch.mm(y**3, A)


with torch.no_grad():
    true_y = rk4(Lambda(), y0, t)


class ODEFunc(nn.Module):
    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(2, 20), nn.Tanh(), nn.Linear(20, 2))
        for m in self.net.modules():
            if isinstance(m, nn.Linear):
                nn.init.normal_(m.weight, mean=0, std=0.1)
                nn.init.constant_(m.bias, val=0)

    def forward(self, t, y):
        return self.net(y**3)


class Adjoint(torch.autograd.Function):
    @staticmethod
    def forward(ctx, y0, t, flat, func):
        ctx.func = func
        with torch.no_grad():
            ys = rk4(func, y0, t)
        ctx.save_for_backward(t, ys, flat)
        return ys

    @staticmethod
    def backward(ctx, *g):
        g = g[0]
        t, ys, flat = ctx.saved_tensors
        func = ctx.func
        params = tuple(func.parameters())
        a = g[-1]
        ap = torch.zeros_like(flat)
        for i in range(len(t) - 1, 0, -1):
            with torch.enable_grad():
                y = ys[i].detach().requires_grad_(True)
                f = func(t[i], y)
                vjp = torch.autograd.grad(f, (y,) + params, a, allow_unused=True)
            h = t[i] - t[i - 1]
            ap += h * torch.cat([v.reshape(-1) if v is not None else torch.zeros(1) for v in vjp[1:]])
            a = a + h * vjp[0] + g[i - 1]
        return a, None, ap, None


func = ODEFunc()
opt = torch.optim.RMSprop(func.parameters(), lr=1e-3)
for it in range(15):
    s = torch.randint(0, 30, (8,))
    by = true_y[s]
    bt = t[:8]
    bt_y = torch.stack([true_y[s + i] for i in range(8)])
    opt.zero_grad()
    p = rk4(func, by, bt)
    loss = torch.mean(torch.abs(p - bt_y))
    loss.backward()
    opt.step()
    if it % 5 == 0:
        print(f"Iter {it:04d} | Total Loss {loss.item():.6f}")
flat = nn.utils.parameters_to_vector(func.parameters())
y = Adjoint.apply(y0, t, flat, func)
y[-1].sum().backward()
print([f"{p.grad.abs().sum():.4f}" for p in func.parameters()])
from torch.autograd.functional import jacobian

print(jacobian(lambda y: func(0, y), y0).shape, torch.func.jacrev(lambda y: func(0, y))(y0).sum().item())
