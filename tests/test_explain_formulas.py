"""What is said of each input's gradient is true: the numbers are autograd's, and formulas give these numbers."""

import re
from collections.abc import Callable
from functools import cache

import pytest

import chainrule
from chainrule.explain.formulas import evaluate
from chainrule.explain.names import Names
from chainrule.explain.steps import Sending
from chainrule.explain.story import Explanation
from oracle import Collected, call, flat, outcome, pair, weights
from samples import RECORDS
from samples.record import Record

Tensor = chainrule.Tensor


def total_of(record: Record) -> tuple[list, Tensor | None]:
    """The inputs of a record, and the weighted sum of its results; None where there is no gradient."""
    mine, _ = pair(record, grad=True)
    results, error = outcome(call, chainrule, record, mine)
    found = [t for t in flat(results) if isinstance(t, Tensor) and t.grad_fn is not None] if error is None else []
    if not found or any(0 in t.shape for t in mine):
        return mine, None
    total = sum((y * w).sum() for y, w in zip(found, weights(found, chainrule), strict=True))
    return mine, total.real.double() if isinstance(total, Tensor) else None


@cache
def explained() -> tuple[Explanation, Tensor, list[tuple[Record, list]], dict[int, Record]]:
    """One explanation for all ops, of the sum over all records; the inputs; by node, the record it came from."""
    totals, inputs, owners = [], [], {}
    for record in DIFFERENTIABLE:
        mine, total = total_of(record)
        if total is not None:
            totals.append(total)
            inputs.append((record, mine))
    loss = chainrule.stack(totals).sum()
    e = Explanation(loss, [], None, EMPTY)
    below = {id(t.grad_fn): record for t, (record, _) in zip(totals, inputs, strict=True)}
    for node in reversed(e.graph.nodes):
        for edge in node.uses:
            if edge.consumer.index in owners:
                owners[node.index] = owners[edge.consumer.index]
        owners.update({node.index: below[id(node.raw)]} if id(node.raw) in below else {})
    return e, loss, inputs, owners


EMPTY = Names([])

DIFFERENTIABLE = [r for r in RECORDS if "gradient" not in r.skip]


def close(a: Tensor, b: Tensor) -> bool:
    return chainrule.allclose(a, b.to(a.dtype), rtol=1e-6, atol=1e-9, equal_nan=True)


def test_contributions_add_up_to_the_gradient():
    """For every op: what its steps send to an input is what autograd gives."""
    _, loss, inputs, _ = explained()
    assert len(inputs) > 1000
    leaves = [(record, x) for record, mine in inputs for x in mine if x.requires_grad]
    expected = chainrule.autograd.grad(loss, [x for _, x in leaves], retain_graph=True, allow_unused=True)
    sent = {}
    for s in sendings():
        sent.setdefault(id(s.edge.producer.raw), []).append(s.contribution)
    for (record, x), gradient in zip(leaves, expected, strict=True):
        told = sent.get(id(x))
        assert (told is None) == (gradient is None), record
        assert told is None or close(sum(told), gradient), f"{record}: {sum(told)} instead of {gradient}"


def sendings() -> list[Sending]:
    return [s for a in explained()[0].backward for s in a.sendings]


def record_of(s: Sending) -> Record | None:
    return explained()[3].get(s.edge.consumer.index)


def test_local_derivatives_give_the_contributions():
    """Of elementwise ops: gradient that arrived * local derivative = contribution, as the text says."""
    count = 0
    with Collected() as c:
        for s in sendings():
            if s.local is not None and s.contribution is not None:
                count += 1
                c.check(compare_local, record_of(s), s)
    assert count > 1000


def compare_local(record: Record | None, s: Sending) -> None:
    assert s.local is not None
    assert s.contribution is not None
    product = summed(s.upstream * s.local, s.contribution)
    assert close(product, s.contribution), f"{record} {s.edge.consumer.operation}: {s.text}   [{s.formula}]"


def summed(product: Tensor, like: Tensor) -> Tensor:
    product = product.sum_to_size(like.shape) if product.shape != like.shape else product
    return product.real if product.is_complex() and not like.is_complex() else product


def test_formulas_of_products_stand_at_the_right_input():
    """Formulas that can be calculated, a.T @ g for example, give what was sent to that very input."""
    checked = set()
    with Collected() as c:
        for s in sendings():
            node = s.edge.consumer
            value = calculated(s) if node.raw._operands is None and s.contribution is not None else None
            if value is not None:
                checked.add((node.operation, s.edge.input))
                c.check(compare_formula, record_of(s), s, value)
    wanted = {"mm": 2, "bmm": 2, "mv": 2, "dot": 2, "addmm": 3, "baddbmm": 3, "addmv": 3, "linear": 3, "addr": 3}
    assert {(name, i) for name, n in wanted.items() for i in range(n)} <= checked


