"""Reading and writing at positions: errors in PyTorch's words, and what the sample records do not show."""

from __future__ import annotations

import re

import pytest
import torch

import chainrule
from oracle import assert_all_same, assert_same, assert_same_outcome, gradients, ours, outcome, theirs

BOTH = (chainrule, torch)

ERRORS = """
x.gather(0, i)
x.gather(0, I.float())
x.gather(0, T([[5]]))
x.gather(0, T([[-1]]))
x.gather(0, Z(1, 5))
x.gather(5, I)
t.gather(x, 0, I, out=t.empty(0, dtype=t.float64))
t.gather(x[0], 0, i, out=x[0])
x.scatter(0, I.float(), x)
x.scatter(0, I, x.double())
x.scatter(0, I, t.ones(1, 1))
x.scatter(0, Z(1, 5), 1.0)
x.scatter(0, i, x)
x.scatter(0, I, T(1.0))
x.scatter(0, T([[7]]), x)
x.scatter(0, T([[7]]), 1.0)
x.scatter(0, I, x, reduce="mul")
x.scatter(0, I, 1j)
x.scatter_(0, I, x)
x.scatter_add(0, I, x.double())
x.scatter_add(0, T([[3]]), x)
x.scatter_add_(0, I, x[:2])
x.scatter_reduce(0, I, x, "foo")
x.to(t.complex64).scatter_reduce(0, I, x.to(t.complex64), "amax")
x.bool().scatter_reduce(0, I, x.bool(), "mean")
x.index_select(0, i.float())
x.index_select(0, I)
x.index_select(0, T([5]))
x.index_select(0, T([-1]))
x[0].index_select(0, T([4]))
T(1.0).index_select(0, T([0, 0]))
x.index_select(3, i)
x.index_add(0, i, t.ones(2, 4).double())
x.index_add(0, i.float(), t.ones(2, 4))
x.index_add(0, i, t.ones(3, 4))
x.index_add(0, i, t.ones(2, 3))
x.index_add(0, I, t.ones(2, 2))
x.index_add(0, T([3, 0]), t.ones(2, 4))
x.index_add_(0, T([0, 1, 2]), x)
x[0].index_add(0, T([-1, 0]), t.ones(2))
x.index_copy(0, i.int(), t.ones(2, 4))
x.index_copy(0, i, t.ones(2, 4).double())
x.index_copy(0, i, t.ones(3, 4))
x.index_copy(0, i, t.ones(2, 3))
x.index_copy(0, i, t.ones(4))
x.index_copy(0, i, T(1.0))
x.index_copy(0, T([5, 1]), t.ones(2, 4))
x.index_copy(0, I, t.ones(2, 4))
x.index_fill(0, i, T([1.0]))
x.index_fill(0, i.int(), 1.0)
x.index_fill(0, I, 1.0)
x.index_fill(0, T([3]), 1.0)
x.index_fill(0, i, 1j)
x.index_put((i,), T([1.0, 2.0]))
x.index_put((i, i, i), T(1.0))
x.index_put((i,), T(1.0).double())
x.index_put([i.short()], T(1.0))
x.index_put_([T([9])], T(1.0))
x.index_put([], T(1.0))
x.index_reduce(0, i, t.ones(2, 4), "sum")
x.index_reduce(0, i, t.ones(2, 4).double(), "prod")
x.index_reduce(0, i, t.ones(3, 4), "prod")
x.index_reduce(0, T([7, 0]), t.ones(2, 4), "amax")
x.take(T([12]))
x.take(T([-13]))
x.take(i.int())
t.take(x[:0], T([0]))
x.put(T([0]), T([1.0, 2.0]))
x.put(T([0]), T([1.0]).double())
x.put(T([0.0]), T([1.0]))
x.put(T([12]), T([1.0]))
t.take_along_dim(x, I, 5)
t.take_along_dim(x, T([[0, 1]]), 0)
t.take_along_dim(x, i, 0)
x.masked_fill(x > 3, T([1.0]))
x.masked_fill((x > 3).byte(), 1.0)
x.masked_fill(x > 3, 1j)
x.masked_fill(t.ones(2, dtype=t.bool), 1.0)
x.masked_fill_(t.ones(2, 3, 4, dtype=t.bool), 1.0)
x.masked_select(x)
x.masked_select(t.ones(2, dtype=t.bool))
x.masked_scatter(x > 3, t.ones(2))
x.masked_scatter(x > 3, t.ones(12).double())
x.masked_scatter(x, t.ones(12))
x.select_scatter(t.ones(3), 0, 1)
x.select_scatter(t.ones(4), 0, 5)
x.slice_scatter(t.ones(3, 4), 0, 1, 3)
x.slice_scatter(t.ones(2, 4), 0, 0, 3, 0)
x.diagonal_scatter(t.ones(4))
x.as_strided_scatter(t.ones(3, 2), (2, 2), (1, 2))
x.unfold(0, 4, 1)
x.unfold(0, -1, 1)
x.unfold(0, 2, 0)
x.unfold(2, 2, 1)
x[0].trace()
x.bool().trace()
t.fill(x, T([1.0]))
x.sum_to_size(2, 4)
t.empty_strided((2, 3), (1, -2))
t.empty_strided((2,), (1, 2))
t.empty_permuted((2, 3), (1, 1))
t.empty_permuted((2, 3), (1,))
t.empty_permuted((2, 3), (1, 2))
t.hsplit(x, 3)
t.hsplit(T(1.0), 1)
t.vsplit(x[0], 1)
t.vsplit(x, 2)
t.dsplit(x, 1)
t.constant_pad_nd(x, (1, 1, 1), 2)
t.constant_pad_nd(x, (-3, -3), 2)
t.constant_pad_nd(x, (1, 1, 1, 1, 1, 1), 2)
x.clone().requires_grad_().resize_(3)
x.clone().resize_(2, 2, memory_format=t.preserve_format)
x.clone().set_(i)
x.clone().requires_grad_().set_(x)
t.t_copy(x, out=t.empty(0, dtype=t.float64))
"""


