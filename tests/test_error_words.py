"""Errors name the culprit: the variable, the loop, the module, and the change that mends it."""

import re

import pytest

import chainrule as torch
from chainrule import nn
from chainrule.error_words import retold


def message(program, *args) -> str:
    """What the error of a program says. Python puts in the names if the core did not."""
    with pytest.raises((RuntimeError, ValueError, IndexError, TypeError)) as caught:
        program(*args)
    return retold(str(caught.value), caught.value.__traceback__)


def line_of(program, mark: str) -> int:
    """The number of the line of a function that ends with a mark."""
    import inspect

    lines, first = inspect.getsourcelines(program)
    return first + next(i for i, line in enumerate(lines) if line.rstrip().endswith(f"# {mark}"))


# ---- a value was overwritten


def added_in_place():
    x = torch.ones(3, requires_grad=True)
    hidden = torch.exp(x)
    hidden += 1  # write
    torch.autograd.backward(hidden.sum())


def assigned_in_place():
    x = torch.ones(3, requires_grad=True)
    a = x * 2
    b = a**2
    a[0] = 5.0  # write
    b.sum().backward()
    return a, b


def method_in_place():
    x = torch.ones(3, requires_grad=True)
    h = torch.sigmoid(x)
    y = h.mul_(2)  # write
    torch.autograd.backward(y.sum())


def stepped_too_early():
    net = nn.Sequential(nn.Linear(3, 4), nn.ReLU(), nn.Linear(4, 1))
    optimiser = torch.optim.SGD(net.parameters(), lr=0.1)
    x = torch.ones(5, 3)
    first, second = net(x).sum(), net(x).pow(2).sum()
    first.backward(retain_graph=True)
    optimiser.step()  # write
    second.backward()


def relu_in_place():
    net = nn.Sequential(nn.Linear(3, 4), nn.Sigmoid(), nn.ReLU(inplace=True))
    torch.autograd.backward(net(torch.ones(2, 3)).sum())


@pytest.mark.parametrize(
    ("program", "name", "cure"),
    [
        (added_in_place, "hidden", "write hidden = hidden + 1 on line {line}"),
        (assigned_in_place, "a", "a = a.clone() before the assignment on line {line}"),
        (method_in_place, "h", "use h.mul(2), without the underscore, on line {line}"),
        (stepped_too_early, "net.2.weight", "call backward() before line {line} (optimiser.step())"),
    ],
)
def test_the_overwritten_variable_and_the_smallest_change(program, name, cure):
    text = message(program)
    assert text.startswith("one of the variables needed for gradient computation has been modified by an inplace")
    assert f"\n  The variable: {name}\n" in text
    assert cure.format(line=line_of(program, "write")) in text


def test_a_module_that_writes_in_place_is_named():
    assert "leave inplace=True out in net.2" in message(relu_in_place)


# ---- a second backward pass


def made_before_the_loop():
    w = torch.ones(3, requires_grad=True)
    shared = torch.exp(w)  # made
    for step in range(3):  # loop
        loss = (shared * step).sum()
        loss.backward()


def made_by_a_module_before_the_loop():
    net = nn.Sequential(nn.Linear(3, 3), nn.Tanh())
    features = net(torch.ones(2, 3))  # made
    for step in range(3):  # loop
        loss = (features * step).sum()
        loss.backward()


def carried_by_the_loop():
    cell = nn.RNNCell(3, 4)
    hidden = torch.zeros(1, 4)
    for _ in range(3):  # loop
        hidden = cell(torch.ones(1, 3), hidden)  # made
        loss = hidden.pow(2).sum()
        loss.backward()


def the_same_loss():
    x = torch.ones(3, requires_grad=True)
    loss = (x**2).sum()
    loss.backward()  # first
    loss.backward()


def two_losses():
    w = torch.ones(3, requires_grad=True)
    h = torch.sigmoid(w)
    one, two = h.sum(), (h * 2).sum()
    one.backward()  # first
    two.backward()


@pytest.mark.parametrize(
    ("program", "name"), [(made_before_the_loop, "shared"), (made_by_a_module_before_the_loop, "features")]
)
def test_what_was_made_before_the_loop(program, name):
    text = message(program)
    assert text.startswith("Trying to backward through the graph a second time")
    assert f"{name} is made before the loop of line {line_of(program, 'loop')} (for step in range(3):" in text
    assert f"move line {line_of(program, 'made')} into the loop, or use {name}.detach()" in text


def test_what_a_loop_carries_on():
    text = message(carried_by_the_loop)
    assert f"hidden comes from an earlier turn of the loop of line {line_of(carried_by_the_loop, 'loop')}" in text
    assert "hidden = hidden.detach()" in text


def test_two_passes_without_a_loop():
    text = message(the_same_loss)
    assert f"was here: line {line_of(the_same_loss, 'first')}: loss.backward()" in text
    assert "loss.backward(retain_graph=True)" in text
    text = message(two_losses)
    assert "h is used by one and by two" in text
    assert "(one + two).backward() once" in text


# ---- no graph


def detached():
    net = nn.Linear(3, 1)
    out = net(torch.ones(2, 3)).detach()  # cut
    loss = out.sum()
    loss.backward()


def read_out():
    net = nn.Linear(3, 1)
    losses = []
    for _ in range(2):
        losses.append(net(torch.ones(2, 3)).mean().item())  # cut
    loss = torch.tensor(losses).mean()
    loss.backward()


def without_recording():
    net = nn.Linear(3, 1)
    with torch.no_grad():
        out = net(torch.ones(2, 3))  # cut
    loss = out.sum()
    loss.backward()


