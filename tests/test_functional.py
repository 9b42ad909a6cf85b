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


# ---- every option with every kind of function

FUNCTIONS = {
    "curved": (lambda t: lambda x: x**2, 1),
    "one number": (lambda t: lambda x: (x**2).sum(), 1),
    "two outputs": (lambda t: lambda a, b: (a * b, a.sum()), 2),
    "two inputs": (lambda t: lambda a, b: (a * b).sum() ** 2, 2),
    "constant": (lambda t: lambda x: t.ones(2), 1),
    "linear": (lambda t: lambda x: (2 * x).sum(), 1),
    "an unused input": (lambda t: lambda a, b: (a**2).sum(), 2),
}
FLAGS = [(create, strict) for create in (False, True) for strict in (False, True)]
# PyTorch's results with a graph that leads nowhere require a gradient; the words differ where both refuse.
PRODUCTS = ["vjp", "jvp", "vhp", "hvp"]


def arguments(t, name, create_graph):
    make, count = FUNCTIONS[name]
    x = t.tensor([1.0, 2.0], requires_grad=create_graph)
    return make(t), (x if count == 1 else (x, t.tensor([3.0, 4.0]))), count


def detached(tree):
    return tuple(map(detached, tree)) if isinstance(tree, (list, tuple)) else tree.detach()


@pytest.mark.parametrize("name", FUNCTIONS)
@pytest.mark.parametrize("product", PRODUCTS)
def test_products_of_every_kind(name, product):
    def program(t, create_graph, strict):
        f, inputs, count = arguments(t, name, create_graph)
        like = f(*inputs) if count > 1 else f(inputs)
        like = like if product == "vjp" else inputs
        v = tuple(map(t.ones_like, like)) if isinstance(like, tuple) else t.ones_like(like)
        function = getattr(t.autograd.functional, product)
        return detached(function(f, inputs, v, create_graph=create_graph, strict=strict))

    for flags in FLAGS:
        agree(lambda t, flags=flags: program(t, *flags), words=4)


@pytest.mark.parametrize("name", FUNCTIONS)
@pytest.mark.parametrize("strategy", ["reverse-mode", "forward-mode"])
@pytest.mark.parametrize("matrix", ["jacobian", "hessian"])
def test_matrices_of_every_kind(name, strategy, matrix):
    option = "strategy" if matrix == "jacobian" else "outer_jacobian_strategy"

    def program(t, create_graph, strict, vectorize):
        f, inputs, _ = arguments(t, name, create_graph)
        options = {"create_graph": create_graph, "strict": strict, "vectorize": vectorize, option: strategy}
        return detached(getattr(t.autograd.functional, matrix)(f, inputs, **options))

    for flags in FLAGS:
        for vectorize in (False, True):
            words = 0 if (name, matrix) == ("an unused input", "hessian") else 4
            agree(lambda t, flags=flags, v=vectorize: program(t, *flags, v), words=words)


@pytest.mark.parametrize("function", [*PRODUCTS, "jacobian", "hessian"])
def test_inputs_that_cannot_be_differentiated(function):
    def program(t, inputs):
        v = () if function in ("jacobian", "hessian") else (t.ones(2),)
        return getattr(t.autograd.functional, function)(lambda *x: x[0].sum(), inputs(t), *v)

    agree(lambda t: program(t, lambda t: [t.ones(2), t.ones(2)]), words=4)
    agree(lambda t: program(t, lambda t: t.arange(2)), words=5)
