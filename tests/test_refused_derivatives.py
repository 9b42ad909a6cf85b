"""Derivatives that PyTorch refuses, and those that look as if they might be: the same node, the same error."""

from __future__ import annotations

import pytest

import chainrule
from both import agree

FLOOR = {
    "function": lambda t, x: t.floor_divide(x, 2),
    "operator": lambda t, x: x // t.full((3,), 2.0),
    "reversed": lambda t, x: 2 // x,
    "second": lambda t, x: t.ones(3) // x,
    "in place": lambda t, x: (x * 1).floor_divide_(2),
    "in place, second": lambda t, x: t.ones(3).floor_divide_(x),
}
HYPERBOLIC = {name: lambda t, x, name=name: getattr(x * 0.5 + 0.1, name)() for name in ("acosh_", "asinh_", "atanh_")}


@pytest.mark.parametrize("make", [*FLOOR.values(), *HYPERBOLIC.values()], ids=[*FLOOR, *HYPERBOLIC])
def test_raises_when_a_gradient_arrives(make):
    def program(t):
        x = t.tensor([0.5, 1.5, 2.5], requires_grad=True)
        return make(t, x).sum().backward()

    agree(program, words=4)


@pytest.mark.parametrize("make", [*FLOOR.values(), *HYPERBOLIC.values()], ids=[*FLOOR, *HYPERBOLIC])
def test_the_value_and_its_node(make):
    def program(t):
        x = t.tensor([0.5, 1.5, 2.5], requires_grad=True)
        y = make(t, x)
        names = [type(node).__name__ for node, _ in y.grad_fn.next_functions if node is not None]
        return y, type(y.grad_fn).__name__, names

    agree(program)


@pytest.mark.parametrize("name", ["acosh", "asinh", "atanh"])
def test_the_plain_form_has_a_derivative(name):
    agree(
        lambda t: t.autograd.grad(
            getattr(x := t.full((2,), 1.5 if name == "acosh" else 0.5, requires_grad=True), name)().sum(), x
        )
    )


def test_floor_divide_has_no_tangent():
    def program(t):
        with t.autograd.forward_ad.dual_level():
            return t.autograd.forward_ad.make_dual(t.ones(2), t.ones(2)) // 2

    agree(program, words=4)


def test_a_written_leaf_is_refused_first():
    agree(lambda t: t.ones(2, requires_grad=True).floor_divide_(2), words=5)
    agree(lambda t: t.ones(2, requires_grad=True).acosh_(), words=5)


def test_integers_have_no_history():
    x = chainrule.tensor([4, 6])
    assert (x // 4).tolist() == [1, 1]
    assert not (x // 4).requires_grad


def test_nextafter_passes_its_gradient():
    def program(t):
        a = t.tensor([1.0, 1.0, 1.0, float("nan"), 0.0], dtype=t.float64, requires_grad=True)
        b = t.tensor([2.0, 1.0, 0.0, 1.0, 0.0], dtype=t.float64, requires_grad=True)
        y = t.nextafter(a, b)
        return t.autograd.grad(y, (a, b), t.arange(5.0, dtype=t.float64)), y.grad_fn.name()

    agree(program)


@pytest.mark.parametrize("name", ["igamma", "igammac", "special.zeta"])
@pytest.mark.parametrize("which", [0, 1])
def test_no_derivative_by_the_first_input(name, which):
    def program(t, forward):
        f = t
        for part in name.split("."):
            f = getattr(f, part)
        inputs = [t.tensor(2.0), t.tensor(3.0)]
        if not forward:
            inputs[which].requires_grad_()
            return t.autograd.grad(f(*inputs), inputs[which])
        with t.autograd.forward_ad.dual_level():
            inputs[which] = t.autograd.forward_ad.make_dual(inputs[which], t.tensor(1.0))
            return f(*inputs)

    agree(lambda t: program(t, False), words=6)
    if which == 0:  # by the second, chainrule has forward mode too
        agree(lambda t: program(t, True), words=8)


def test_heaviside():
    def program(t):
        x = t.ones(2, requires_grad=True)
        return t.heaviside(x, x).sum().backward()

    agree(program, words=5)


@pytest.mark.parametrize("name", ["leaky_relu_", "elu_", "celu_", "rrelu_"])
@pytest.mark.parametrize("slope", [-2.0, 0.5, 2.0])
def test_negative_slopes_in_place(name, slope):
    def program(torch):
        x = torch.tensor([-1.0, 1.0], requires_grad=True)
        arguments = (slope - 0.5, slope + 0.5) if name == "rrelu_" else (slope,)
        getattr(torch.nn.functional, name)(x.clone(), *arguments).sum().backward()
        return x.grad

    agree(program, words=8)
