"""The first example of docs/start.md: a derivative by hand and by backward(), then a line fitted by its gradients."""

import chainrule as torch  # `import torch` prints the same

# One derivative: z = 2 x**2 + 1, so dz/dx = 4 x = 8 at x = 2.
x = torch.tensor(2.0, requires_grad=True)
z = 2 * x**2 + 1
z.backward()
print("dz/dx at 2:", x.grad)
print("made by:   ", z.grad_fn.name())

# A line through noisy points of y = 3 t - 1.
torch.manual_seed(0)
t = torch.randn(100)
y = 3 * t - 1 + 0.1 * torch.randn(100)

slope = torch.tensor(0.0, requires_grad=True)
offset = torch.tensor(0.0, requires_grad=True)
for step in range(101):
    loss = ((slope * t + offset - y) ** 2).mean()
    loss.backward()
    if step % 25 == 0:
        print(
            f"step {step:3d}  loss {loss.item():8.4f}  slope {slope.item():6.3f} (gradient {slope.grad.item():7.4f})"
            f"  offset {offset.item():6.3f} (gradient {offset.grad.item():7.4f})"
        )
    with torch.no_grad():  # the update itself is not to be differentiated
        for parameter in (slope, offset):
            parameter -= 0.1 * parameter.grad
            parameter.grad.zero_()  # or the next backward() would add to it
