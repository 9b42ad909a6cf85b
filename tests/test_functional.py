"""autograd.functional: Jacobians, Hessians and products with them, against PyTorch."""

import pytest

import chainrule.func  # noqa: F401  (so that no test is the first to import it)
from both import agree, no_leaks  # noqa: F401

pytestmark = pytest.mark.usefixtures("no_leaks")


def x3(library):
    return library.tensor([0.2, 0.7, 1.3], dtype=library.float64)


def both(x, y):
    return x * y, (x * x).sum()


PROGRAMS = {
    "jacobian": lambda t, f: f.jacobian(lambda x: x.exp() * x.sum(), x3(t)),
    "jacobian of several": lambda t, f: f.jacobian(both, (x3(t), x3(t))),
    "jacobian, forward": lambda t, f: f.jacobian(both, (x3(t), x3(t)), vectorize=True, strategy="forward-mode"),
    "jacobian, vectorized": lambda t, f: f.jacobian(both, (x3(t), x3(t)), vectorize=True),
    "jacobian, strict": lambda t, f: f.jacobian(lambda x, y: x * 2, (x3(t), x3(t)), strict=True),
    "jacobian, constant, strict": lambda t, f: f.jacobian(lambda x: t.ones(2), x3(t), strict=True),
    "jacobian, constant": lambda t, f: f.jacobian(lambda x: t.ones(2, dtype=t.float64), x3(t)),
    "jacobian with a graph": lambda t, f: f.jacobian(lambda x: x**3, x3(t).requires_grad_(), create_graph=True),
    "strategy": lambda t, f: f.jacobian(lambda x: x, x3(t), strategy="sideways"),
    "forward, not vectorized": lambda t, f: f.jacobian(lambda x: x, x3(t), strategy="forward-mode"),
    "forward with a graph": lambda t, f: f.jacobian(
        lambda x: x, x3(t), strategy="forward-mode", create_graph=True, vectorize=True
    ),
    "strict, vectorized": lambda t, f: f.jacobian(lambda x: x, x3(t), strict=True, vectorize=True),
    "input is no tensor": lambda t, f: f.jacobian(lambda x: x, 3.0),
    "output is no tensor": lambda t, f: f.jacobian(lambda x: 3.0, x3(t)),
    "hessian": lambda t, f: f.hessian(lambda x: (x**3).sum() * x[0], x3(t)),
    "hessian of several": lambda t, f: f.hessian(lambda x, y: (x * x * y).sum(), (x3(t), x3(t))),
    "hessian, vectorized": lambda t, f: f.hessian(lambda x: (x**3).sum(), x3(t), vectorize=True),
    "hessian, forward": lambda t, f: f.hessian(
        lambda x: (x**3).sum() * x[1], x3(t), vectorize=True, outer_jacobian_strategy="forward-mode"
    ).detach(),
    "hessian of a vector": lambda t, f: f.hessian(lambda x: x * x, x3(t)),
    "hessian, linear": lambda t, f: f.hessian(lambda x: x.sum(), x3(t)),
    "hessian, linear, strict": lambda t, f: f.hessian(lambda x: x.sum(), x3(t), strict=True),
    "vjp": lambda t, f: f.vjp(lambda x: x.exp(), x3(t), x3(t)),
    "vjp of several": lambda t, f: f.vjp(both, (x3(t), x3(t)), (x3(t), t.tensor(2.0, dtype=t.float64))),
    "vjp of a number": lambda t, f: f.vjp(lambda x: x.sum(), x3(t)),
    "vjp without v": lambda t, f: f.vjp(lambda x: x.exp(), x3(t)),
    "vjp, shape of v": lambda t, f: f.vjp(lambda x: x.exp(), x3(t), x3(t)[:2]),
    "vjp, strict": lambda t, f: f.vjp(lambda x, y: x, (x3(t), x3(t)), x3(t), strict=True),
    "vjp with a graph": lambda t, f: f.vjp(lambda x: x**3, x3(t).requires_grad_(), x3(t), create_graph=True),
    "jvp": lambda t, f: f.jvp(lambda x: x.exp() * x.sum(), x3(t), x3(t)),
    "jvp of several": lambda t, f: f.jvp(both, (x3(t), x3(t)), (x3(t), x3(t))),
    "jvp without v": lambda t, f: f.jvp(lambda x: x.exp(), x3(t)),
    "jvp of a number": lambda t, f: f.jvp(lambda x: x.exp(), x3(t)[:1]),
    "jvp with a graph": lambda t, f: f.jvp(lambda x: x**3, x3(t).requires_grad_(), x3(t), create_graph=True),
    "vhp": lambda t, f: f.vhp(lambda x: (x**3).sum() * x[0], x3(t), x3(t)),
    "vhp of several": lambda t, f: f.vhp(lambda x, y: (x * x * y).sum(), (x3(t), x3(t)), (x3(t), x3(t))),
    "hvp": lambda t, f: f.hvp(lambda x: (x**3).sum() * x[0], x3(t), x3(t)),
    "hvp of several": lambda t, f: f.hvp(lambda x, y: (x * x * y).sum(), (x3(t), x3(t)), (x3(t), x3(t))),
    "hvp of a vector": lambda t, f: f.hvp(lambda x: x * x, x3(t), x3(t)),
    "hvp with a graph": lambda t, f: f.hvp(lambda x: (x**4).sum(), x3(t).requires_grad_(), x3(t), create_graph=True),
}


@pytest.mark.parametrize("case", PROGRAMS)
def test_against_pytorch(case):
    agree(lambda library: PROGRAMS[case](library, library.autograd.functional), words=3)


def test_products_can_be_differentiated():
    def program(library):
        x = x3(library).requires_grad_()
        f = library.autograd.functional
        results = [
            f.vjp(lambda x: x**3, x, x3(library), create_graph=True)[1],
            f.jvp(lambda x: x**3, x, x3(library), create_graph=True)[1],
            f.hvp(lambda x: (x**4).sum(), x, x3(library), create_graph=True)[1],
            f.jacobian(lambda x: x**3, x, create_graph=True),
        ]
        return [library.autograd.grad(r.sum(), x) for r in results]

    agree(program)
