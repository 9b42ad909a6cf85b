"""Sparse tensors beside PyTorch's, in one line each: what they print, and the class and words of what they raise."""

from __future__ import annotations

import re
import warnings
from pathlib import Path

import pytest
import torch

import chainrule
from both import no_leaks  # noqa: F401  (a fixture)

FILES = ("sparse_expressions.txt", "sparse_conversions.txt", "sparse_operations.txt")
EXPRESSIONS = [e for name in FILES for e in (Path(__file__).parent / name).read_text().splitlines()]

# What PyTorch takes without looking at it, and what it refuses for reasons of its own: indices that lead nowhere are
# refused here, slices of a row are calculated.
REFUSED = [
    ("torch.sparse_coo_tensor([[5]], [1.], (2,))", "size is inconsistent with indices: for dim 0, size is 2 but found"),
    ("torch.sparse_coo_tensor([[-1]], [1.], (2,))", "found negative index -1 for dim 0"),
    ("torch.sparse_csr_tensor([0, 1, 5], [0, 1], [1., 2.], (2, 2))", "`crow_indices[..., -1] == nnz` is not satisfied"),
    ("torch.sparse_csr_tensor([0, 1, 2], [0, 7], [1., 2.], (2, 2))", "`0 <= col_indices < ncols` is not satisfied"),
    ("torch.sparse_csr_tensor([0, 3, 2], [0, 1], [1., 2.], (2, 2))", "`0 <= crow_indices[..., 1:] - crow_indices"),
    ("c.numpy()", "can't convert Sparse layout tensor to numpy"),
    ("r.numpy()", "can't convert SparseCsr layout tensor to numpy"),
    ("memoryview(c)", "a sparse tensor has no memory to show"),
]


def names(library) -> dict:
    c = library.sparse_coo_tensor([[0, 1, 1], [2, 0, 2]], [3.0, 4.0, 5.0], (2, 3))
    b = library.arange(16.0).reshape(4, 4)
    b.fill_diagonal_(0)
    return {
        "torch": library,
        "i": library.tensor([[0, 1, 1], [2, 0, 2]]),
        "v": library.tensor([3.0, 4.0, 5.0]),
        "s": c,
        "c": c.coalesce(),
        "r": c.coalesce().to_sparse_csr(),
        "d": library.ones(2, 3),
        "h": library.sparse_coo_tensor([[0, 2, 0]], [[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]], (3, 2)),
        "b": b,
        "u": library.sparse_coo_tensor([[0, 1, 1, 0], [2, 0, 0, 1]], [3.0, 4.0, 5.0, 6.0], (2, 3)),
    }


def shown(expression: str, library) -> str:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # PyTorch's compressed layouts are in beta state
        try:
            return repr(eval(expression, names(library)))
        except Exception as error:
            text = re.split(r" This could be because| Sparse tensors have no such", str(error).partition("\n")[0])[0]
            return f"{type(error).__name__} {re.sub(r'aten::[a-zA-Z_.]+', 'aten::', text)}"


@pytest.mark.parametrize("expression", EXPRESSIONS)
def test_expression(expression):
    assert shown(expression, chainrule) == shown(expression, torch)


@pytest.mark.parametrize(("expression", "words"), REFUSED, ids=[e for e, _ in REFUSED])
def test_refused(expression, words):
    with pytest.raises((RuntimeError, TypeError, BufferError)) as caught:
        eval(expression, names(chainrule))
    assert words in str(caught.value)


def test_slices_are_calculated():
    t = names(chainrule)
    assert t["c"][0:1].to_dense().tolist() == [[0.0, 0.0, 3.0]]
    assert t["c"].narrow(1, 1, 2).to_dense().tolist() == [[0.0, 3.0], [0.0, 5.0]]
    assert t["c"][:, ::2].to_dense().tolist() == [[0.0, 3.0], [4.0, 5.0]]


def test_products_of_uncoalesced_tensors_are_those_of_their_sums():
    """PyTorch multiplies entry by entry here, which gives other sums."""
    u, c = names(chainrule)["u"], names(chainrule)["c"]
    assert (u * u).to_dense().tolist() == (u.to_dense() * u.to_dense()).tolist()
    assert (u * c).to_dense().tolist() == (u.to_dense() * c.to_dense()).tolist()
    assert (u + c).to_dense().tolist() == (u.to_dense() + c.to_dense()).tolist()


def test_converted_layouts_have_the_same_elements():
    b = names(chainrule)["b"]
    made = [b.to_sparse(), b.to_sparse_csr(), b.to_sparse_csc(), b.to_sparse_bsr((2, 2)), b.to_sparse_bsc((1, 2))]
    for x in made[:3]:
        for y in made[:3]:
            assert x.to_sparse(layout=y.layout).to_dense().tolist() == b.tolist()
        assert x.to_sparse_bsr((2, 2)).to_dense().tolist() == b.tolist()
    for x in made[3:]:
        assert x.to_sparse().to_dense().tolist() == b.tolist()


def test_invariants_are_checked_where_asked():
    words = "sorted and distinct along the last dimension"
    unsorted = ([0, 2, 2], [1, 0], [1.0, 2.0], (2, 2))
    chainrule.sparse_csr_tensor(*unsorted)
    check = chainrule.sparse.check_sparse_tensor_invariants
    with check(), pytest.raises(RuntimeError, match=words):
        chainrule.sparse_csr_tensor(*unsorted)
    assert not check.is_enabled()
    with pytest.raises(RuntimeError, match=words):
        check()(chainrule.sparse_csr_tensor)(*unsorted)
    with check(), pytest.raises(RuntimeError, match="uncoalesced"):
        chainrule.sparse_coo_tensor([[1, 0]], [1.0, 2.0], (2,), is_coalesced=True)


def test_a_sparse_tensor_is_a_tensor():
    x = chainrule.eye(2).to_sparse()
    assert type(x) is chainrule.Tensor
    assert chainrule.is_tensor(x)
    assert isinstance(x, chainrule.Tensor)
    assert x.layout is chainrule.sparse_coo
    assert x.is_sparse
    assert not x.is_sparse_csr
    assert chainrule.eye(2).layout is chainrule.strided
    assert not chainrule.eye(2).is_sparse
    assert [row.to_dense().tolist() for row in x] == [[1.0, 0.0], [0.0, 1.0]]
    assert 1.0 in x
    assert 5.0 not in x
    parameter = chainrule.nn.Parameter(x)
    assert parameter.is_sparse
    assert parameter.requires_grad
    assert parameter.is_leaf


def test_in_place_operations_keep_the_object_and_its_history():
    x = chainrule.eye(2).to_sparse().requires_grad_()
    y = x * 2
    y.mul_(3)
    chainrule.sparse.sum(y).backward()
    assert x.grad.to_dense().tolist() == [[6.0, 0.0], [0.0, 6.0]]
    with pytest.raises(RuntimeError, match="a leaf Variable that requires grad is being used in an in-place operation"):
        x.mul_(2)


@pytest.mark.usefixtures("no_leaks")
def test_no_sparse_tensor_is_left_alive():
    x = chainrule.eye(3).to_sparse().requires_grad_()
    chainrule.sparse.mm(x, chainrule.ones(3, 2)).sum().backward()
    assert x.grad.is_sparse
