"""What explain() says is true: of hooks, of several outputs, of what was overwritten, of values that nobody kept."""

import pytest

import chainrule
from both import no_leaks  # noqa: F401
from chainrule import nn
from chainrule.nn import functional

pytestmark = pytest.mark.usefixtures("no_leaks")


def leaf(value):
    return chainrule.tensor(value, requires_grad=True)


# ---- hooks


def test_a_hook_that_changes_a_gradient_is_told():
    x = leaf(3.0)
    y = x * 2
    y.register_hook(lambda g: g * 10)
    z = y * y
    text = str(chainrule.explain(z))
    assert "g = 120: a hook made it of 6 + 6, the sum over its 2 uses" in text
    assert "d z / d x = 240" in text


def test_a_hook_of_a_leaf_is_told():
    x = leaf(2.0)
    x.register_hook(lambda g: g * 10)
    z = x.exp()
    e = chainrule.explain(z)
    assert "a hook made it of 7.38906" in str(e)
    z.backward()
    assert e.gradient(x).item() == x.grad.item()


def test_a_hook_of_a_step_is_told():
    x = leaf(2.0)
    z = x * 3
    z.grad_fn.register_hook(lambda inputs, outputs: tuple(None if g is None else g * 2 for g in inputs))
    assert "1 -> 6, after a hook of this step" in str(chainrule.explain(z))


# ---- several outputs, one element, complex numbers


def test_of_several_outputs_the_one_that_was_asked_for():
    x = leaf([1.0, 2.0, 3.0, 4.0])
    e = chainrule.explain(x.split(2)[1])
    assert str(e).startswith("How x.split(2) = [3, 4]")
    assert e.gradient(x).tolist() == [0, 0, 1, 1]


def test_gradients_of_several_outputs():
    x = leaf([1.0, 2.0, 3.0, 4.0])
    a, b = x.split(2)
    loss = (a * b).sum()
    text = str(chainrule.explain(loss))
    assert "g = [3, 4] of output 0; [1, 2] of output 1" in text


def test_routes_of_one_element_have_that_elements_shares():
    x = leaf([1.0, 2.0])
    y = x * 2
    z = y.sum() + x[:1].sum()
    assert "2 (100%)" in str(chainrule.explain(z, wrt=x, index=-1))
    assert "1 (33.3%)" in str(chainrule.explain(z, wrt=x, index=0))


def test_complex_derivatives_are_conjugated():
    x = leaf(1 + 2j)
    text = str(chainrule.explain((x * x).real))
    assert "(1+0j) * (1-2j) = (1-2j)   [g * conj(b) = (1+0j) * conj((1+2j))]" in text


def test_names_of_expressions_stand_in_brackets():
    x = leaf(2.0)
    assert "d (x + 1) / d x = 1" in str(chainrule.explain(x + 1))


# ---- what is no longer what it was


def test_a_leaf_that_was_overwritten_is_not_shown_as_it_is_now():
    w = leaf([1.0, 2.0])
    h = w * 3
    loss = (h * h).sum()
    loss.backward()
    chainrule.optim.SGD([w], lr=0.1).step()
    e = chainrule.explain(loss)
    assert e.forward[0].value is None
    assert "w was overwritten since (test_explain_truth.py:" in e.notes[1]
    assert ".step())" in e.notes[1]
    assert e.gradient(w).tolist() == w.grad.tolist()


def test_a_gradient_that_needs_an_overwritten_leaf_is_not_invented():
    w = leaf([1.0, 2.0])
    loss = (w * w).sum()
    loss.backward()
    with chainrule.no_grad():
        w -= 0.1
    e = chainrule.explain(loss)
    assert e.gradient(w) is None
    assert "not known any more; its .grad is [2, 4]" in str(e)


def test_a_write_behind_autograds_back_is_told():
    x = leaf(3.0)
    y = x * x
    x.data.fill_(100.0)
    assert "written through .data or NumPy" in chainrule.explain(y).notes[0]


def test_a_gradient_of_two_passes_is_told():
    x = leaf(3.0)
    (x * x).backward()
    second = x * 5
    second.backward()
    notes = chainrule.explain(x.grad).notes
    assert any("The .grad is 11, but this result gave 5" in note for note in notes)


def test_a_healthy_network_is_not_accused():
    chainrule.manual_seed(0)
    net = nn.Sequential(nn.Linear(4, 8), nn.Tanh(), nn.Linear(8, 2))
    loss = functional.cross_entropy(net(chainrule.randn(16, 4)), chainrule.zeros(16, dtype=chainrule.int64))
    assert chainrule.explain(loss).notes == []


