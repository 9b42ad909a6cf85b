"""Nested tensors beside PyTorch's: what expressions print or raise, gradients, and what is refused."""

from __future__ import annotations

import copy
import io
import logging
import pickle
import re
import warnings
from pathlib import Path

import pytest
import torch

import chainrule
from both import no_leaks  # noqa: F401  (a fixture)

EXPRESSIONS = (Path(__file__).parent / "nested_expressions.txt").read_text().splitlines()
WORDS = 24  # letters of a message that have to be PyTorch's; it goes on with values


def names(library) -> dict:
    rows = [library.arange(6.0).view(2, 3), library.arange(9.0).view(3, 3)]
    nested = library.nested
    jagged = {"layout": library.jagged}
    q = nested.nested_tensor_from_jagged(library.arange(40.0).view(5, 8).sin(), library.tensor([0, 2, 5]))
    return {
        "torch": library,
        "x": nested.nested_tensor(rows, **jagged, requires_grad=True),
        "y": nested.nested_tensor(rows, **jagged),
        "i": nested.nested_tensor([library.tensor([1, 2]), library.tensor([3])], **jagged),
        "d": library.arange(24.0).view(2, 4, 3),
        "q": q.unflatten(-1, (2, 4)).transpose(1, 2),
        "s": nested.nested_tensor([library.arange(6.0).view(2, 3), library.arange(12.0).view(3, 4)]),
    }


