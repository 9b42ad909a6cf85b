"""Why is it None, why zero: what the corpus of faulty programs does not ask."""

import pytest

import chainrule
from both import no_leaks  # noqa: F401
from chainrule import nn

pytestmark = pytest.mark.usefixtures("no_leaks")


def leaf(*shape):
    return chainrule.ones(*shape, requires_grad=True)


def test_a_gradient_that_is_there():
    w = leaf(3)
    w.square().sum().backward()
    assert chainrule.explain_none(w).kind == "there"


def test_the_answer_as_text_and_data():
    w, v = leaf(3), leaf(3)
    loss = (w.detach() * v).sum()
    loss.backward()
    cause = chainrule.explain_none(w, loss)
    assert str(cause).startswith("w: what was calculated from it left the graph through detach().\n  here: ")
    assert "What to do: " in str(cause)
    found = cause.to_dict()
    assert (found["kind"], found["line"]["text"]) == ("detached", "loss = (w.detach() * v).sum()")


def test_looking_is_quiet_and_changes_nothing():
    x = leaf(3)
    w = x * 2
    w.sum().backward()
    chainrule.explain_none(w)  # warnings are errors here
    assert x.grad.tolist() == [2, 2, 2]


def test_the_leaf_is_named():
    x = leaf(3)
    w = (x * 2).exp()
    assert "calculated from the leaf x" in chainrule.explain_none(w).text


def test_a_read_out_that_does_no_harm_is_not_blamed():
    w = leaf(3)
    y = (w * 2).sum()
    y.item()
    y.backward()
    assert chainrule.explain_none(w).kind == "there"


def test_what_comes_later_is_not_blamed():
    w, v = leaf(3), leaf(3)
    loss = v.sum()
    loss.backward()
    cause = chainrule.explain_none(w, loss)
    later = w.detach()
    assert cause.kind == "never used"
    assert later.tolist() == [1, 1, 1]


def test_saturation_through_several_steps_names_the_flat_one():
    w = chainrule.full((2,), -3.0, requires_grad=True)
    a = w * 2
    b = chainrule.relu(a)
    loss = (b.exp() * 3).sum()
    loss.backward(retain_graph=True)
    cause = chainrule.explain_none(w, loss)
    assert (cause.kind, cause.line.text) == ("saturated", "b = chainrule.relu(a)")


def test_missing_of_a_healthy_model():
    net = nn.Linear(3, 1)
    loss = net(chainrule.ones(2, 3)).sum()
    assert chainrule.explain.missing(net, loss) == []
    loss.backward()
    found = chainrule.explain.missing(net, loss)
    assert str(found) == "Every parameter has a gradient."


def test_the_error_of_grad_names_its_unused_inputs():
    w, spare = leaf(3), leaf(3)
    loss = w.sum()
    with pytest.raises(
        RuntimeError, match=r"(?s)appears to not have been used.*\n  spare: nothing was calculated from it"
    ):
        chainrule.autograd.grad(loss, [w, spare])


def test_wrong_calls():
    with pytest.raises(TypeError, match="expected a tensor, got float"):
        chainrule.explain_none(3.0)


def test_a_frozen_parameter_is_said_to_be_frozen():
    net = nn.Sequential(nn.Linear(2, 2), nn.Linear(2, 1))
    net[0].weight.requires_grad_(False)
    loss = net(chainrule.ones(1, 2)).sum()
    cause = chainrule.explain_none(net[0].weight, loss)
    assert (cause.kind, "frozen" in cause.text) == ("not asked for", True)
    assert cause.line.text == "net[0].weight.requires_grad_(False)"


def test_objects_of_chainrule_give_no_names_to_tensors():
    x = chainrule.tensor([1.0, 0.0], requires_grad=True)
    with chainrule.nan_guard(stop_at_forward=False) as guard:
        z = chainrule.where(x > 0, chainrule.log(x), chainrule.zeros(2)).sum()
        with pytest.raises(RuntimeError) as caught:
            z.backward()
    assert guard.seen
    assert caught.value.origin.chain[-1].startswith("z (")