@pytest.mark.parametrize("text", ERRORS.strip().splitlines())
def test_error(text):
    """The same class and, up to the first number, shape or name in quotes, the same words."""

    def run(library):
        x = library.arange(12.0).reshape(3, 4)
        names = {"t": library, "T": library.tensor, "x": x}
        names["i"], names["I"] = library.tensor([0, 2]), library.tensor([[0, 1], [2, 0]])
        names["Z"] = lambda *shape: library.zeros(shape, dtype=library.int64)
        return eval(text, names)

    (_, error), (_, expected) = outcome(run, chainrule), outcome(run, torch)
    assert type(error) is type(expected), f"{error!r} instead of {expected!r}"
    if text != "x.index_put([], T(1.0))":  # PyTorch's words are about its own inside
        words = re.split(r"[\d\[(.,{]|\bgot|dtype ", str(expected))[0].strip()
        assert words, expected
        assert str(error).startswith(words), f"{error!r} instead of {expected!r}"


@pytest.mark.parametrize(
    "write",
    [
        lambda t, x: x.scatter_(0, t.tensor([[0, 1]]), 5.0),
        lambda t, x: x.scatter_add_(1, t.tensor([[0], [3], [0]]), t.ones(3, 1)),
        lambda t, x: x.index_add_(0, t.tensor([2, 2]), t.ones(2, 4)),
        lambda t, x: x.index_copy_(1, t.tensor([1]), t.ones(3, 1)),
        lambda t, x: x.index_fill_(1, t.tensor([-1, 0]), 7.0),
        lambda t, x: x.masked_fill_(x > 5, -1.0),
        lambda t, x: x.masked_scatter_(x > 5, t.arange(12.0)),
        lambda t, x: x.put_(t.tensor([1, -1]), t.tensor([8.0, 9.0])),
        lambda t, x: x.fill_(3.0),
        lambda t, x: x.scatter_reduce_(0, t.tensor([[0, 0], [0, 0]]), t.ones(2, 2), "mean"),
        lambda t, x: x.index_reduce_(0, t.tensor([1, 1]), 2 * t.ones(2, 4), "prod"),
        lambda t, x: x.index_put_((t.tensor([0, 0]),), t.ones(4), True),
    ],
)
@pytest.mark.parametrize("part", [lambda x: x[:, 1:5], lambda x: x.t()[1:5].t(), lambda x: x[::1, ::2]])
def test_writing_through_a_view(write, part):
    """The base's value and gradient follow."""
    results = []
    for library in BOTH:
        leaf = library.arange(24.0).reshape(3, 8).requires_grad_()
        whole = leaf * 1
        view = part(whole)
        written = write(library, view)
        assert written is view
        results.append([whole, view, *gradients(library, [whole * whole], [leaf])])
    assert_all_same(*results)


