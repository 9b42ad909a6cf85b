"""explain(): steps forward and backward with lines, names and numbers, and nothing disturbed."""

import json
import xml.etree.ElementTree as ElementTree

import pytest

import chainrule
from both import no_leaks  # noqa: F401
from chainrule import _core

pytestmark = pytest.mark.usefixtures("no_leaks")


def leaf(value=2.0):
    return chainrule.tensor(value, requires_grad=True)


def example():
    """The seeds' example with a second use of x."""
    x = leaf()
    y = x**2
    z = 2 * y + 1 + x
    return x, z


# ---- what is said


def test_scalars_show_their_numbers():
    x, z = example()
    e = chainrule.explain(z, wrt=x)
    assert [(s.node.label, s.text) for s in e.forward] == [
        ("x", "2"),
        ("y", "4"),
        ("2 * y", "8"),
        ("2 * y + 1", "9"),
        ("z", "11"),
    ]
    assert [(s.node.label, s.text) for s in e.backward] == [
        ("z", "1"),
        ("2 * y + 1", "1"),
        ("2 * y", "1"),
        ("y", "2"),
        ("x", "9"),
    ]
    (sent,) = e.backward[3].sendings
    assert sent.formula == "g * exponent * a ** (exponent - 1)"
    assert sent.put_in == "2 * 2 * 2 ** (2 - 1)"
    assert sent.text == "2 * 4 = 8"


def test_a_tensor_used_twice_shows_the_sum():
    x, z = example()
    text = chainrule.explain(z, wrt=x).text()
    assert "g = 9 = 8 + 1, the sum over its 2 uses" in text
    assert "d z / d x = 9" in text


def test_lines_and_names_are_the_users():
    _, z = example()
    e = chainrule.explain(z)
    line = e.forward[1].node.line
    assert (line.file, line.number) == (__file__, example.__code__.co_firstlineno + 3)
    assert (line.text, line.expression, line.target) == ("y = x**2", "x**2", "y")


def test_routes_tell_what_came_which_way():
    x, z = example()
    found = chainrule.explain(z).routes(x)
    assert [[n.label for n in r.nodes] for r in found] == [["z", "2 * y + 1", "2 * y", "y", "x"], ["z", "x"]]
    assert [r.contribution.item() for r in found] == [8, 1]
    assert [round(r.share, 3) for r in found] == [0.889, 0.111]


def test_many_routes_are_told_by_use():
    x = leaf(1.0)
    y = x
    for _ in range(20):
        y = y + y
    found = chainrule.explain(y).routes(x)
    assert len(found) == 2
    assert sum(r.contribution.item() for r in found) == 2**20
    assert not found[0].is_whole


def test_one_element():
    w = leaf([[1.0, 2.0], [3.0, 4.0]])
    x = chainrule.tensor([[1.0, 0.5], [0.2, 0.8]])
    loss = ((x @ w) ** 2).sum()
    e = chainrule.explain(loss, wrt=w, index=(0, 1))
    (sent,) = e.backward[-2].sendings
    assert [(place, round(d, 6)) for place, _, d in sent.terms] == [((0, 1), 1.0), ((1, 1), 0.2)]
    assert sum(g * d for _, g, d in sent.terms) == pytest.approx(e.gradient(w)[0, 1].item())
    assert "d loss / d w[0, 1] = " in str(e)


def test_an_element_is_followed_through_elementwise_steps():
    x = leaf([1.0, 2.0, 3.0])
    loss = (x.exp() * 2).sum()
    e = chainrule.explain(loss, wrt=x, index=1)
    assert e.backward[-2].sendings[0].text == "2 * 7.38906 = 14.7781"


def test_only_steps_that_matter():
    a, b = leaf(2.0), leaf(3.0)
    c = a * 5
    loss = c + b.exp()
    labels = [s.node.label for s in chainrule.explain(loss, wrt=a).forward]
    assert labels == ["a", "c", "loss"]


def test_values_that_nobody_kept_are_calculated_again():
    x = leaf([1.0, 2.0, 3.0])
    loss = (3 - (x + 1)).sum()
    e = chainrule.explain(loss)
    assert [s.text for s in e.forward] == ["[1, 2, 3]", "[2, 3, 4]", "[1, 0, -1]", "0"]


def test_broadcast_contributions_are_summed():
    column, row = leaf([[1.0], [2.0]]), leaf([3.0, 4.0, 5.0])
    loss = (column * row).sum()
    e = chainrule.explain(loss)
    assert e.gradient(column).tolist() == [[12.0], [12.0]]
    assert e.gradient(row).tolist() == [3.0, 3.0, 3.0]


def test_gradients_are_those_of_backward():
    chainrule.manual_seed(0)
    w1, w2 = chainrule.randn(4, 8, requires_grad=True), chainrule.randn(8, 1, requires_grad=True)
    x = chainrule.randn(16, 4)
    loss = (chainrule.tanh(x @ w1) @ w2).square().mean()
    e = chainrule.explain(loss)
    mine = e.gradient(w1), e.gradient(w2)
    loss.backward()
    assert chainrule.equal(mine[0], w1.grad)
    assert chainrule.equal(mine[1], w2.grad)


# ---- what is left alone


def test_nothing_is_disturbed():
    x = leaf()
    y = x**2
    z = 2 * y + 1 + x
    y.retain_grad()
    str(chainrule.explain(z))
    assert x.grad is None
    assert y.grad is None
    z.backward()
    assert (x.grad.item(), y.grad.item()) == (9.0, 2.0)
    with pytest.raises(RuntimeError, match="second time"):
        z.backward()


