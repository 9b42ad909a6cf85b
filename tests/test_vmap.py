"""vmap: every op against a loop over its samples, and the ways to call it against PyTorch."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
import torch

import chainrule
from both import agree
from chainrule.func import batch_rules, vmap
from oracle import assert_all_same, call, flat, ours, outcome, pair, theirs
from samples import RECORDS
from samples.record import Record

SAMPLES = 3
# Their results are no tensors of a fixed shape, or say where a tensor's memory is.
NOT_OVER_SAMPLES = {
    "nonzero",
    "as_strided",
    "equal",
    "is_nonzero",
    "masked_select",
    "unique",
    "unique_consecutive",
    "allclose",
    "argwhere",
    "view_as_complex",
}


def batch_of(record: Record) -> tuple[list, list]:
    """A batch for each tensor of the record: its values, and the same turned around, which is as good a sample."""
    single = pair(record)[0]
    flipped = [ours(torch.from_numpy(np.array(np.flip(theirs(t).numpy())))) for t in single]
    columns = list(zip(single, flipped, single, strict=True))
    return single, [chainrule.stack(list(column)) for column in columns]


def works(record: Record) -> bool:
    if record.name == "tensor_split" and len(record.draws) > 1:
        return False  # samples cut in different places have results of different shapes
    return record.name not in NOT_OVER_SAMPLES and outcome(call, chainrule, record, pair(record)[0])[1] is None


def results_of(record: Record, tensors: list) -> list:
    return [t for t in flat(call(chainrule, record, tensors)) if isinstance(t, chainrule.Tensor)]


def check(record: Record, which: list[bool]) -> None:
    """The op on batches of the chosen tensors gives what a loop over the samples gives."""
    single, batches = batch_of(record)
    inputs = [b if chosen else s for s, b, chosen in zip(single, batches, which, strict=True)]
    samples = [[t[i] if chosen else t for t, chosen in zip(inputs, which, strict=True)] for i in range(SAMPLES)]
    expected = [outcome(results_of, record, sample) for sample in samples]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        mapped = vmap(
            lambda *tensors: tuple(results_of(record, list(tensors))),
            in_dims=tuple(0 if chosen else None for chosen in which),
        )
        found, error = outcome(mapped, *inputs)
    refusal = next((error for _, error in expected if error), None)
    if refusal:
        assert isinstance(error, type(refusal)), f"{error!r} instead of {refusal!r}"
        return
    assert error is None
    stacked = [chainrule.stack(list(column)) for column in zip(*(results for results, _ in expected), strict=True)]
    assert len(found) == len(stacked)
    for mine, wanted in zip(found, stacked, strict=True):
        assert mine.dtype == wanted.dtype
        assert mine.shape == wanted.shape
    assert_all_same(list(found), [theirs(t) for t in stacked])


records = [r for r in RECORDS if r.draws and "value" not in r.skip and works(r)]


@pytest.mark.parametrize("record", records, ids=str)
def test_every_op(record):
    check(record, [True] * len(record.draws))


@pytest.mark.parametrize("record", [r for r in records if len(r.draws) > 1], ids=str)
def test_every_op_with_one_batched_argument(record):
    for i in range(len(record.draws)):
        check(record, [k == i for k in range(len(record.draws))])


# ---- ways to call it


def rows(library, *shape):
    count = int(np.prod(shape))
    return library.arange(1, count + 1, dtype=library.float32).reshape(shape) / count


CALLS = {
    "split as a method": lambda library, v: v(lambda x: x.split(1) + x.split([1, 1], 0))(rows(library, 3, 2)),
    "a truth value per sample": lambda library, v: v(lambda x: library.where(x.sum() > 1, x, x.new_zeros(2)))(
        rows(library, 3, 2)
    ),
    "plain": lambda library, v: v(lambda x: x * 2)(rows(library, 3, 2)),
    "in_dims": lambda library, v: v(lambda x, y: x @ y, in_dims=(1, 0))(rows(library, 2, 3), rows(library, 3, 2)),
    "negative in_dims": lambda library, v: v(lambda x: x.sum(), in_dims=-1)(rows(library, 2, 3)),
    "None": lambda library, v: v(lambda x, y: x * y, in_dims=(0, None))(rows(library, 3, 2), rows(library, 2)),
    "out_dims": lambda library, v: v(lambda x: (x, x.sum()), out_dims=(1, 0))(rows(library, 3, 2)),
    "negative out_dims": lambda library, v: v(lambda x: x[None] * 1, out_dims=-1)(rows(library, 3, 2)),
    "trees": lambda library, v: v(lambda d: {"s": d["a"] + d["b"][0]})(
        {"a": rows(library, 3), "b": [rows(library, 3)]}
    ),
    "nested in_dims": lambda library, v: v(lambda d, c: d["a"] * d["b"] * c, in_dims=({"a": 0, "b": None}, None))(
        {"a": rows(library, 3), "b": rows(library, 2)}, 3
    ),
    "independent": lambda library, v: v(lambda x: library.ones(2))(rows(library, 3)),
    "keywords": lambda library, v: v(lambda x, y=1: x * y)(rows(library, 3), y=2),
    "chunks": lambda library, v: v(lambda x: (x.sum(), x), chunk_size=2, out_dims=(0, 1))(rows(library, 5, 2)),
    "nested": lambda library, v: v(v(lambda x: x.sum()))(rows(library, 2, 3, 4)),
    "nested with another": lambda library, v: v(lambda x: v(lambda y: x @ y)(rows(library, 5, 2)))(rows(library, 3, 2)),
    "inner only": lambda library, v: v(lambda x: v(lambda y: y * 2)(rows(library, 4)) + x)(rows(library, 3)),
    "control flow": lambda library, v: v(lambda x: x if x > 0 else -x)(rows(library, 3)),
    "item": lambda library, v: v(lambda x: x.item())(rows(library, 3)),
    "no inputs": lambda library, v: v(lambda: 1)(),
    "no tensor": lambda library, v: v(lambda x: x)(3),
    "nothing to map": lambda library, v: v(lambda x: x, in_dims=(None,))(rows(library, 3)),
    "sizes": lambda library, v: v(lambda x, y: x + y)(rows(library, 3), rows(library, 2)),
    "dimension": lambda library, v: v(lambda x: x, in_dims=2)(rows(library, 3)),
    "structure": lambda library, v: v(lambda x: x, in_dims=(0, 0))(rows(library, 3)),
    "kind": lambda library, v: v(lambda x: x, in_dims="0")(rows(library, 3)),
    "returns a number": lambda library, v: v(lambda x: 3)(rows(library, 3)),
    "out_dims too many": lambda library, v: v(lambda x: x, out_dims=(0, 0))(rows(library, 3)),
    "randomness": lambda library, v: v(lambda x: x, randomness="some")(rows(library, 3)),
    "chunk size": lambda library, v: v(lambda x: x, chunk_size=0)(rows(library, 3)),
    "write into what all share": lambda library, v: v(lambda x: library.zeros(()).add_(x))(rows(library, 3)),
    "write into a sample": lambda library, v: v(lambda x: x.clone().mul_(2))(rows(library, 3, 2)),
    "assign": lambda library, v: v(lambda x, y: assigned(x.clone(), y))(rows(library, 3, 2), rows(library, 3)),
    "index by a sample": lambda library, v: v(lambda i: rows(library, 4, 2)[i])(library.tensor([0, 3, 1])),
    "both sampled": lambda library, v: v(lambda x, i: x[i])(rows(library, 3, 4), library.tensor([0, 3, 1])),
    "slices": lambda library, v: v(lambda x: x[1:, None, ..., 0])(rows(library, 2, 3, 2)),
    "dtype of a number": lambda library, v: v(lambda x, y: x * y)(
        library.ones(3, dtype=library.float64), library.ones(3, 2, dtype=library.float32)
    ),
    "operators": lambda library, v: v(lambda x: [1 - x, 2 / x, 2**x, 3 % x, x // 2, -x, abs(x), x**2, x == x, 1 + x])(
        rows(library, 3)
    ),
    "mask operators": lambda library, v: v(lambda x: (x > 0.5) & ~(x > 0.9) | (x < 0.1))(rows(library, 5)),
    "shape": lambda library, v: v(lambda x: x.reshape(x.shape[0] * x.size(1)) * x.dim() * x.numel())(
        rows(library, 2, 3, 4)
    ),
    "iteration": lambda library, v: v(lambda x: sum(row for row in x))(rows(library, 2, 3)),
    "transposed": lambda library, v: v(lambda x: x.T @ x.mT.mT)(rows(library, 2, 3, 3)),
}


def assigned(x, y):
    x[0] = y
    return x


@pytest.mark.parametrize("case", CALLS)
def test_calls(case):
    def program(library):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return CALLS[case](library, library.vmap)

    agree(program)


def test_random_functions():
    x = rows(chainrule, 4, 2)
    with pytest.raises(RuntimeError, match="vmap: called random operation while in randomness error mode"):
        vmap(lambda x: x + chainrule.rand(2))(x)
    different = vmap(lambda x: x * 0 + chainrule.rand(2), randomness="different")(x)
    assert len({tuple(row) for row in different.tolist()}) == 4
    same = vmap(lambda x: x * 0 + chainrule.rand(2), randomness="same")(x)
    assert len({tuple(row) for row in same.tolist()}) == 1


def test_an_op_without_a_rule_says_so_once():
    def f(x, y):
        return x.histc(4, 0, 1) * y.sum()

    x = rows(chainrule, 3, 2, 2)
    batch_rules._told.discard("histc")
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        found = [vmap(f)(x, x), vmap(f)(x, x)]
    assert found[0].tolist() == chainrule.stack([f(t, t) for t in x]).tolist() == found[1].tolist()
    (message,) = [str(w.message) for w in seen]
    assert "batching rule for histc" in message
    assert "return x.histc(4, 0, 1) * y.sum()" in message


def test_a_tensor_that_escaped():
    kept = []
    vmap(lambda x: kept.append(x) or x)(rows(chainrule, 3))
    with pytest.raises(RuntimeError, match="belongs to a call of vmap which has ended"):
        kept[0].exp()


def test_depth_is_restored_after_an_error():
    with pytest.raises(ZeroDivisionError):
        vmap(lambda x: 1 / 0)(rows(chainrule, 3))
    assert chainrule._core.get_vmap_depth() == 0
    assert chainrule.func.batched.levels.now == []


# ---- Functions


def square(library, **attributes):
    def forward(x):
        return x * x

    def setup_context(ctx, inputs, output):
        ctx.save_for_backward(*inputs)

    def backward(ctx, g):
        return 2 * g * ctx.saved_tensors[0]

    methods = {"forward": forward, "setup_context": setup_context, "backward": backward}
    namespace = {name: staticmethod(f) for name, f in methods.items()}
    return type("Square", (library.autograd.Function,), {**namespace, **attributes})


FUNCTIONS = {
    "generated": lambda library: square(library, generate_vmap_rule=True),
    "own": lambda library: square(library, vmap=staticmethod(lambda info, dims, x: (x * x * info.batch_size, dims[0]))),
    "neither": lambda library: square(library),
    "both": lambda library: square(library, generate_vmap_rule=True, vmap=staticmethod(lambda *a: None)),
}


@pytest.mark.parametrize("case", FUNCTIONS)
def test_functions(case):
    def program(library):
        f, x = FUNCTIONS[case](library), rows(library, 3, 2)
        values = library.vmap(f.apply)(x)
        if case == "own":
            return values
        return values, library.vmap(library.func.grad(lambda x: f.apply(x).sum()))(x)

    agree(program, words=6)


def test_differentiable_inside_vmap():
    @chainrule.autograd.differentiable
    def cube(x, w):
        return x * x * x * w

    @cube.gradient("x")
    def _(g, x, w):
        return 3 * g * x * x * w

    @cube.gradient("w")
    def _(g, x):
        return (g * x * x * x).sum()

    x, w = rows(chainrule, 3, 2), chainrule.tensor(2.0, requires_grad=True)
    found = vmap(chainrule.func.grad(lambda x: cube(x, w.detach()).sum()))(x)
    assert np.allclose(found.tolist(), (6 * x * x).tolist())
    vmap(lambda x: cube(x, w))(x).sum().backward()
    assert w.grad.item() == pytest.approx((x * x * x).sum().item())


def test_a_parameter_on_the_left() -> None:
    """Python asks the right operand first only if its class derives from that of the left one."""

    def every_operator(torch):
        p, x = torch.nn.Parameter(torch.ones(3) / 2), torch.tensor([[0.1, 0.2, 0.3], [0.5, 1.0, 2.0]])
        results = torch.func.vmap(lambda t: (p - t, p * t, p / t, p @ t, p < t, p >= t, p**t, p % t))(x)
        return [r.detach() for r in results]

    agree(every_operator)


REFUSED = {
    "nonzero": lambda t, x: x.nonzero(),
    "where of a condition": lambda t, x: t.where(x > 0)[0],
    "unique": lambda t, x: x.unique(),
    "unique_consecutive": lambda t, x: x.unique_consecutive(),
    "masked_select": lambda t, x: x.masked_select(x > 0),
    "a mask as index": lambda t, x: x[x > 0],
    "equal": lambda t, x: t.equal(x, x),
    "allclose": lambda t, x: t.allclose(x, x),
    "is_nonzero": lambda t, x: x.sum().is_nonzero(),
    "bool": lambda t, x: x if x.sum() > 0 else -x,
    "float": lambda t, x: float(x.sum()),
    "format": lambda t, x: f"{x.sum():.2f}",
    "data_ptr": lambda t, x: x.data_ptr(),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_has_no_shape_that_samples_share(name):
    agree(lambda t: t.func.vmap(lambda x: REFUSED[name](t, x))(t.ones(2, 3)), words=4)


def test_repeats_of_each_sample():
    found = vmap(lambda x: chainrule.repeat_interleave(x))(chainrule.tensor([[1, 2], [2, 1]]))
    assert found.tolist() == [[0, 1, 1], [0, 0, 1]]


def test_functions_with_vmap_methods_that_do_not_fit():
    def program(t, base, method):
        parts = {"forward": staticmethod(base), "backward": staticmethod(lambda ctx, g: g)}
        parts["vmap"] = staticmethod(method)
        if base.__code__.co_argcount == 1:
            parts["setup_context"] = staticmethod(lambda ctx, inputs, output: None)
        return t.func.vmap(type("F", (t.autograd.Function,), parts).apply)(t.ones(3, 2))

    agree(lambda t: program(t, lambda x: x * 2, lambda info, dims, x: x * 2), words=8)
    agree(lambda t: program(t, lambda ctx, x: x * 2, lambda info, dims, x: (x * 2, 0)), words=8)


def test_debug_unwrap():
    seen = []
    vmap(vmap(lambda x: seen.extend([chainrule.func.debug_unwrap(x), x.sum()]) or x))(rows(chainrule, 2, 3))
    assert seen[0].shape == (2, 3)
    assert not seen[0].requires_grad


@pytest.mark.parametrize("mode", ["sum", "mean"])
def test_bags_of_rows(mode):
    """Of several tables, and of several lists of indices."""
    indices, starts = chainrule.tensor([4, 0, 3, 3, 1, 0]), chainrule.tensor([0, 2, 2])
    tables, lists = chainrule.randn(2, 5, 3), chainrule.randint(0, 5, (4, 2, 3))

    def of_table(table):
        return chainrule.nn.functional.embedding_bag(indices, table, starts, mode=mode, padding_idx=3)

    def of_list(rows):
        return chainrule.nn.functional.embedding_bag(rows, tables[0], mode=mode)

    for f, batch in ((of_table, tables), (of_list, lists)):
        assert chainrule.allclose(chainrule.func.vmap(f)(batch), chainrule.stack([f(one) for one in batch]))


# ---- what PyTorch draws, refuses and shows

RANDOM = {
    "rand": lambda t, x, v: t.rand(3),
    "no size": lambda t, x, v: t.randn(()),
    "randint": lambda t, x, v: t.randint(0, 9, (3,)),
    "normal of a size": lambda t, x, v: t.normal(0.0, 1.0, (3,)),
    "normal": lambda t, x, v: t.normal(x, 2.0),
    "normal of two": lambda t, x, v: t.normal(v, x),
    "like": lambda t, x, v: t.randint_like(x, 9),
    "bernoulli": lambda t, x, v: t.bernoulli(x),
    "poisson": lambda t, x, v: t.poisson(x * 5),
    "multinomial": lambda t, x, v: t.multinomial(x, 2),
    "permutation": lambda t, x, v: t.randperm(5),
    "in place": lambda t, x, v: v.clone().uniform_(),
    "in place by chances": lambda t, x, v: v.clone().bernoulli_(x),
    "in place, shared": lambda t, x, v: x.clone().uniform_(),
    "in place, chances of each": lambda t, x, v: x.clone().bernoulli_(v),
    "out=": lambda t, x, v: t.randn(3, out=x.clone()),
}


@pytest.mark.parametrize("randomness", ["same", "different", "error"])
@pytest.mark.parametrize("program", RANDOM.values(), ids=RANDOM)
def test_random_numbers_are_those_of_pytorch(program, randomness):
    def run(t):
        x, v = t.tensor([0.2, 0.5, 0.9]), t.linspace(0.1, 0.9, 12).reshape(4, 3)
        return t.func.vmap(lambda v: program(t, x, v), randomness=randomness)(v)

    agree(run, words=6)


def test_random_numbers_in_directions():
    """The samples of jacfwd differ in their tangents only: one draw serves all."""
    agree(lambda t: t.func.jacfwd(t.bernoulli, randomness="same")(t.full((3,), 0.5)))
    agree(lambda t: t.func.jacfwd(t.bernoulli)(t.full((3,), 0.5)), words=6)


def test_features_are_dropped_as_a_whole():
    def run(randomness):
        drop = chainrule.nn.functional.feature_alpha_dropout
        f = vmap(lambda x: drop(x, training=True), randomness=randomness)
        return f(chainrule.ones(4, 2, 3, 5, 5)).flatten(3)

    for randomness in ("same", "different"):
        dropped = run(randomness)
        assert (dropped == dropped[..., :1]).all()
        assert (dropped == dropped[:1]).all().item() is (randomness == "same")
    with pytest.raises(RuntimeError, match="randomness error mode"):
        run("error")


REFUSED = {
    "mm": lambda t: t.func.vmap(t.mm)(t.ones(2, 2), t.ones(2, 2, 2)),
    "mv": lambda t: t.func.vmap(t.mv)(t.ones(2, 2, 2), t.ones(2, 2, 2)),
    "bmm": lambda t: t.func.vmap(t.bmm)(t.ones(2, 3, 3, 3), t.ones(2, 3)),
    "dot": lambda t: t.func.vmap(t.dot)(t.ones(2, 2), t.ones(2, 2, 2)),
    "addmm": lambda t: t.func.vmap(t.addmm)(t.ones(2, 2, 2), t.ones(2, 2), t.ones(2, 2, 2)),
    "out=": lambda t: t.func.vmap(lambda x: t.abs(x, out=t.ones(3)))(t.ones(2, 3)),
    "where": lambda t: t.func.vmap(t.where)(t.ones(2, 3)),
    "unique": lambda t: t.func.vmap(t.unique)(t.ones(2, 3)),
    "written": lambda t: t.func.vmap(t.Tensor.copy_, in_dims=(None, 0))(t.ones(3), t.ones(2, 3)),
    "too few in_dims": lambda t: t.func.vmap(t.mul, (0,))(t.ones(3), t.ones(3)),
    "in_dims of another kind": lambda t: t.func.vmap(lambda z: z[0], in_dims=((0, 0),))([t.ones(3), t.ones(3)]),
    "out_dims": lambda t: t.func.vmap(lambda x: x, out_dims=(0, 0))(t.ones(3)),
    "beyond the sample": lambda t: t.func.vmap(lambda x: x.as_strided((5,), (1,)))(t.ones(4, 3)),
    "before the sample": lambda t: t.func.vmap(lambda x: x.as_strided((3,), (1,), 0))(t.ones(2, 4, 3)[1]),
    "lengths": lambda t: t.func.vmap(lambda x: x.as_strided((1, 1), (1,)))(t.ones(4, 3)),
    "data": lambda t: t.func.vmap(lambda x: x.data)(t.ones(3)),
    "view across samples": lambda t: t.func.vmap(t.Tensor.view_as, in_dims=(1, 0))(t.ones(2, 7, 5), t.ones(7, 10)),
    "squeeze": lambda t: t.func.vmap(lambda x: t.squeeze(x, 1))(t.ones(3)),
    "complex numbers of one": lambda t: t.func.vmap(t.view_as_complex)(t.ones(2)),
}


@pytest.mark.parametrize("program", REFUSED.values(), ids=REFUSED)
def test_refused_in_the_words_of_pytorch(program):
    agree(program, words=6)


SHOWN = {
    "as_strided": lambda t, x: x.as_strided((2, 2), (1, 1)),
    "as_strided from the front": lambda t, x: x.as_strided((2,), (2,), x.storage_offset() + 1),
    "view": lambda t, x: x.view(-1, 1),
    "squeeze": lambda t, x: x.squeeze(),
    "squeezed number": lambda t, x: x[0].squeeze(),
    "conj": lambda t, x: x.conj(),
    "permuted number": lambda t, x: x[0].permute(()),
}


@pytest.mark.parametrize("program", SHOWN.values(), ids=SHOWN)
def test_views_inside_are_views_outside(program):
    def run(t):
        x = t.arange(12, dtype=t.complex64).reshape(4, 3)
        y = t.func.vmap(lambda x: program(t, x))(x)
        return y.resolve_conj(), y.is_conj(), y.stride(), y.data_ptr() - x.data_ptr()

    agree(run)


OTHERS = {
    "fill_": lambda t, x, v: x.clone().fill_(v),
    "to": lambda t, x, v: x.to(v.double()),
    "strided": lambda t, x, v: x.new_empty_strided((2, 3), (5, 1)).stride(),
    "clone of a number": lambda t, x, v: (v.clone().add_(1), v)[1],
}


@pytest.mark.parametrize("program", OTHERS.values(), ids=OTHERS)
def test_others(program):
    def run(t):
        found = []
        f = t.func.vmap(lambda x, v: found.append(program(t, x, v)) or x * 0 + v)
        f(t.ones(4, 3), t.arange(4.0))
        return (
            found[0]
            if isinstance(found[0], tuple)
            else t.func.vmap(lambda x, v: program(t, x, v))(t.ones(4, 3), t.arange(4.0))
        )

    agree(run)


def test_shapes_of_trees_are_written_as_pytorch_does():
    agree(lambda t: repr(t.utils._pytree.tree_flatten(([1, {"a": 2}], (3,)))[1]))