def calculated(s: Sending) -> Tensor | None:
    """The value of a formula in terms of g, x, y and the names that the core gives to the inputs."""
    node, raw, values = s.edge.consumer, s.edge.consumer.raw, explained()[0].values
    if re.search(r"\b(sum|mean|softmax|n|correction|elements|inv|exp|sgn)\b", s.formula):
        return None  # over which dimensions is not in the text
    if any(len(n.outputs) > 1 for n in (node, s.edge.producer)):
        return None
    labels = re.findall(r"(?:^|, |; )(\w+): ", raw.formula) or ["x"]
    inputs = {name: values.input(node, i) for i, name in enumerate(labels)}
    record = record_of(s)
    numbers = record.kwargs if record else {}
    known = {"g": s.upstream, "y": values.of(node), "alpha": 1, "beta": 1, **numbers, **inputs}
    given = {name: v for name, v in known.items() if v is not None}
    with chainrule.no_grad():
        found = evaluate(s.formula, given)
    return found if isinstance(found, Tensor) else None


def compare_formula(record: Record | None, s: Sending, value: Tensor) -> None:
    assert s.contribution is not None
    value = summed(value, s.contribution)
    what = f"{record} {s.edge.consumer.operation} input {s.edge.input}: [{s.formula}]"
    assert tuple(value.shape) == tuple(s.contribution.shape), what
    assert close(value, s.contribution), f"{what}\n{value} instead of {s.contribution}"


def test_several_inputs_have_formulas_of_their_own():
    """No formula is one for all inputs, unless it says so."""
    shared = ("each ", "mean: g", "sum: g")
    seen = {}
    for s in sendings():
        node = s.edge.consumer
        if len(node.raw._edges) > 1 and node.raw._operands is None and not s.formula.startswith(shared):
            seen.setdefault((node.operation, node.raw.formula), {})[s.edge.input] = s.formula
    for (operation, _), formulas in seen.items():
        assert not any(re.search(r"\w: |; \w+ = ", text) for text in formulas.values()), (operation, formulas)
        if "written in Python" not in str(formulas) and operation != "cat":
            assert len(set(formulas.values())) == len(formulas), (operation, formulas)


@pytest.mark.parametrize(
    ("make", "sizes"),
    [
        (lambda x, w, b: chainrule.nn.functional.layer_norm(x, (4,), w, b), (-1, 0)),
        (lambda x, w, b: chainrule.nn.functional.batch_norm(x, None, None, w, b, True), (0, 0)),
    ],
)
def test_formulas_of_normalisations(make, sizes):
    """x_hat and rstd are those of the rows, or of the columns; sums run over the samples."""
    chainrule.manual_seed(0)
    x, w, b = (chainrule.randn(*shape, dtype=chainrule.float64, requires_grad=True) for shape in ((6, 4), (4,), (4,)))
    e = chainrule.explain((make(x, w, b) * chainrule.randn(6, 4, dtype=chainrule.float64)).sum())
    dim, rows = sizes
    with chainrule.no_grad():
        rstd = (x.var(dim, correction=0, keepdim=True) + 1e-5).rsqrt()
        x_hat = (x - x.mean(dim, keepdim=True)) * rstd
        for leaf in (x, w, b):
            (s,) = (s for a in e.backward for s in a.sendings if s.edge.producer.raw is leaf)
            names = {"g": s.upstream, "w": w, "rstd": rstd, "x_hat": x_hat}
            reductions = {name: over(name, dim if leaf is x else rows, leaf is x) for name in ("sum", "mean")}
            assert close(eval(s.formula, reductions, names), s.contribution), s.formula


def over(name: str, dim: int, keepdim: bool) -> Callable[[Tensor], Tensor]:
    return lambda t: getattr(t, name)(dim, keepdim=keepdim)


def test_formulas_of_attention():
    chainrule.manual_seed(0)
    q, k, v = (chainrule.randn(2, 2, 3, 4, dtype=chainrule.float64, requires_grad=True) for _ in range(3))
    y = chainrule.nn.functional.scaled_dot_product_attention(q, k, v)
    e = chainrule.explain((y * chainrule.randn(2, 2, 3, 4, dtype=chainrule.float64)).sum())
    with chainrule.no_grad():
        for leaf in (q, k, v):
            (s,) = (s for a in e.backward for s in a.sendings if s.edge.producer.raw is leaf)
            g, scale = s.upstream, 0.5
            p = chainrule.softmax(q @ k.mT * scale, -1)
            ds = p * (g @ v.mT - (g * y).sum(-1, keepdim=True)) * scale
            value = eval(s.formula.partition(",")[0], {"p": p, "ds": ds, "q": q, "k": k, "v": v, "g": g})
            assert close(value, s.contribution), s.formula