def shown(expression: str, library) -> str:
    """What it prints. Addresses and the numbers of ragged sizes differ, and how nodes of the graph are called."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            text = repr(eval(expression, names(library)))
        except Exception as error:
            return f"{type(error).__name__} {numbered(str(error))[:WORDS]}"
    return numbered(text)


def numbered(text: str) -> str:
    text = re.sub(r"grad_fn=<\w+( object at 0x\w+)?>", "grad_fn", text)
    found: dict[str, str] = {}
    return re.sub(r"\bj\d+\b", lambda m: found.setdefault(m[0], f"j{len(found)}"), text)


@pytest.fixture(autouse=True)
def quiet():
    logging.disable(logging.WARNING)  # PyTorch says which kernels it did not take
    yield
    logging.disable(logging.NOTSET)


@pytest.mark.parametrize("expression", EXPRESSIONS)
def test_expression(expression):
    ours, theirs = shown(expression, chainrule), shown(expression, torch)
    if re.match(r"\w+Error ", theirs):  # ours goes on where PyTorch's ends
        ours = ours[: len(theirs)]
    assert ours == theirs


# ---- gradients


GRADIENTS = [
    "(x * x).sum()",
    "(x.sin() * torch.arange(3.0)).sum()",
    "(x * torch.arange(1.0, 7.0).reshape(2, 1, 3)).pow(2).sum()",
    "x.to_padded_tensor(1.0).pow(3).sum()",
    "x.amax(1).pow(2).sum()",
    "x.softmax(-1).pow(2).sum()",
    "x.unbind()[1].pow(2).sum()",
    "x[0].exp().sum()",
    "x.values().pow(2).sum()",
    "torch.nn.functional.layer_norm(x, (3,), torch.arange(3.0)).pow(2).sum()",
    "torch.nn.functional.linear(x, torch.arange(6.0).view(2, 3)).cos().sum()",
    "(x @ torch.arange(12.0).reshape(2, 3, 2)).cos().sum()",
    "(x.transpose(1, 2) @ x).cos().sum()",
    "torch.cat([x, x * 2], -1).pow(2).sum()",
    "torch.stack([x, x * 2], -1).pow(2).sum()",
    "torch.where(x > 2, x * x, x).sum()",
    "x.chunk(2, 0)[1].pow(2).sum()",
    "x.double().pow(2).sum()",
    "x.view(2, -1, 3, 1).transpose(2, 3).exp().sum()",
    "x.clone().mul_(x.detach()).add_(1).pow(2).sum()",
]


def gradient(expression: str, library) -> list:
    given = names(library)
    eval(expression, given).backward()
    x = given["x"]
    assert type(x.grad) is type(x)
    assert x.grad.shape == x.shape
    assert x.grad.layout is library.jagged
    return [row.tolist() for row in x.grad.unbind()]


@pytest.mark.parametrize("expression", GRADIENTS)
def test_gradient(expression):
    ours, theirs = gradient(expression, chainrule), gradient(expression, torch)
    for a, b in zip(ours, theirs, strict=True):
        torch.testing.assert_close(torch.tensor(a), torch.tensor(b))


# PyTorch's own have no derivative, or one of another dimension; so beside the same row by row.
ROW_BY_ROW = [
    ("x.sum(1).pow(2).sum()", "row.sum(0).pow(2).sum()"),
    ("x.mean(1).pow(2).sum()", "row.mean(0).pow(2).sum()"),
    ("x.sum(-1).pow(2).sum()", "row.sum(-1).pow(2).sum()"),
    ("x.prod(1).sum()", "row.prod(0).sum()"),
    ("x.softmax(1).pow(2).sum()", "row.softmax(0).pow(2).sum()"),
    ("torch.nn.functional.layer_norm(x, x.shape[1:]).pow(3).sum()", "torch.layer_norm(row, row.shape).pow(3).sum()"),
]


@pytest.mark.parametrize(("expression", "of_row"), ROW_BY_ROW)
def test_gradient_is_that_of_each_row(expression, of_row):
    rows = [chainrule.arange(6.0).view(2, 3).requires_grad_(), chainrule.arange(9.0).view(3, 3).requires_grad_()]
    for row in rows:
        eval(of_row, {"torch": chainrule, "row": row}).backward()
    for mine, row in zip(gradient(expression, chainrule), rows, strict=True):
        torch.testing.assert_close(torch.tensor(mine), torch.tensor(row.grad.tolist()))


def attention_gradients(library) -> list:
    values = library.arange(40.0).view(5, 8).sin().requires_grad_()
    weight = library.arange(64.0).view(8, 8).cos().requires_grad_()
    nested = library.nested.nested_tensor_from_jagged(values, library.tensor([0, 2, 5]))
    q = library.nn.functional.linear(nested, weight).unflatten(-1, (2, 4)).transpose(1, 2)
    y = library.nn.functional.scaled_dot_product_attention(q, q, q).transpose(1, 2).flatten(-2)
    (y * y).sum().backward()
    return [values.grad.tolist(), weight.grad.tolist()]


def test_attention_of_rows():
    for a, b in zip(attention_gradients(chainrule), attention_gradients(torch), strict=True):
        torch.testing.assert_close(torch.tensor(a), torch.tensor(b))


def test_causal_attention_is_that_of_each_row():
    q = names(chainrule)["q"]
    attention = chainrule.nn.functional.scaled_dot_product_attention
    for row, y in zip(q.unbind(), attention(q, q, q, is_causal=True).unbind(), strict=True):
        chainrule.testing.assert_close(y, attention(row, row, row, is_causal=True))


def of_lists(library, layout) -> list:
    a, b = library.ones(2, 3, requires_grad=True), library.ones(4, 3, requires_grad=True)
    x = library.nested.as_nested_tensor([a, b], layout=layout)
    x = x * x * 3 + x
    sum(row.sum() * (i + 1) for i, row in enumerate(x.unbind())).backward()
    return [a.grad.tolist(), b.grad.tolist()]


@pytest.mark.parametrize("layout", ["jagged", "strided"])
def test_gradients_reach_the_list(layout):
    assert of_lists(chainrule, getattr(chainrule, layout)) == of_lists(torch, getattr(torch, layout))


@pytest.mark.usefixtures("no_leaks")
def test_a_network():
    def losses(library) -> list:
        table = library.arange(40.0).view(10, 4).sin()
        embedding, norm = library.nn.Embedding.from_pretrained(table, freeze=False), library.nn.LayerNorm(4)
        linear = library.nn.Linear(4, 2)
        with library.no_grad():
            linear.weight.copy_(library.arange(8.0).view(2, 4).cos())
            linear.bias.zero_()
        parameters = [embedding.weight, *norm.parameters(), *linear.parameters()]
        optimizer = library.optim.SGD(parameters, lr=0.1)
        rows = [library.tensor([1, 2, 3]), library.tensor([4]), library.tensor([5, 6])]
        indices, found = library.nested.nested_tensor(rows, layout=library.jagged), []
        for _ in range(4):
            optimizer.zero_grad()
            y = linear(norm(embedding(indices))).relu()
            loss = (y.to_padded_tensor(0.0).sum(1) / y.offsets().diff().unsqueeze(1)).pow(2).sum()
            loss.backward()
            optimizer.step()
            found.append(loss.item())
        return found

    assert losses(chainrule) == pytest.approx(losses(torch), rel=1e-5)


@pytest.mark.parametrize("name", ["SGD", "AdamW"])
def test_optimizers_of_nested_leaves(name):
    """As those of the packed values; PyTorch's Adam has no addcmul_ of nested tensors."""
    found = []
    for packed in (False, True):
        x = chainrule.nested.nested_tensor([chainrule.arange(2.0), chainrule.arange(3.0)], layout=chainrule.jagged)
        p = (x.values() if packed else x).detach().requires_grad_()
        optimizer = getattr(chainrule.optim, name)([p], lr=0.1)
        for _ in range(3):
            optimizer.zero_grad()
            (p * p).sum().backward()
            optimizer.step()
        found.append((p if packed else p.values()).tolist())
    assert found[0] == pytest.approx(found[1], rel=1e-6)


