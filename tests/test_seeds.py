"""The programs that chainrule grew from give PyTorch's numbers, or PyTorch's error where PyTorch refuses them."""

import pytest

import chainrule
from both import agree, no_leaks  # noqa: F401

pytestmark = pytest.mark.usefixtures("no_leaks")


def linear_regression(torch):
    x = torch.tensor([[1.0], [2.0], [3.0]], requires_grad=True)
    y = torch.tensor([[2.0], [4.0], [5.0]])
    w = torch.randn(1, requires_grad=True)
    b = torch.randn(1, requires_grad=True)
    y_pred = w * x + b
    loss = torch.mean((y_pred - y) ** 2)
    loss.backward()
    return w, b, loss, w.grad, b.grad, x.grad


def function_of_ones_own(torch):
    def my_custom_function(x):
        return torch.exp(x) * torch.sin(x)

    x = torch.tensor(2.0, requires_grad=True)
    my_custom_function(x).backward()
    return x.grad


def scalar_chain(torch):
    x = torch.tensor(2.0, requires_grad=True)
    y = x**2
    z = 2 * y + 1
    z.backward()
    return z, x.grad


def sum_of_squares(torch):
    x = torch.tensor([2.0, 3.0], requires_grad=True)
    y = x**2
    z = torch.sum(y)
    z.backward()
    return z, x.grad


def matrix_product(torch):
    a = torch.tensor([[1.0, 2.0], [3.0, 4.0]], requires_grad=True)
    b = torch.tensor([[5.0, 6.0], [7.0, 8.0]])
    c = torch.mm(a, b)
    loss = torch.sum(c)
    loss.backward()
    return c, loss, a.grad


def custom_loss(torch):
    x = torch.randn(2, requires_grad=True)
    weights = torch.randn(2, requires_grad=True)

    def loss_of(x, weights):
        return torch.sum(weights * x**2)

    loss = loss_of(x, weights)
    loss.backward()
    return x, weights, loss, x.grad, weights.grad


def polynomial(torch):
    x = torch.tensor(2.0, requires_grad=True)
    y = 2 * x**2 + 3
    y.backward()
    return y, x.grad


def linear_layer(torch):
    weight = torch.tensor([[1.0, 2.0], [3.0, 4.0]], requires_grad=True)
    bias = torch.tensor([0.5, 1.0], requires_grad=True)
    x = torch.tensor([[1.0, 0.5], [0.2, 0.8]])
    y = torch.matmul(x, weight) + bias
    loss = torch.sum(y**2)
    loss.backward()
    return y, loss, weight.grad, bias.grad


def zeroed_between_two_passes(torch):
    x = torch.tensor(3.0, requires_grad=True)
    y = x**2
    y.backward()
    first = x.grad.clone()
    x.grad.zero_()
    y = x**3
    y.backward()
    return first, x.grad


def accumulated_over_two_passes(torch):
    x = torch.tensor(3.0, requires_grad=True)
    (x**2).backward()
    (x**3).backward()
    return x.grad


def detached_and_branched(torch):
    x = torch.tensor([0.5, -1.5, 2.0], requires_grad=True)
    total = torch.tensor(0.0)
    for i in range(3):
        total = total + (torch.exp(x[i]) if x[i] > 0 else x[i].pow(2) * x.detach().sum())
    while total < 40:
        total = total * 2
    total.backward()
    return total, x.grad


PROGRAMS = [
    linear_regression,
    function_of_ones_own,
    scalar_chain,
    sum_of_squares,
    matrix_product,
    custom_loss,
    polynomial,
    linear_layer,
    zeroed_between_two_passes,
    accumulated_over_two_passes,
    detached_and_branched,
]


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.__name__)
def test_numbers_are_pytorchs(program):
    agree(program)


def test_the_commented_outputs():
    assert repr(scalar_chain(chainrule)[1]) == "tensor(8.)"
    assert repr(sum_of_squares(chainrule)[1]) == "tensor([4., 6.])"
    # The text says [[20., 28.], [20., 28.]], which is wrong: each row is the sum over B's columns, as PyTorch answers.
    assert repr(matrix_product(chainrule)[2]) == "tensor([[11., 15.],\n        [11., 15.]])"
    assert repr(polynomial(chainrule)[1]) == "tensor(8.)"
    first, second = zeroed_between_two_passes(chainrule)
    assert (repr(first), repr(second)) == ("tensor(6.)", "tensor(27.)")


def several_outputs_into_one(torch):
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    a = x.pow(2)
    b = torch.sin(x)
    loss = a + b
    loss.backward()


def vector_of_products(torch):
    x = torch.randn(3, requires_grad=True)
    y = torch.randn(3, requires_grad=True)
    z = x * y + torch.sum(x)
    z.backward()


@pytest.mark.parametrize(
    ("program", "shape", "made_by", "called_by"),
    [
        (several_outputs_into_one, "[2]", (4, "loss = a + b"), (5, "loss.backward()")),
        (vector_of_products, "[3]", (3, "z = x * y + torch.sum(x)"), (4, "z.backward()")),
    ],
)
def test_backward_on_a_vector_explains_itself(program, shape, made_by, called_by):
    agree(program, words=8)
    with pytest.raises(RuntimeError) as caught:
        program(chainrule)
    text = str(caught.value)
    assert text.startswith("grad can be implicitly created only for scalar outputs")
    assert f"shape {shape}" in text
    for below, line in (made_by, called_by):
        assert f"test_seeds.py:{program.__code__.co_firstlineno + below}, in {program.__name__}: {line}" in text
    for way_out in (".sum()", ".mean()", "backward(gradient=", "jacobian"):
        assert way_out in text


def test_the_ways_out_of_the_vector_error_work():
    def ways(torch):
        x = torch.tensor([1.0, 2.0], requires_grad=True)
        results = []
        for finish in (
            lambda y: y.sum().backward(),
            lambda y: y.mean().backward(),
            lambda y: y.backward(gradient=torch.tensor([1.0, 10.0])),
        ):
            x.grad = None
            finish(x.pow(2) + torch.sin(x))
            results.append(x.grad)
        return results

    agree(ways)
