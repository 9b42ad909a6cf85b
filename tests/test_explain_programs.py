"""Programs of many kinds are explained in every form, and the gradients are those of backward()."""

import json

import pytest

import chainrule as torch
from both import no_leaks  # noqa: F401
from chainrule import nn
from chainrule.utils.checkpoint import checkpoint

pytestmark = pytest.mark.usefixtures("no_leaks")


def leaf(*shape, dtype=torch.float32):
    return torch.randn(shape, dtype=dtype, requires_grad=True)


class Square(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * x

    @staticmethod
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        return 2 * x * g


def own_function():
    x = leaf(3)
    return Square.apply(x).sum(), [x]


def several_outputs():
    x = leaf(3, 4)
    a, b, _ = x.unbind(0)
    return x.max(1)[0].sum() + (a * b).sum() + x.split(2, 1)[1].exp().sum(), [x]


def writes_in_place():
    x = leaf(4)
    y = x.clone()
    y[1:3].mul_(10)
    y[0] = 5.0
    y += x
    return y.sum(), [x]


def a_hook():
    x = leaf(4)
    y = x * 2
    y.register_hook(lambda g: g * 3)
    return y.sum(), [x]


def complex_numbers():
    z = leaf(3, dtype=torch.complex64)
    return (z * z.conj()).real.sum(), [z]


def half_precision():
    x = leaf(3, dtype=torch.bfloat16)
    return (x.float() * 2 + x).sum(), [x]


def convolutions():
    net = nn.Sequential(
        nn.Conv2d(1, 4, 3), nn.BatchNorm2d(4), nn.ReLU(), nn.MaxPool2d(2), nn.Flatten(), nn.Linear(36, 3)
    )
    return nn.functional.cross_entropy(net(torch.randn(2, 1, 8, 8)), torch.tensor([0, 1])), list(net.parameters())


def recurrence():
    net = nn.LSTM(3, 4, 2)
    outputs, (hidden, _) = net(torch.randn(5, 2, 3))
    return outputs.sum() + hidden.sum(), list(net.parameters())


def attention():
    net = nn.TransformerEncoderLayer(8, 2, 16, dropout=0.0)
    return net(torch.randn(4, 2, 8)).square().mean(), list(net.parameters())


def second_order():
    x = leaf(3)
    (g,) = torch.autograd.grad((x**3).sum(), x, create_graph=True)
    return g.sum(), [x]


def checkpointing():
    x = leaf(3)
    return checkpoint(lambda t: t.exp().sin(), x, use_reentrant=False).sum(), [x]


def indexing():
    x, i = leaf(5), torch.tensor([0, 2, 2])
    return (x[i] * x.gather(0, i)).sum() + torch.cat([x, x]).square().sum(), [x]


def norms():
    x = leaf(3, 4)
    return nn.functional.layer_norm(x, (4,)).std() + x.norm() + x.logsumexp(0).sum() + x.softmax(1).log().sum(), [x]


def many_operators():
    x = leaf()
    y = 1 / x + 2**x - x / 3 + (-x).exp() + x % 2 + abs(x) + x.clamp(-1, 1) + torch.lerp(x, x * 2, 0.3)
    return y + nn.functional.gelu(x) + nn.functional.elu(x) + nn.functional.softplus(x) + torch.where(
        x > 0, x, x * 0.1
    ), [x]


def no_elements():
    x = leaf(0, 3)
    return x.sum() * 2, [x]


PROGRAMS = [
    *(own_function, several_outputs, writes_in_place, a_hook, complex_numbers, half_precision, convolutions),
    *(recurrence, attention, second_order, checkpointing, indexing, norms, many_operators, no_elements),
]


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.__name__)
def test_explained_in_every_form(program):
    torch.manual_seed(0)
    loss, inputs = program()
    e = torch.explain(loss)
    found = [e.gradient(x) for x in inputs]
    json.loads(e.to_json(), parse_constant=pytest.fail)
    for form in (e.text, e.to_html, e.to_svg, e.to_dot, e._repr_html_):
        assert "loss" in form()
    e.routes(inputs[0])
    if inputs[0].numel():
        str(torch.explain(loss, wrt=inputs[0], index=(0,) * inputs[0].ndim))
    loss.backward()
    for x, g in zip(inputs, found, strict=True):
        assert torch.allclose(x.grad, g, rtol=1e-4, atol=1e-5)
    again = torch.explain(loss)  # what can still be calculated is right
    for x in inputs:
        g = again.gradient(x)
        assert g is None or torch.allclose(x.grad, g, rtol=1e-3, atol=1e-4)


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.__name__)
def test_nan_guard_finds_nothing_in_it(program):
    torch.manual_seed(0)
    with torch.nan_guard() as guard:
        loss, _ = program()
        loss.backward()
    assert guard.seen == []
