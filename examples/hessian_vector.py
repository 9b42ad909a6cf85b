"""Hessian-vector products in four ways, and what they are good for: the largest curvature, Newton's method."""

import chainrule as torch  # `import torch` runs the same
from chainrule.func import grad, hessian, jvp


def rosenbrock(x):
    """A valley that bends; the least value, 0, is where all coordinates are 1."""
    return (100 * (x[1:] - x[:-1] ** 2) ** 2 + (1 - x[:-1]) ** 2).sum()


torch.manual_seed(0)
x, v = torch.randn(6, dtype=torch.float64), torch.randn(6, dtype=torch.float64)

# The Hessian times a vector needs no Hessian: it is the derivative of the gradient in the vector's direction.
leaf = x.clone().requires_grad_()
(gradient,) = torch.autograd.grad(rosenbrock(leaf), leaf, create_graph=True)
(twice_backward,) = torch.autograd.grad(gradient, leaf, v)
forward_over_backward = jvp(grad(rosenbrock), (x,), (v,))[1]
packaged = torch.autograd.functional.hvp(rosenbrock, x, v)[1]
in_full = hessian(rosenbrock)(x) @ v
for name, product in {
    "backward twice": twice_backward,
    "forward over backward": forward_over_backward,
    "autograd.functional.hvp": packaged,
}.items():
    print(f"{name:24} agrees with the full matrix: {torch.allclose(product, in_full)}")

# Power iteration: multiplying again and again turns any vector towards the largest eigenvalue.
direction = v
for _ in range(100):
    product = jvp(grad(rosenbrock), (x,), (direction,))[1]
    direction = product / product.norm()
curvature = direction @ jvp(grad(rosenbrock), (x,), (direction,))[1]
largest = torch.linalg.eigvalsh(hessian(rosenbrock)(x)).abs().max()
print(f"largest curvature {curvature.item():.4f} by products, {largest.item():.4f} from the matrix")


def newton_step(point, slope, products=50):
    """Solves (Hessian) step = -slope by conjugate gradients, which only multiplies; stops where it curves down."""
    step, rest = torch.zeros_like(slope), -slope
    search = rest
    for _ in range(products):
        product = jvp(grad(rosenbrock), (point,), (search,))[1]
        bend = search @ product
        if bend <= 0:
            return step if step.any() else rest
        length = (rest @ rest) / bend
        step, left = step + length * search, rest - length * product
        if left.norm() < 1e-10 * slope.norm():
            break
        search, rest = left + (left @ left) / (rest @ rest) * search, left
    return step


point, iterations = x, 0
while (slope := grad(rosenbrock)(point)).norm() > 1e-8:
    step, size = newton_step(point, slope), 1.0
    while rosenbrock(point + size * step) > rosenbrock(point) + 1e-4 * size * (slope @ step):
        size /= 2
    point, iterations = point + size * step, iterations + 1
print(f"Newton's method: value {rosenbrock(point).item():.1e} after {iterations} steps at {point.tolist()}")