@pytest.mark.parametrize("name", ["scatter", "scatter_add"])
def test_gradient_of_a_source_that_is_larger_than_the_index(name):
    """PyTorch takes it and then fails in backward; the elements that were not used have gradient zero."""
    x, src = chainrule.zeros(3, 4, requires_grad=True), chainrule.ones(5, 5, requires_grad=True)
    y = getattr(x, name)(0, chainrule.tensor([[0, 1], [2, 0]]), src)
    (g,) = chainrule.autograd.grad(y, src, chainrule.arange(12.0).reshape(3, 4))
    expected = torch.zeros(5, 5)
    expected[:2, :2] = torch.tensor([[0.0, 5.0], [8.0, 1.0]])
    assert_same(g, expected)


def test_gradient_of_as_strided_scatter():
    """PyTorch's gives the part in place of the rest. The same part as a slice shows what is right."""
    results = []
    for f in (
        lambda x, y: x.as_strided_scatter(y, (2, 2), (4, 1), 1),
        lambda x, y: x.slice_scatter(x[:2].slice_scatter(y, 1, 1, 3), 0, 0, 2),
    ):
        x, y = chainrule.zeros(3, 4, requires_grad=True), chainrule.ones(2, 2, requires_grad=True)
        results.append([theirs(t) for t in gradients(chainrule, [f(x, y) ** 2], [x, y])])
        for layout in (lambda t: t.t().clone().t(), lambda t: t):
            z = layout(chainrule.arange(12.0).reshape(3, 4)).requires_grad_()
            assert chainrule.autograd.grad(f(z, y).sum(), z)[0].shape == (3, 4)
    for mine, expected in zip(*results, strict=True):
        torch.testing.assert_close(mine, expected)


def values_with_zeros(library, shape, seed):
    t = torch.randint(0, 3, shape, generator=torch.Generator().manual_seed(seed)).double()
    return (t if library is torch else ours(t)).requires_grad_()


@pytest.mark.parametrize("reduce", ["sum", "prod", "mean", "amax", "amin"])
@pytest.mark.parametrize("include_self", [True, False])
@pytest.mark.parametrize("seed", range(6))
def test_ties_and_zeros(reduce, include_self, seed):
    """Gradients of scatter_reduce and index_reduce where elements are equal or zero."""
    results = []
    for library in BOTH:
        # Without the former values they must not matter, not even by being equal to a result (as they do in PyTorch).
        x = values_with_zeros(library, (3, 4), seed) if include_self else (values_with_zeros(library, (3, 4), seed) + 9)
        src, index = values_with_zeros(library, (6, 4), seed + 50), library.tensor([0, 2, 0, 0, 2, 2])
        y = [x.scatter_reduce(0, index[:, None].expand(6, 4), src, reduce, include_self=include_self)]
        if reduce != "sum":
            y.append(x.index_reduce(0, index, src, reduce, include_self=include_self))
        results.append([*y, *gradients(library, y, [src])])
    assert_all_same(*results)