@pytest.mark.parametrize("frozen", [("weight",), ("bias",), ("weight", "bias")])
def test_a_frozen_layer_is_not_calculated_from_what_it_is_not(frozen):
    chainrule.manual_seed(0)
    layer, x = nn.Linear(2, 2), chainrule.randn(2, 2, requires_grad=True)
    for name in frozen:
        getattr(layer, name).requires_grad_(False)
    expected = layer(x).detach()
    loss = layer(x).sum()
    before = chainrule.explain(loss)
    loss.backward()
    for e in (before, chainrule.explain(loss)):
        (step,) = [s for s in e.forward if s.node.operation == "linear"]
        assert step.value is None or chainrule.allclose(step.value, expected)


def test_what_a_freed_product_sent_is_found_again():
    x, w = leaf([[1.0, 2.0]]), leaf([[3.0], [4.0]])
    h = x * 2
    loss = (h @ w).sum()
    loss.backward()
    e = chainrule.explain(loss)
    assert e.graph.released
    assert (e.gradient(x).tolist(), e.gradient(w).tolist()) == ([[6.0, 8.0]], [[2.0], [4.0]])


# ---- values that nobody kept

IMAGES = chainrule.linspace(-1, 1, 2 * 12 * 12).reshape(2, 1, 12, 12)


class Attention(nn.Module):
    def __init__(self):
        super().__init__()
        self.norm, self.qkv = nn.LayerNorm(8), nn.Linear(8, 24)

    def forward(self, x):
        q, k, v = self.qkv(self.norm(x)).split(8, 2)
        heads = [t.view(2, 5, 2, 4).transpose(1, 2) for t in (q, k, v)]
        return x + functional.scaled_dot_product_attention(*heads, is_causal=True).transpose(1, 2).reshape(2, 5, 8)


def convolutions():
    net = nn.Sequential(
        nn.Conv2d(1, 4, 3, padding=1),
        nn.BatchNorm2d(4),
        nn.ReLU(),
        nn.MaxPool2d(2),
        nn.Conv2d(4, 8, 3, bias=False),
        nn.GroupNorm(2, 8),
        nn.AdaptiveAvgPool2d(2),
        nn.Flatten(),
        nn.Dropout(0.5),
    )
    return net(IMAGES).square().mean()


def attention():
    embedding, net = nn.Embedding(20, 8, padding_idx=0), Attention()
    with chainrule.no_grad():
        embedding.weight[0] = 3.0  # a row without gradient is read all the same
    return net(embedding(chainrule.arange(10).reshape(2, 5))).mean()


def views():
    w = chainrule.randn(4, 6, requires_grad=True)
    parts = chainrule.stack([w[0, :2], w[1, :2]]).std(0) + w.sort(1)[0][:2, 0]
    return (w[1:3].T.cumsum(0).max(0).values + parts).sum() + w.var() + w.unfold(0, 2, 1)[0, 0].norm()


@pytest.mark.parametrize("program", [convolutions, attention, views])
def test_values_that_nobody_kept_are_found_again(program):
    chainrule.manual_seed(0)
    with chainrule.explain.recording():
        loss = program()
        expected = [step.value for step in chainrule.explain(loss).forward]
    chainrule.manual_seed(0)
    loss = program()
    e = chainrule.explain(loss)
    assert all(step.value is not None for step in e.forward), [s.node.operation for s in e.forward if s.value is None]
    for step, value in zip(e.forward, expected, strict=True):
        assert chainrule.allclose(step.value, value, rtol=1e-4, atol=1e-5), step.node.operation


# ---- sources


def test_a_file_that_was_edited_since_is_not_quoted(tmp_path, monkeypatch):
    path = tmp_path / "edited_since.py"
    path.write_text("def f(x):\n    y = x * 2\n    return y.exp()\n")
    monkeypatch.syspath_prepend(tmp_path)
    module = __import__("edited_since")
    x = leaf(1.0)
    result = module.f(x)
    before = [n.line.text for n in chainrule.explain(result).graph if not n.is_leaf]
    assert before == ["y = x * 2", "return y.exp()"]
    path.write_text("import os\n\n\ndef f(x):\n    return x\n")
    after = chainrule.explain(result).graph
    assert [(n.line.number, n.line.text) for n in after if not n.is_leaf] == [(2, ""), (3, "")]
