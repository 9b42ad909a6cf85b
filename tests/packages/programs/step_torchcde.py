"""One step with torchcde, on random weights."""

import torch
import torchcde


class Field(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = torch.nn.Linear(4, 4 * 3)

    def forward(self, t, z):
        return self.linear(z).tanh().view(*z.shape, 3)


torch.manual_seed(0)
x = torchcde.CubicSpline(torchcde.hermite_cubic_coefficients_with_backward_differences(torch.randn(2, 6, 3)))
field = Field()
z = torchcde.cdeint(X=x, z0=torch.ones(2, 4), func=field, t=x.interval, adjoint=False, method="rk4")
z[:, -1].sum().backward()
print(z.sum().item(), field.linear.weight.grad.abs().sum().item())
