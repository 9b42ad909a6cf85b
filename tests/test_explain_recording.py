"""recording(): forward values that no gradient needs, the time of each step, and the module that ran it."""

import gc
import json

import pytest

import chainrule
from chainrule import nn
from chainrule.explain.names import Names


def network():
    chainrule.manual_seed(0)
    return nn.Sequential(nn.Conv2d(1, 4, 3), nn.BatchNorm2d(4), nn.ReLU(), nn.Flatten(), nn.Linear(144, 2))


def by_operation(e) -> dict:
    return {step.node.operation: step for step in e.forward}


def test_values_that_nobody_kept_are_known():
    x = chainrule.randn(2, 3, requires_grad=True)
    loss = nn.functional.pad(x, (1, 1), value=2.0).exp().sum()
    without = chainrule.explain(loss)
    assert by_operation(without)["constant_pad_nd"].value is None
    assert "No gradient needs 1 value of the forward pass" in without.notes[0]
    expected = nn.functional.pad(x, (1, 1), value=2.0)
    with chainrule.explain.recording():
        loss = nn.functional.pad(x, (1, 1), value=2.0).exp().sum()
        e = chainrule.explain(loss)
    assert chainrule.equal(by_operation(e)["constant_pad_nd"].value, expected)
    assert e.notes == []
    assert all(step.value is not None for step in e.forward)


def test_layers_without_parameters_have_their_paths():
    net = network()
    with chainrule.explain.recording():
        loss = net(chainrule.randn(2, 1, 8, 8)).sum()
        found = {n.operation: n.module for n in chainrule.explain.graph(loss) if not n.is_leaf}
    assert found == {
        "convolution": "net.0",
        "batch_norm": "net.1",
        "relu": "net.2",
        "view": "net.3",
        "linear": "net.4",
        "sum": None,
    }


def test_every_step_has_its_time():
    x = chainrule.randn(300, 300, requires_grad=True)
    with chainrule.explain.recording():
        e = chainrule.explain((x @ x).exp().sum())
    document = json.loads(e.to_json())
    times = [step["microseconds"] for step in document["forward"]]
    assert times[0] is None  # the leaf
    assert all(t > 0 for t in times[1:])
    assert times[1] > times[3]  # the product takes longer than the sum
    assert all(step["microseconds"] > 0 for step in document["backward"][:-1])
    assert chainrule.explain(x.sum()).timings == {}


def test_an_overwritten_value_is_not_shown_as_it_was_not():
    x = chainrule.ones(2, requires_grad=True)
    with chainrule.explain.recording():
        y = x * 2
        z = y + 1
        with chainrule.no_grad():
            y += 5
        e = chainrule.explain(z.sum())
    assert by_operation(e)["add"].value.tolist() == [3.0, 3.0]


def test_nothing_stays_behind():
    gc.collect()
    before = chainrule._core.live_nodes()
    x = chainrule.ones(2, requires_grad=True)
    with chainrule.explain.recording() as kept:
        (x * 2).sum().backward()
        with pytest.raises(RuntimeError, match="already on"), chainrule.explain.recording():
            pass
    assert len(kept) == 2
    kept.clear()
    del kept
    gc.collect()
    assert chainrule._core.live_nodes() == before
    assert chainrule.explain.recording.running is None
    assert nn.Linear(2, 1)(chainrule.ones(1, 2)).shape == (1, 1)


class Encoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.inner = nn.Linear(3, 3)  # line of inner

    def forward(self, x):
        return self.inner(x)


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.parts = nn.ModuleList([Encoder()])
        self.last = nn.Sequential(nn.Linear(3, 1))  # line of last

    def forward(self, x):
        return self.last(self.parts[0](x))


def test_a_parameter_was_made_on_the_users_line():
    """Where its module was constructed, not where the library makes a weight."""
    plain = nn.Linear(3, 1)  # line of plain
    model = Model()
    loss = (plain(chainrule.ones(2, 3)) + model(chainrule.ones(2, 3))).sum()
    assert Names().of(plain.weight) == "plain.weight"
    lines = {leaf.variable: leaf.line for leaf in chainrule.explain.graph(loss).leaves}
    for name, mark in [
        ("plain.weight", "plain"),
        ("model.parts.0.inner.bias", "inner"),
        ("model.last.0.weight", "last"),
    ]:
        assert lines[name].file == __file__
        assert lines[name].text.endswith(f"# line of {mark}")
