"""One step with torchdeq, on random weights."""

import torch
from torchdeq import get_deq

torch.manual_seed(0)
linear, x = torch.nn.Linear(4, 4), torch.randn(3, 4)
with torch.no_grad():
    linear.weight.mul_(0.5)
for solver in ("fixed_point_iter", "anderson", "broyden"):
    deq = get_deq(f_solver=solver, f_max_iter=30, f_tol=1e-5, b_solver=solver, b_max_iter=30, b_tol=1e-5)
    found, _ = deq(lambda z: torch.tanh(linear(z) + x), torch.zeros(3, 4))
    linear.zero_grad()
    found[-1].square().sum().backward()
    print(round(found[-1].sum().item(), 4), round(linear.weight.grad.abs().sum().item(), 3))