def accuracy():
    net = nn.Linear(3, 5)
    loss = (net(torch.ones(2, 3)).argmax(1) == 1).float().mean()  # cut
    loss.backward()


def frozen():
    net = nn.Linear(3, 1)
    for p in net.parameters():
        p.requires_grad_(False)  # cut
    loss = net(torch.ones(2, 3)).sum()
    loss.backward()


@pytest.mark.parametrize(
    ("program", "words"),
    [
        (detached, "left the graph through detach()"),
        (read_out, "was read out of the graph by item()"),
        (without_recording, "was calculated under no_grad()"),
        (accuracy, "went through argmax(), which has no gradient"),
        (frozen, "calculated by net, whose parameters are all frozen"),
    ],
)
def test_where_the_graph_was_cut(program, words):
    text = message(program)
    assert text.startswith("element 0 of tensors does not require grad and does not have a grad_fn\n  loss: ")
    assert words in text
    assert f"here: {__file__}:{line_of(program, 'cut')}, in {program.__name__}" in text


# ---- leaves, scalars, unused inputs


def leaf_updated():
    weight = torch.ones(3, requires_grad=True)
    weight -= 0.1 * torch.ones(3)


def leaf_assigned():
    weight = torch.ones(3, requires_grad=True)
    weight[0] = 2.0


def test_a_leaf_is_named_with_the_statement_to_write():
    text = message(leaf_updated)
    assert text.startswith("a leaf Variable that requires grad is being used in an in-place operation.")
    assert "The leaf: weight" in text
    assert "with torch.no_grad(): weight -= 0.1 * torch.ones(3)" in text
    assert "weight = weight - 0.1 * torch.ones(3) makes a new tensor" in text
    assert "weight = weight.clone() first" in message(leaf_assigned)


def test_a_vector_is_named_in_the_advice():
    def program():
        errors = torch.ones(4, requires_grad=True) ** 2
        errors.backward()

    text = message(program)
    assert "errors.mean().backward() " in text
    assert "v of errors's shape" in text


def test_unused_inputs_are_named():
    def program():
        used, left_out = torch.ones(2, requires_grad=True), torch.ones(2, requires_grad=True)
        torch.autograd.grad((used * 2).sum(), [used, left_out])

    assert "\n  left_out: nothing was calculated from it." in message(program)


# ---- shapes


class Net(nn.Module):
    def __init__(self, features: int = 784):
        super().__init__()
        self.layer1 = nn.Sequential(nn.Linear(features, 10), nn.ReLU())
        self.gain = nn.Parameter(torch.ones(7))

    def forward(self, x):
        return self.layer1(x) * self.gain


@pytest.mark.parametrize(
    ("features", "shape", "fix"),
    [
        (784, (32, 1, 28, 28), "flatten the input, x.flatten(1), which gives [32, 784]"),
        (8, (32, 8, 5), "bring it to the end: x.transpose(1, -1)"),
        (8, (32, 9), "nn.Linear(9, 10) fits this input"),
        (8, (2, 3, 5, 5), "x.flatten(1) and nn.Linear(75, 10)"),
    ],
)
def test_the_layer_is_named(features, shape, fix):
    def program():
        net = Net(features)
        net(torch.ones(shape))

    text = message(program)
    assert text.startswith("mat1 and mat2 shapes cannot be multiplied")
    layer = f"Linear(in_features={features}, out_features=10, bias=True)"
    assert f"In net.layer1.0 ({layer}), called with {list(shape)} float32." in text
    assert fix in text


def test_a_clash_in_a_forward_of_ones_own_names_the_tensors():
    def program():
        net = Net(3)
        net(torch.ones(2, 3))

    text = message(program)
    assert "In net (Net), called with [2, 3] float32." in text
    assert "self.gain is [7] float32" in text


@pytest.mark.parametrize(
    ("layer", "given", "fix"),
    [
        (nn.Conv2d(3, 8, 3), torch.ones(2, 28, 28, 3), r"x\.permute\(0, 3, 1, 2\)"),
        (nn.Conv2d(1, 8, 3), torch.ones(5, 28, 28), r"x\.unsqueeze\(1\) makes \[5, 1, 28, 28\]"),
        (nn.Conv2d(3, 8, 3), torch.ones(2, 4, 28, 28), "in_channels=4 fits this input"),
        (nn.BatchNorm1d(5), torch.ones(3, 4), "num_features=4 fits"),
        (nn.LayerNorm(5), torch.ones(3, 4), r"normalized_shape=\[4\] fits"),
        (nn.Embedding(5, 6), torch.tensor([1, 7]), "from 1 to 7, and this table has rows 0 to 4: num_embeddings=8"),
        (nn.LSTM(5, 6), torch.ones(3, 2, 4), "input_size=4 fits"),
        (nn.Linear(3, 4), torch.ones(2, 3, dtype=torch.float64), r"x\.to\(torch\.float32\), or the module, layer\.to"),
    ],
)
def test_what_would_fit(layer, given, fix):
    text = message(layer, given)
    assert f"In layer ({layer!r})" in text or f"In layer ({type(layer).__name__})" in text
    assert re.search(f"What to do: .*{fix}", text), text


def test_operands_of_an_expression_are_named():
    def program():
        left, right = torch.ones(3, 4), torch.ones(3)
        return left + right

    assert "Here left is [3, 4] float32 and right is [3] float32." in message(program)


def test_errors_that_are_not_ours_stay_as_they_are():
    class Refusing(nn.Module):
        def forward(self, x):
            raise ValueError("no, but got this")

    with pytest.raises(ValueError, match=r"^no, but got this$"):
        nn.Sequential(Refusing())(torch.ones(1))


def test_a_second_telling_changes_nothing():
    text = message(added_in_place)
    assert retold(text) == text
