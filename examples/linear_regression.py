"""Fits a plane to noisy points by gradient descent, and compares it with the exact answer of least squares."""

import chainrule as torch  # `import torch` runs the same
from chainrule import nn

torch.manual_seed(0)
inputs = torch.randn(200, 3)
targets = inputs @ torch.tensor([[2.0], [-1.0], [0.5]]) + 4 + 0.1 * torch.randn(200, 1)

model = nn.Linear(3, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for step in range(101):
    loss = nn.functional.mse_loss(model(inputs), targets)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    if step % 20 == 0:
        print(f"step {step:3d}  loss {loss.item():.5f}")

# Least squares solves the same problem at once; a column of ones makes the offset one more weight.
with_ones = torch.cat([inputs, torch.ones(200, 1)], dim=1)
exact = torch.linalg.lstsq(with_ones, targets).solution.flatten()
learned = torch.cat([parameter.detach().flatten() for parameter in model.parameters()])
print("learned:      ", [round(v, 3) for v in learned.tolist()])
print("least squares:", [round(v, 3) for v in exact.tolist()])
print(f"largest difference {(learned - exact).abs().max().item():.5f}")