def test_self_that_equals_the_result_by_chance():
    """It takes no part, so it takes no share of the gradient."""
    x, src = chainrule.tensor([2.0, 5.0]), chainrule.tensor([1.0, 2.0], requires_grad=True)
    y = x.scatter_reduce(0, chainrule.tensor([0, 0]), src, "amax", include_self=False)
    assert chainrule.autograd.grad(y.sum(), src)[0].tolist() == [0.0, 1.0]


def test_second_derivative_of_a_product_with_two_zeros():
    for library in BOTH:
        src = library.tensor([0.0, 0.0, 3.0], requires_grad=True)
        y = library.ones(2).scatter_reduce(0, library.tensor([0, 0, 1]), src, "prod")
        (g,) = library.autograd.grad((y * y).sum(), src, create_graph=True)
        with pytest.raises(RuntimeError, match="Double backward is unsupported for src when >1 zeros in src"):
            g.sum().backward()


def test_scatter_with_reduce_has_no_derivative():
    for library in BOTH:
        x = library.ones(3, requires_grad=True)
        y = x.scatter(0, library.tensor([0]), 2.0, reduce="multiply")
        assert y.grad_fn.name() == "torch::autograd::NotImplemented"
        with pytest.raises(RuntimeError, match="derivative for aten::scatter is not implemented"):
            y.sum().backward()


def test_sums_in_half_are_rounded_once():
    for dtype in ("float16", "bfloat16"):
        small = chainrule.full((4096,), 1 / 256, dtype=getattr(chainrule, dtype))
        zero = chainrule.zeros(1, dtype=getattr(chainrule, dtype))
        index = chainrule.zeros(4096, dtype=chainrule.int64)
        assert zero.scatter_add(0, index, small).item() == 16
        assert zero.scatter_reduce(0, index, small, "sum").item() == 16


def test_int32_indices():
    for f in (
        lambda t, x, i: x.index_select(1, i),
        lambda t, x, i: x.gather(1, i[None].expand(3, 2)),
        lambda t, x, i: x.scatter(1, i[None].expand(3, 2), 1.0),
        lambda t, x, i: x.index_add(1, i, t.ones(3, 2)),
        lambda t, x, i: x[:, i],
        lambda t, x, i: x.index_put((i,), t.tensor(1.0)),
    ):
        results = []
        for library in BOTH:
            x = library.arange(12.0).reshape(3, 4).requires_grad_()
            y = f(library, x, library.tensor([0, 2], dtype=library.int32))
            results.append([y, *gradients(library, [y * y], [x])])
        assert_all_same(*results)


def test_unsafe_split_shares_memory_and_is_no_view():
    x = chainrule.arange(6.0)
    parts = x.unsafe_split(3)
    assert parts[1].data_ptr() == x[3:].data_ptr()
    assert parts[1]._base is None
    copies = chainrule.split_copy(x, 3)
    copies[0].fill_(9.0)
    assert x[0].item() == 0


def test_copies_are_copies():
    x = chainrule.arange(6.0).reshape(2, 3)
    for name, args in (("t", ()), ("view", ((3, 2),)), ("alias", ()), ("select", (0, 1)), ("slice", (1, 0, 2))):
        copy = getattr(chainrule, name + "_copy")(x, *args)
        assert copy.is_contiguous()
        assert copy.data_ptr() != x.data_ptr()
        assert copy._base is None
    z = chainrule.tensor([1 + 2j], requires_grad=True)
    parts = chainrule.view_as_real_copy(z)
    assert (parts.tolist(), parts.grad_fn.name()) == ([[1.0, 2.0]], "ViewAsRealBackward0_copy")
    assert not chainrule.detach_copy(x.requires_grad_()).requires_grad


