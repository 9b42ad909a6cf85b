"""One step with torchsde, on random weights."""

import torch
import torchsde


class Sde(torch.nn.Module):
    noise_type, sde_type = "diagonal", "ito"

    def __init__(self):
        super().__init__()
        self.drift = torch.nn.Linear(3, 3)
        self.size = torch.nn.Linear(3, 3)

    def f(self, t, y):
        return self.drift(y)

    def g(self, t, y):
        return self.size(y).sigmoid()


torch.manual_seed(0)
sde, start, times = Sde(), torch.full((4, 3), 0.1), torch.linspace(0, 1, 5)
for solve in (torchsde.sdeint, torchsde.sdeint_adjoint):
    noise = torchsde.BrownianInterval(t0=0.0, t1=1.0, size=(4, 3), entropy=1, levy_area_approximation="space-time")
    paths = solve(sde, start, times, bm=noise, dt=0.05)
    sde.zero_grad()
    paths[-1].square().sum().backward()
    print(paths[-1].sum().item(), sde.drift.weight.grad.abs().sum().item())