def test_after_backward_it_says_that_the_graph_was_freed():
    x, z = example()
    z.backward()
    e = chainrule.explain(z)
    assert "freed what 2 of the 4 operations had saved" in str(e)  # the power, and the product with its number
    assert "retain_graph=True" in str(e)
    assert e.gradient(x).item() == 9  # from values that are still alive


def test_after_backward_what_is_lost_is_said_to_be_lost():
    x = leaf([[1.0, 2.0]])
    loss = chainrule.softmax(x, 1)[0, 0] * 2
    loss.backward()
    e = chainrule.explain(loss)
    assert e.gradient(x) is None
    assert "d loss / d x = not known any more; its .grad is [[" in str(e)
    assert "1 gradient can no longer be known" in str(e)


def test_of_a_gradient():
    x, z = example()
    z.backward()
    e = chainrule.explain(x.grad)
    assert e.root.label == "z"
    assert e.gradient(x).item() == 9


def test_a_gradient_whose_graph_is_gone():
    x = leaf()
    (x * x).backward()
    with pytest.raises(ValueError, match="nothing that was calculated from this tensor is alive"):
        chainrule.explain(x.grad)


def test_a_result_of_several_elements():
    x = leaf([1.0, 2.0])
    y = x * 3
    e = chainrule.explain(y)
    assert "gradients are those of its sum" in str(e)
    assert e.gradient(x).tolist() == [3.0, 3.0]


def test_a_leaf_alone():
    x = leaf()
    assert "x" in str(chainrule.explain(x))


@pytest.mark.parametrize(
    ("call", "kind", "words"),
    [
        (lambda x: chainrule.explain(3), TypeError, "expected a tensor, got int"),
        (lambda x: chainrule.explain(x.detach()), ValueError, "has no graph"),
        (lambda x: chainrule.explain(x * 2, index=0), ValueError, "index= needs wrt="),
        (lambda x: chainrule.explain(x * 2, wrt=x, index=(0, 0)), ValueError, "does not fit shape"),
        (lambda x: chainrule.explain(x * 2, wrt=x, index=2), ValueError, "does not fit shape"),
        (lambda x: chainrule.explain(x * 2, wrt=x, index="a"), TypeError, "a number for each dimension"),
        (lambda x: chainrule.explain(x * 2, wrt="x"), TypeError, "wrt must be a tensor or several, got str"),
        (lambda x: chainrule.explain(x * 2, wrt=leaf()), ValueError, "not part of this graph"),
    ],
)
def test_wrong_calls(call, kind, words):
    with pytest.raises(kind, match=words):
        call(leaf([1.0, 2.0]))


# ---- forms


def test_colour_only_on_a_terminal(monkeypatch):
    _, z = example()
    e = chainrule.explain(z)
    assert "\033[" not in str(e)
    monkeypatch.setattr("sys.stdout.isatty", lambda: True, raising=False)
    monkeypatch.delenv("NO_COLOR", raising=False)
    assert "\033[" in str(e)
    monkeypatch.setenv("NO_COLOR", "1")
    assert "\033[" not in str(e)


def test_forms(tmp_path):
    x, z = example()
    e = chainrule.explain(z, wrt=x)
    document = json.loads(e.to_json(tmp_path / "e.json"))
    assert json.loads((tmp_path / "e.json").read_text()) == document
    assert document["gradients"] == [
        {"node": 0, "label": "x", "gradient": {"shape": [], "values": 9.0, "summary": "9"}}
    ]
    picture = ElementTree.fromstring(e.to_svg(tmp_path / "e.svg"))
    assert len(picture.findall("{http://www.w3.org/2000/svg}rect")) == 5
    assert e.to_dot(tmp_path / "e.dot").count(" -> ") == 5
    assert (tmp_path / "e.svg").read_text() == e.to_svg()
    assert "<svg" in e.to_html(tmp_path / "e.html")
    assert (tmp_path / "e.html").read_text() == e.to_html()
    assert e._repr_html_().startswith("<iframe srcdoc=")


def test_long_explanations_are_cut_in_the_middle():
    x = leaf(1.0)
    y = x
    for _ in range(200):
        y = y * 1.01
    e = chainrule.explain(y)
    assert "steps left out" in str(e)
    assert len(e.text(limit=None).splitlines()) > 600


def test_of_every_elementwise_operation():
    """Wherever the formula can be calculated from its text, the result is what the core calculates."""
    checked = 0
    for row in _core.op_table():
        function = _core.functions.get(row["name"])
        if function is None or not row["gradients"] or row["parameters"] != "NONE":
            continue
        inputs = [leaf(0.4 + 0.3 * i).requires_grad_(g != "none") for i, g in enumerate(row["gradients"])]
        try:
            y = function(*inputs)
        except (TypeError, RuntimeError):
            continue
        e = chainrule.explain(y)
        for sending in e.backward[0].sendings:
            if sending.local is not None:
                assert sending.local.item() == pytest.approx(
                    sending.contribution.item(), rel=1e-4, abs=1e-6, nan_ok=True
                ), row
                checked += 1
    assert checked > 60


def test_each_input_of_a_layer_has_its_own_formula() -> None:
    """The bias stands first among linear's inputs, as in PyTorch's node."""
    layer = chainrule.nn.Linear(3, 2)
    loss = layer(chainrule.ones(4, 3)).sum()
    lines = str(chainrule.explain(loss)).splitlines()
    assert any("to layer.bias" in line and "[g summed over rows]" in line for line in lines)
    assert any("to layer.weight" in line and "[g.T @ x]" in line for line in lines)