@pytest.mark.parametrize(
    "change",
    [
        lambda t, x: x.resize_(2, 2),
        lambda t, x: x.resize_(2, 2, 1, 2, memory_format=t.channels_last),
        lambda t, x: x.resize_as_(t.empty(2, 3)),
        lambda t, x: t.resize_as_(x, t.empty(2, 3)),
        lambda t, x: x.resize_as_(
            t.empty(1, 2, 3, 2).to(memory_format=t.channels_last), memory_format=t.preserve_format
        ),
        lambda t, x: x.t().resize_(4, 3),
        lambda t, x: x.set_(),
        lambda t, x: x.set_(t.arange(5.0)[1:]),
        lambda t, x: x.set_(t.arange(8.0), 1, (2, 2)),
        lambda t, x: x.set_(t.arange(8.0), 1, (2, 2), (3, 1)),
        lambda t, x: t.empty_strided((2, 3), (1, 2)).fill_(1.0),
        lambda t, x: x.new_empty_strided((2, 3), (3, 1), dtype=t.int64).fill_(1),
        lambda t, x: t.empty_permuted((2, 3, 4), (0, 2, 1)).fill_(1.0),
    ],
)
def test_layouts(change):
    mine, reference = (change(t, t.arange(12.0).reshape(3, 4)) for t in BOTH)
    assert_same(mine, reference)
    assert mine.stride() == reference.stride()
    assert mine.storage_offset() == reference.storage_offset()


def test_fill_functions():
    for library in BOTH:
        x = library.zeros(2, requires_grad=True)
        value = library.tensor(3.0, requires_grad=True)
        y = library.fill(x, value)
        assert (y.tolist(), x.tolist(), y.grad_fn.name()) == ([3, 3], [0, 0], "FillBackward1")
        assert [g.tolist() for g in library.autograd.grad(y.sum(), [x, value])] == [[0, 0], 2]
        z = library.zeros(2)
        assert library.fill_(z, 4.0) is z
        assert z.tolist() == [4, 4]


def test_forward_mode_of_writes_in_place():
    from chainrule.autograd import forward_ad

    index = chainrule.tensor([[0, 1], [2, 0]])
    with forward_ad.dual_level():
        x = forward_ad.make_dual(chainrule.zeros(3, 2), chainrule.ones(3, 2))
        src = forward_ad.make_dual(chainrule.ones(2, 2), 2 * chainrule.ones(2, 2))
        y = x.clone().scatter_add_(0, index, src)
        assert forward_ad.unpack_dual(y).tangent.tolist() == [[3, 3], [1, 3], [3, 1]]
        z = x.clone().masked_fill_(chainrule.tensor([True, False]), 0.0)
        assert forward_ad.unpack_dual(z).tangent.tolist() == [[0, 1]] * 3


def test_outcome_of_empty_indices():
    for f in (
        lambda t, x: x.gather(0, t.zeros(0, 7, dtype=t.int64)),
        lambda t, x: x.scatter(0, t.zeros(0, dtype=t.int64), t.ones(0)),
        lambda t, x: x.index_select(0, t.zeros(0, dtype=t.int64)),
        lambda t, x: x.index_add(0, t.zeros(0, dtype=t.int64), t.ones(0, 4)),
        lambda t, x: x.take(t.zeros(0, dtype=t.int64)),
        lambda t, x: x.scatter_reduce(0, t.zeros(0, 4, dtype=t.int64), t.ones(0, 4), "mean", include_self=False),
    ):
        mine, reference = (outcome(f, t, t.arange(12.0).reshape(3, 4)) for t in BOTH)
        assert_same_outcome(mine, reference)


@pytest.mark.parametrize("shape", [(3, 3), (2, 4), (4, 2), (7, 3), (9, 2), (3, 3, 3), (2, 3, 3), (3,), (0, 3)], ids=str)
def test_fill_diagonal(shape):
    def f(t, x, wrap, dtype):
        return x.to(getattr(t, dtype)).fill_diagonal_(5, wrap)

    for wrap in (False, True):
        for dtype in ("float32", "int64", "bool"):
            mine, reference = (outcome(f, t, t, t.zeros(shape), wrap, dtype) for t in BOTH)
            assert_same_outcome(mine, reference)


def test_gradient_of_fill_diagonal():
    for library in BOTH:
        x = library.ones(3, 2, requires_grad=True)
        (x * 2).t().fill_diagonal_(7.0).sum().backward()
        assert x.grad.tolist() == [[0, 2], [2, 0], [2, 2]]
