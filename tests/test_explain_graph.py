"""The graph as data: nodes, edges, saved values, lines, modules, JSON."""

import json

import pytest

import chainrule
from both import no_leaks  # noqa: F401
from chainrule import nn

pytestmark = pytest.mark.usefixtures("no_leaks")


def leaf(value):
    return chainrule.tensor(value, requires_grad=True)


def test_nodes_are_in_the_order_of_the_calculation():
    a, b = leaf(2.0), leaf(3.0)
    c = a * b
    d = c + a
    g = chainrule.explain.graph(d)
    assert [n.operation for n in g] == ["leaf", "leaf", "mul", "add"]
    assert [n.name for n in g] == ["AccumulateGrad", "AccumulateGrad", "MulBackward0", "AddBackward0"]
    assert [n.variable for n in g] == ["a", "b", "c", "d"]
    assert [(e.consumer.index, e.input, e.producer.index) for e in g.edges] == [
        (2, 0, 0),
        (2, 1, 1),
        (3, 0, 2),
        (3, 1, 0),
    ]
    assert [n.index for n in g.roots] == [3]
    assert [len(n.uses) for n in g] == [2, 1, 1, 0]
    assert g.find(c) is g.nodes[2]
    assert g.find(leaf(1.0)) is None


def test_saved_values():
    a, b = leaf([1.0, 2.0]), leaf([3.0, 4.0])
    c = a * b
    d = c.exp()
    g = chainrule.explain.graph(d)
    assert [(s.name, s.is_output, s.is_current, s.bytes) for s in g.nodes[2].saved] == [
        ("self", False, True, 8),
        ("other", False, True, 8),
    ]
    assert [(s.name, s.is_output) for s in g.nodes[3].saved] == [("result", True)]
    assert g.bytes > 0
    d.sum().backward()
    assert g.nodes[2].released
    assert g.nodes[2].saved == ()


def test_a_saved_value_that_was_overwritten_is_said_to_be():
    a = leaf([1.0, 2.0])
    b = chainrule.ones(2)
    c = a * b
    b.add_(1)
    (saved,) = chainrule.explain.graph(c).find(c).saved
    assert not saved.is_current
    assert saved.to_dict()["state"] == "overwritten"


def test_looking_unpacks_nothing():
    calls = []
    with chainrule.autograd.graph.saved_tensors_hooks(lambda t: t, lambda t: calls.append(t) or t):
        y = leaf([1.0]).exp()
    (saved,) = chainrule.explain.graph(y).find(y).saved
    assert saved.to_dict()["state"] == "packed"
    assert calls == []


def test_several_outputs():
    x = leaf([[3.0, 1.0], [0.0, 2.0]])
    values, _ = x.max(1)
    parts = x.split(1)
    assert len(chainrule.explain.graph(parts[1]).find(parts[1]).outputs) == 2
    assert chainrule.explain.graph(values).find(values).shape == (2,)


def test_shapes_and_dtypes():
    x = leaf([[3.0, 1.0], [0.0, 2.0]])
    g = chainrule.explain.graph(x.double().sum())
    assert [(n.shape, n.outputs[0].dtype) for n in g] == [((2, 2), "float32"), ((2, 2), "float64"), ((), "float64")]


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.first = nn.Linear(3, 4)
        self.rest = nn.Sequential(nn.Linear(4, 2))

    def forward(self, x):
        return self.rest(chainrule.relu(self.first(x)))


def test_parameters_and_their_modules():
    net = Net()
    y = net(chainrule.ones(5, 3)).sum()
    g = chainrule.explain.graph(y)
    assert sorted(n.variable for n in g.leaves) == [
        "net.first.bias",
        "net.first.weight",
        "net.rest.0.bias",
        "net.rest.0.weight",
    ]
    steps = [(n.operation, n.module) for n in g if not n.is_leaf]
    assert steps == [("linear", "net.first"), ("relu", "net"), ("linear", "net.rest.0"), ("sum", None)]


def test_steps_between_the_layers_of_a_container_belong_to_it():
    chain = nn.Sequential(nn.Linear(3, 3), nn.Sequential(nn.Linear(3, 3), nn.Tanh(), nn.Linear(3, 1)))
    y = chain(chainrule.ones(2, 3)).sum()
    steps = [(n.operation, n.module) for n in chainrule.explain.graph(y) if not n.is_leaf]
    assert steps == [
        ("linear", "chain.0"),
        ("linear", "chain.1.0"),
        ("tanh", "chain.1"),
        ("linear", "chain.1.2"),
        ("sum", None),
    ]


def test_names_in_containers_and_objects():
    class Holder:
        def __init__(self):
            self.weight = leaf(1.0)

    parameters = [leaf(1.0), leaf(2.0)]
    by_name = {"slope": leaf(3.0)}
    holder = Holder()
    y = parameters[0] * parameters[1] * by_name["slope"] * holder.weight
    assert [n.variable for n in chainrule.explain.graph(y).leaves] == [
        "parameters[0]",
        "parameters[1]",
        "by_name['slope']",
        "holder.weight",
    ]


def test_json_follows_its_schema():
    x = leaf(2.0)
    y = (x**2).sin()
    document = json.loads(chainrule.explain.graph(y).to_json())
    assert document["schema"] == 1
    assert document["roots"] == [2]
    assert document["edges"] == [
        {"from": 1, "input": 0, "to": 0, "output": 0},
        {"from": 2, "input": 0, "to": 1, "output": 0},
    ]
    node = document["nodes"][1]
    assert (node["kind"], node["operation"], node["label"]) == ("operation", "pow", "x**2")
    assert node["formulas"] == ["g * exponent * a ** (exponent - 1)"]
    assert node["line"]["text"] == "y = (x**2).sin()"
    assert node["outputs"] == [{"shape": [], "dtype": "float32"}]
    assert {"index", "name", "variable", "module", "saved", "released", "bytes"} <= set(node)


def test_a_deep_graph_needs_no_recursion():
    y = leaf(1.0)
    for _ in range(20_000):
        y = y + 1
    assert len(chainrule.explain.graph(y)) == 20_001


def test_a_tensor_without_a_graph():
    with pytest.raises(ValueError, match="no graph"):
        chainrule.explain.graph(chainrule.ones(2))