def test_gradients_are_nested_wherever_they_are_seen():
    x = names(chainrule)["x"]
    seen = []
    x.register_hook(lambda g: seen.append(g) or g * 2)
    y = x * 3
    y.retain_grad()
    y.sum().backward()
    assert [type(g) for g in (seen[0], y.grad, x.grad)] == [type(x)] * 3
    assert x.grad.values().tolist() == [[6.0] * 3] * 5
    (direct,) = chainrule.autograd.grad((x * x).sum(), x)
    assert type(direct) is type(x)
    assert direct.shape == x.shape
    (x * 2).backward(chainrule.ones_like(x))
    with pytest.raises(RuntimeError, match="Mismatch in shape"):
        (x * 2).backward(chainrule.ones(5, 3))


# ---- what is refused


@pytest.mark.parametrize(
    ("expression", "words"),
    [
        (
            "torch.nested.nested_tensor_from_jagged(d[0], torch.tensor([0, 3, 2, 4]))",
            r"offsets \[0, 3, 2, 4\] for 4 items",
        ),
        ("torch.nested.nested_tensor_from_jagged(d[0], torch.tensor([0, 3, 9]))", r"offsets \[0, 3, 9\] for 4 items"),
        ("torch.nested.narrow(d, 1, 3, 2, layout=torch.jagged)", r"start \[3, 3\] and length \[2, 2\]"),
        ("x + y", r"the rows have the lengths \[2, 3\] and \[2, 3\]; only tensors made with the same offsets"),
        ("x.transpose(1, 2) + torch.ones(5)", r"\(2, 3, j\d+\) and \(5\)"),
        ("x.cumsum(1)", r"have no cumsum; to_padded_tensor\(padding\) and unbind\(\) give ordinary tensors"),
        ("torch.add(x, x, out=x.detach())", r"have no add\(out=...\)"),
        ("torch.tensor(x)", r"takes no nested tensor"),
        ("torch.as_tensor(y, dtype=torch.float64)", r"takes no nested tensor"),
        ("torch.Tensor(y)", r"takes no nested tensor"),
        ("torch.utils.dlpack.to_dlpack(y)", r"takes no nested tensor"),
        ("memoryview(y)", r"takes no nested tensor"),
        ("torch.func.grad(lambda x: x.sum())(x)", "autograd.grad does"),
        ("torch.func.vmap(torch.sin)(x)", "unbind"),
        ("torch.func.jvp(torch.sin, (y,), (y,))", "tangents"),
        ("torch.nn.MultiheadAttention(3, 1)(x, x, x)", "MultiheadAttention does not support NestedTensor"),
        ("x + s", "jagged and strided do not go together"),
        ("torch.zeros(x.shape)", "size of a ragged dimension"),
        ("torch.ones(3).to_padded_tensor(0.0)", "Could not run 'aten::to_padded_tensor'"),
    ],
)
def test_refused(expression, words):
    with pytest.raises(Exception, match=words):
        eval(expression, names(chainrule))


def test_rows_with_gaps_count_only_what_is_in_them():
    """PyTorch adds up what lies between the rows too."""
    offsets, lengths = chainrule.tensor([0, 3, 6]), chainrule.tensor([1, 2])
    x = chainrule.nested.nested_tensor_from_jagged(chainrule.arange(6.0), offsets, lengths)
    assert x.sum().item() == 0 + 3 + 4
    assert x.numel() == 3
    assert x.contiguous().values().tolist() == [0.0, 3.0, 4.0]


def test_packed_values_are_shared():
    values = chainrule.zeros(5)
    x = chainrule.nested.nested_tensor_from_jagged(values, chainrule.tensor([0, 2, 5]))
    x += 1
    x[1][0] = 7
    assert values.tolist() == [1.0, 1.0, 7.0, 1.0, 1.0]


def test_copies_and_files():
    x = names(chainrule)["x"]
    file = io.BytesIO()
    chainrule.save({"x": x}, file)
    file.seek(0)
    for other in (copy.copy(x), copy.deepcopy(x), pickle.loads(pickle.dumps(x)), chainrule.load(file)["x"]):
        assert type(other) is type(x)
        assert other.requires_grad
        assert other.is_leaf
        assert [row.tolist() for row in other.unbind()] == [row.tolist() for row in x.unbind()]
    s = names(chainrule)["s"]
    assert repr(pickle.loads(pickle.dumps(s))) == repr(copy.deepcopy(s)) == repr(s)


def test_private_names_that_packages_use():
    from chainrule.nested._internal.nested_tensor import NestedTensor, jagged_from_list, nested_view_from_values_offsets
    from chainrule.nested._internal.ops import extract_kwargs

    given = names(chainrule)
    x, s = given["x"], given["s"]
    assert isinstance(x, NestedTensor)
    assert not isinstance(s, NestedTensor)
    assert s.is_nested
    assert isinstance(x.size(1), chainrule.SymInt)
    again = NestedTensor(x.values(), **extract_kwargs(x))
    assert again.shape == x.shape
    assert nested_view_from_values_offsets(x.values(), x.offsets()).shape == x.shape
    y, offsets = jagged_from_list([chainrule.ones(2), chainrule.ones(1)], None)
    assert y.offsets() is offsets
    assert y._get_max_seqlen() == 2
