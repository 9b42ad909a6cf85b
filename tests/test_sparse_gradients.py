"""Gradients of programs with sparse tensors: values and layouts beside PyTorch's, and second derivatives."""

from __future__ import annotations

import warnings

import pytest
import torch

import chainrule
from sparse_programs import INDICES, A, B, programs

NAMES = sorted(programs(chainrule))


def described(gradient) -> tuple | None:
    if gradient is None:
        return None
    layout, dtype = (str(x).rpartition(".")[2] for x in (gradient.layout, gradient.dtype))
    return layout, dtype, gradient.detach().to_dense().reshape(-1).tolist()


def outcome(library, name: str):
    """The loss and the gradients, or the exception."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        makers, loss = programs(library)[name]
        inputs = [make() for make in makers]
        try:
            result = loss(*inputs)
            result.backward()
        except Exception as error:
            return error
    return float(result.detach()), [described(x.grad) for x in inputs]


@pytest.mark.parametrize("name", NAMES)
def test_gradients(name):
    mine, theirs = outcome(chainrule, name), outcome(torch, name)
    if isinstance(theirs, Exception):
        # PyTorch lacks many of these derivatives. What it refuses by name is refused here in the same words.
        if any(words in str(theirs) for words in ("not supported with sparse gradients", "invalid gradient at index")):
            assert str(theirs) in str(mine)
        else:
            assert not isinstance(mine, Exception), mine
            assert all(g is not None for g in mine[1])
        return
    assert not isinstance(mine, Exception), mine
    assert mine[0] == pytest.approx(theirs[0], rel=1e-12)
    for found, expected in zip(mine[1], theirs[1], strict=True):
        assert found[:2] == expected[:2]
        assert found[2] == pytest.approx(expected[2], rel=1e-12, abs=1e-12)


def double(values):
    return chainrule.tensor(values, dtype=chainrule.float64)


def of_values(function):
    """The function of the values of a sparse tensor, for gradcheck."""
    return lambda values: function(chainrule.sparse_coo_tensor(INDICES, values, (3, 3)))


DENSE = {
    "sine": lambda x: x.coalesce().sin().to_dense(),
    "product": lambda x: chainrule.sparse.mm(x, double(B) * x.to_dense()[:, :2]),
    "torch.mm": lambda x: chainrule.mm(x, x.to_dense()),
    "two sparse": lambda x: chainrule.sparse.mm(x, x).to_dense(),
    "times itself": lambda x: (x * x.sin()).to_dense(),
    "times dense": lambda x: (x * x.to_dense()).to_dense(),
    "sum": lambda x: x.sum() ** 2,
    "sum of rows": lambda x: chainrule.sparse.sum(x, 1).to_dense() ** 2,
    "softmax": lambda x: chainrule.sparse.softmax(x, 1).to_dense(),
    "log_softmax": lambda x: chainrule.sparse.log_softmax(x, 0).to_dense(),
    "CSR": lambda x: chainrule.sparse.mm(x.coalesce().to_sparse_csr(), double(B)) ** 2,
    "CSC": lambda x: chainrule.sparse.mm(x.coalesce().to_sparse_csc(), double(B)) ** 2,
    "BSR": lambda x: x.coalesce().to_sparse_bsr((3, 1)).to_dense() ** 2,
    "sampled": lambda x: chainrule.sparse.sampled_addmm(
        x.coalesce().to_sparse_csr(), x.to_dense(), x.to_dense()
    ).to_dense(),
    "select and cat": lambda x: chainrule.cat([x, x * x]).select(0, 4).to_dense(),
    "index_select": lambda x: x.index_select(1, chainrule.tensor([2, 0, 0])).to_dense() ** 2,
    "dense and sparse": lambda x: (x.to_dense() + x * 3) ** 2,
}


@pytest.mark.parametrize("name", list(DENSE))
def test_derivatives_of_both_orders(name):
    values = double([0.5, 1.5, -2.0, 0.7]).requires_grad_()
    assert chainrule.autograd.gradcheck(of_values(DENSE[name]), (values,))
    assert chainrule.autograd.gradgradcheck(of_values(DENSE[name]), (values,))


@pytest.mark.parametrize("complex_", [False, True])
def test_the_products_are_each_others_derivatives(complex_):
    dtype = chainrule.complex128 if complex_ else chainrule.float64
    values = (chainrule.randn(4, dtype=dtype)).requires_grad_()
    b = chainrule.randn(3, 2, dtype=dtype).requires_grad_()

    def product(v, x):
        return chainrule.sparse.mm(chainrule.sparse_csr_tensor([0, 2, 3, 4], [0, 2, 1, 1], v, (3, 3)), x)

    def from_the_right(v, x):
        return x.t() @ chainrule.sparse_csr_tensor([0, 2, 3, 4], [0, 2, 1, 1], v, (3, 3))

    for function in (product, from_the_right):
        assert chainrule.autograd.gradcheck(function, (values, b))
        assert chainrule.autograd.gradgradcheck(function, (values, b))


def test_masked_gradcheck():
    x, y = double(A).to_sparse().requires_grad_(), double(B).requires_grad_()
    for gradcheck in (
        chainrule.autograd.gradcheck,
        chainrule.sparse.as_sparse_gradcheck(chainrule.autograd.gradcheck),
        chainrule.autograd.gradgradcheck,
    ):
        assert gradcheck(chainrule.sparse.mm, (x, y), masked=True)
        assert gradcheck(chainrule.mm, (x, y), masked=False)
        assert gradcheck(lambda x: x.to_dense(masked_grad=False), (x,), masked=False)
    wrong = chainrule.autograd.gradcheck.__globals__["GradcheckError"]
    with pytest.raises(wrong):
        chainrule.autograd.gradcheck(lambda x: x.detach() * chainrule.sparse.sum(x), (x,), masked=True)


def test_hooks_and_retained_gradients_see_sparse_tensors():
    x = double(A).to_sparse().requires_grad_()
    y = x * 2
    y.retain_grad()
    seen = []
    x.register_hook(lambda g: seen.append(g.layout))
    x.register_post_accumulate_grad_hook(lambda leaf: seen.append(leaf.grad.layout))
    chainrule.sparse.sum(y).backward()
    assert seen == [chainrule.sparse_coo] * 2
    assert y.grad.is_sparse
    assert y.grad.to_dense().tolist() == (double(A) != 0).double().tolist()


def test_a_gradient_is_accumulated_into_the_same_object():
    x = double(A).to_sparse().requires_grad_()
    chainrule.sparse.sum(x).backward()
    first = x.grad
    chainrule.sparse.sum(x * 3).backward()
    assert x.grad is first
    assert x.grad.to_dense().tolist() == (4 * (double(A) != 0)).tolist()


def test_a_sparse_gradient_through_a_dense_operation_has_the_right_values():
    weight = double(A).requires_grad_()
    chainrule.nn.functional.embedding(chainrule.tensor([0, 2, 0]), weight * 2, sparse=True).sum().backward()
    assert weight.grad.to_dense().tolist() == [[4.0] * 3, [0.0] * 3, [2.0] * 3]


def test_autograd_grad_gives_sparse_gradients_with_history():
    x = double(A).to_sparse().requires_grad_()
    (g,) = chainrule.autograd.grad(chainrule.sparse.sum(x * x), x, create_graph=True)
    assert g.is_sparse
    assert g.requires_grad
    (second,) = chainrule.autograd.grad(chainrule.sparse.sum(g), x)
    assert second.to_dense().tolist() == (2 * (double(A) != 0)).tolist()


@pytest.mark.parametrize("inner", [0, 2])
def test_a_dense_gradient_of_a_sampled_product_stays_dense(inner):
    found = []
    for library in (chainrule, torch):
        x = library.eye(3).to_sparse_csr().requires_grad_()
        a, b = (library.ones(*shape).requires_grad_() for shape in ((3, inner), (inner, 3)))
        y = library.sparse.sampled_addmm(x, a, b, alpha=0.6, beta=0.2)
        y.backward(library.arange(9.0).reshape(3, 3))
        found.append([str(x.grad.layout), x.grad.tolist(), a.grad.tolist(), b.grad.tolist()])
    assert found[0] == found[1]


def test_a_step_on_a_table_takes_memory_for_the_rows_that_it_reads():
    taken = {}
    for sparse in (True, False):
        table = chainrule.nn.EmbeddingBag(1_000_000, 64, mode="sum", sparse=sparse)
        optimizer = chainrule.optim.SGD(table.parameters(), lr=0.1)
        before = chainrule.memory.statistics()["allocated"]
        chainrule.memory.reset_peak()
        table(chainrule.arange(16_384).reshape(1024, 16) * 61).sum().backward()
        optimizer.step()
        taken[sparse] = chainrule.memory.statistics()["peak_allocated"] - before
    assert taken[True] <= taken[False] / 50
