"""Two half-moons that no straight line parts: a small network learns the border, drawn in letters at the end."""

import math

import chainrule as torch  # `import torch` runs the same
from chainrule import nn


def moons(n):
    """n points on each of two interlocking half circles, a little noise, and which of the two each belongs to."""
    angle = torch.rand(2, n) * math.pi
    upper = torch.stack([angle[0].cos(), angle[0].sin()], dim=1)
    lower = torch.stack([1 - angle[1].cos(), 0.5 - angle[1].sin()], dim=1)
    points = torch.cat([upper, lower])
    return points + 0.1 * torch.randn_like(points), torch.arange(2).repeat_interleave(n).float()


def draw(model, columns=64, rows=20):
    """The plane from (-1.5, 1.5) to (2.5, -1): '#' where the network says the upper moon, '.' for the lower."""
    x, y = torch.linspace(-1.5, 2.5, columns), torch.linspace(1.5, -1, rows)
    plane = torch.cartesian_prod(y, x).flip(1)
    with torch.no_grad():
        lower = (model(plane).squeeze(1) > 0).reshape(rows, columns)
    for row in lower.tolist():
        print("".join(".#"[not cell] for cell in row))


torch.manual_seed(0)
train_x, train_y = moons(200)
test_x, test_y = moons(500)
model = nn.Sequential(nn.Linear(2, 16), nn.Tanh(), nn.Linear(16, 16), nn.Tanh(), nn.Linear(16, 1))
optimizer = torch.optim.Adam(model.parameters(), lr=0.02)
for step in range(301):
    loss = nn.functional.binary_cross_entropy_with_logits(model(train_x).squeeze(1), train_y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    if step % 100 == 0:
        print(f"step {step:3d}  loss {loss.item():.4f}")

draw(model)
with torch.no_grad():
    right = ((model(test_x).squeeze(1) > 0) == test_y.bool()).float().mean()
print(f"accuracy on {len(test_x)} unseen points: {right.item():.1%}")
