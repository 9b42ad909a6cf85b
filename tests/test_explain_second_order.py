"""explain() of gradients of gradients: the numbers multiply out and sum up, and the labels are true."""

import pytest

import chainrule
import chainrule.func
from both import no_leaks  # noqa: F401
from chainrule import nn

pytestmark = pytest.mark.usefixtures("no_leaks")


def leaf(value):
    return chainrule.tensor(value, dtype=chainrule.float64, requires_grad=True)


def slope(result, x):
    return chainrule.autograd.grad(result, x, create_graph=True)[0]


class Cube(chainrule.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * x * x

    @staticmethod
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        return g * 3 * x * x


def polynomial(x):
    y = x * x
    return slope((y * y).sum(), x).sum()


def gradient_penalty(x):
    weight = chainrule.linspace(-1, 1, 12, dtype=chainrule.float64).reshape(4, 3)
    loss = (x @ weight).tanh().logsumexp(0).square().sum()
    return slope(loss, x).norm()


def third_order(x):
    return slope(slope((x.exp() * x.sin()).sum(), x).sum(), x).sum()


def own_function(x):
    return (slope(Cube.apply(x).sum(), x) * x).sum()


def filled_grad(x):
    (x.exp() * x).sum().backward(create_graph=True)
    result = (x.grad**2).sum()
    x.grad = None
    return result


def transformed(x):
    return chainrule.func.grad(lambda v: (v.sigmoid() * v**3).sum())(x).sum()


def normalised(x):
    y = nn.functional.layer_norm(x, (4,))
    return slope((y.softmax(0) * x).sum(), x).square().mean()


PROGRAMS = [polynomial, gradient_penalty, third_order, own_function, filled_grad, transformed, normalised]


def numerical_slope(program, x):
    found = []
    for i in range(x.numel()):
        ends = []
        for step in (1e-5, -1e-5):
            moved = x.detach().clone()
            moved[i] += step
            ends.append(program(moved.requires_grad_()).item())
        found.append((ends[0] - ends[1]) / 2e-5)
    return chainrule.tensor(found, dtype=chainrule.float64)


@pytest.mark.parametrize("program", PROGRAMS)
def test_the_numbers_multiply_out_and_sum_to_the_gradient(program):
    x = leaf([0.7, -0.4, 1.3, 0.2])
    result = program(x)
    e = chainrule.explain(result)
    for arrival in e.backward:
        if arrival.parts:
            assert chainrule.allclose(sum(g for _, g in arrival.parts), arrival.gradient)
        for sending in arrival.sendings:
            if sending.local is not None:
                product = (sending.upstream * sending.local).sum_to_size(sending.contribution.shape)
                assert chainrule.allclose(product, sending.contribution), sending.text
    routes = e.routes(x)
    assert chainrule.allclose(sum(r.contribution for r in routes), e.gradient(x))
    assert abs(sum(r.share for r in routes) - 1) < 1e-9
    assert chainrule.allclose(e.gradient(x), chainrule.autograd.grad(result, x)[0])
    assert chainrule.allclose(e.gradient(x), numerical_slope(program, x), rtol=1e-5, atol=1e-7)


def test_steps_of_a_backward_pass_are_called_derivatives():
    x = leaf(3.0)
    y = x * x
    q = y * y
    gx = slope(q, x)
    e = chainrule.explain(gx)
    assert [(n.label, n.order) for n in e.graph] == [
        ("x", 0),
        ("y", 0),
        ("mul in derivative of y * y", 1),
        ("mul in derivative of y * y", 1),
        ("derivative of y * y", 1),
        ("mul in derivative of x * x", 1),
        ("mul in derivative of x * x", 1),
        ("gx", 1),
    ]
    assert "q = y * y  " not in str(e).partition("Backward")[0].replace("  q = y * y\n", "")
    gxx = slope(gx, x)
    assert {n.label for n in chainrule.explain(gxx).graph if n.order == 2} == {
        "mul in second derivative of y * y",
        "second derivative of y * y",
        "mul in second derivative of x * x",
        "second derivative of x * x",
    }


def test_a_grad_that_has_a_graph_is_called_by_its_name():
    w = leaf([1.0, 2.0])
    (w.exp() * w).sum().backward(create_graph=True)
    penalty = w.grad.square().sum()
    assert "w.grad" in [n.label for n in chainrule.explain(penalty).graph]
    w.grad = None  # it leads to w, and w to it


def test_what_a_transform_differentiates_by_is_its_argument():
    x = leaf(2.0)
    slope_of_sine = chainrule.func.grad(chainrule.sin)
    text = str(chainrule.explain(slope_of_sine(x)))
    assert "argument of slope_of_sine(x)" in text
    assert "d (derivative of slope_of_sine(x)) / d x = -0.909297" in text


def test_own_gradient_functions_keep_their_own_lines():
    x = leaf(2.0)
    gx = slope(Cube.apply(x), x)
    nodes = [n for n in chainrule.explain(gx).graph if not n.is_leaf]
    assert {n.line.text for n in nodes} == {"return g * 3 * x * x"}
    assert {n.order for n in nodes} == {0}


@pytest.mark.parametrize("step", [1e-6, 0.1])
def test_a_leaf_that_was_written_since_is_known_however_small_the_step(step):
    w = leaf([1.0, 2.0])
    loss = (w * w).sum()
    loss.backward()
    assert chainrule.explain(loss).values.changed == []
    chainrule.optim.SGD([w], lr=step).step()
    assert [n.label for n in chainrule.explain(loss).values.changed] == ["w"]
    again = (w * w).sum()
    assert chainrule.explain(again).values.changed == []
