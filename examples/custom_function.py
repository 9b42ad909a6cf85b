"""Functions with gradients of their own: a clamp that lets gradients through, and a stable log(1 + exp(x))."""

import chainrule as torch  # `import torch` runs the same
from chainrule import nn
from chainrule.autograd import Function, gradcheck, gradgradcheck


class Softplus(Function):
    """log(1 + exp(x)), written so that exp cannot overflow, with its derivative, the sigmoid."""

    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x.clamp(min=0) + torch.log1p(torch.exp(-x.abs()))

    @staticmethod
    def backward(ctx, *gradients):
        (x,) = ctx.saved_tensors
        return gradients[0] * torch.sigmoid(x)  # differentiable itself, so second derivatives follow


class Round(Function):
    """Rounds, but hands the gradient on as if nothing had happened ("straight through"): its own would be zero."""

    @staticmethod
    def forward(ctx, x):
        return x.round()

    @staticmethod
    def backward(ctx, *gradients):
        return gradients[0]


torch.manual_seed(0)
x = (10 * torch.randn(20, dtype=torch.float64)).requires_grad_()
print("softplus, against finite differences:", gradcheck(Softplus.apply, (x,)), gradgradcheck(Softplus.apply, (x,)))
print(
    "softplus of 1000:", Softplus.apply(torch.tensor(1000.0)).item(), " exp there:", torch.tensor(1000.0).exp().item()
)

# A layer whose weights are whole multiples of 1/8 when it computes, learned through the rounding.
inputs = torch.randn(256, 4)
targets = inputs @ torch.tensor([[0.5], [-1.25], [0.125], [2.0]])
weight = nn.Parameter(torch.zeros(4, 1))
optimizer = torch.optim.Adam([weight], lr=0.02)
for step in range(301):
    loss = nn.functional.mse_loss(inputs @ (Round.apply(weight * 8) / 8), targets)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    if step % 100 == 0:
        print(f"step {step:3d}  loss {loss.item():.5f}")
print("weights in eighths:", (weight * 8).round().flatten().int().tolist())
