"""What a sparse tensor shares with others, what becomes of it in place, and its derivatives, beside PyTorch."""

import io
import pickle
import warnings

import pytest
import torch

import chainrule
from both import no_leaks  # noqa: F401  (a fixture)

LIBRARIES = [chainrule, torch]
COMPRESSED = ["sparse_csr", "sparse_csc", "sparse_bsr", "sparse_bsc"]


@pytest.fixture(autouse=True)
def quiet():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # PyTorch's compressed layouts are in beta state
        yield


def of_layout(library, layout, dtype="float64", rows=((0.0, 2.0, 3.0, 0.0), (4.0, 0.0, 0.0, 5.0))):
    x = library.tensor(rows, dtype=getattr(library, dtype))
    options = {"blocksize": (1, 2)} if layout.startswith("sparse_b") else {}
    return x if layout == "strided" else x.to_sparse(layout=getattr(library, layout), **options)


def both(function):
    """What a function gives in each library."""
    mine, theirs = (function(library) for library in LIBRARIES)
    assert mine == theirs
    return mine


# ---- memory


@pytest.mark.parametrize("layout", COMPRESSED)
def test_a_transpose_shares_its_values(layout):
    def told(library):
        x = of_layout(library, layout)
        y = x.transpose(0, 1)
        x.values().fill_(7.0)
        y.mul_(2)
        z = y.transpose(0, 1)
        return x.to_dense().tolist(), y._base is x, z._base is x, z.layout is x.layout, y.values()._is_view()

    both(told)


@pytest.mark.parametrize("layout", COMPRESSED)
@pytest.mark.parametrize("name", ["mul_", "neg_", "sin_", "zero_", "fill_"])
def test_in_place_operations_write_the_values(layout, name):
    def told(library):
        x = of_layout(library, layout)
        values = x.values()
        getattr(x, name)(*{"mul_": (3.0,), "fill_": (2.0,)}.get(name, ()))
        return values.tolist(), x.to_dense().tolist(), x._nnz()

    both(told)


@pytest.mark.parametrize("layout", COMPRESSED)
def test_one_of_a_batch_is_a_view(layout):
    def told(library):
        x = library.arange(1.0, 17.0).reshape(2, 2, 4)
        options = {"blocksize": (1, 2)} if layout.startswith("sparse_b") else {}
        x = x.to_sparse(layout=getattr(library, layout), **options)
        x[1].values().zero_()
        return x.to_dense().tolist(), x[0]._is_view(), library.select_copy(x, 0, 1)._is_view()

    both(told)


@pytest.mark.parametrize("shape", [(2, 4, 5), (2, 1, 5), (1, 5), (4, 5)])
def test_resized_batches_stay_within_their_size(shape):
    x = chainrule.ones(2, 2, 3).to_sparse_csr().resize_(shape)
    indices = (x.crow_indices(), x.col_indices())
    assert tuple(x.shape) == shape
    assert int(indices[1].max()) < shape[-1]
    assert (indices[0].diff(dim=-1) >= 0).all()
    assert (indices[0][..., -1] == x._nnz()).all()
    assert x._nnz() == torch.ones(2, 2, 3).to_sparse_csr().resize_(shape)._nnz()


def test_new_tensors_without_values_stay_within_their_size():
    x = chainrule.ops.aten._sparse_compressed_tensor_with_dims(
        3, 0, (4, 4), (), chainrule.int64, dtype=chainrule.float32, layout=chainrule.sparse_csr
    )
    assert x.to_dense().sum() == 0
    assert x._nnz() == 3


def test_nobody_is_given_the_memory_of_a_sparse_tensor():
    x = chainrule.eye(2).to_sparse()
    for export in (x.__dlpack__, lambda: chainrule.to_dlpack(x)):
        with pytest.raises(BufferError, match="Can't export tensors with layout other than"):
            export()


# ---- sums of many small numbers


@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
def test_products_of_halves_are_rounded_once(dtype):
    rows = chainrule.full((1, 4096), 0.001, dtype=getattr(chainrule, dtype))
    found = chainrule.sparse.mm(rows.to_sparse_csr(), chainrule.ones(4096, 1, dtype=rows.dtype))
    exact = rows.double().sum()
    assert float(found) == float(exact.to(rows.dtype))


# ---- derivatives

SECOND = {
    "select": lambda library, x: x.select(0, 1).to_dense() ** 3,
    "select of an element": lambda library, x: x[1][3] ** 3,
    "times itself": lambda library, x: (x * x).to_dense() ** 2,
    "times dense": lambda library, x: (x * library.arange(8.0).reshape(2, 4)).to_dense() ** 2,
    "masked": lambda library, x: x.sparse_mask(x.detach().sin()).to_dense() ** 3,
    "transposed": lambda library, x: x.transpose(0, 1).to_dense() ** 3,
    "values": lambda library, x: x.values() ** 3,
    "product": lambda library, x: library.sparse.mm(x, library.ones(4, 2, dtype=library.float64)) ** 3,
}


@pytest.mark.parametrize("layout", ["sparse_coo", *COMPRESSED])
@pytest.mark.parametrize("name", SECOND)
def test_second_order_gradients(name, layout):
    """Compared with those of the dense tensor at the places that the sparse one has."""
    x = of_layout(chainrule, layout)
    values = x.values().detach().clone().requires_grad_()
    pattern = chainrule.sparse_coo_tensor if layout == "sparse_coo" else None

    def made(v):
        if pattern is not None:
            return chainrule.sparse_coo_tensor(x.indices(), v, x.shape, is_coalesced=True)
        by_row = layout in ("sparse_csr", "sparse_bsr")
        parts = (x.crow_indices(), x.col_indices()) if by_row else (x.ccol_indices(), x.row_indices())
        return chainrule.sparse_compressed_tensor(*parts, v, x.shape, layout=x.layout)

    def function(v):
        return SECOND[name](chainrule, made(v))

    assert chainrule.autograd.gradcheck(function, (values,))
    assert chainrule.autograd.gradgradcheck(function, (values,))


@pytest.mark.parametrize("dim", [0, 1, 2])
def test_logarithmic_softmax_of_places_named_twice(dim):
    indices = chainrule.tensor([[0, 0, 1, 1, 0], [0, 0, 1, 1, 1], [1, 1, 0, 2, 0]])
    values = chainrule.tensor([0.5, 1.0, -2.0, 0.3, 0.7], dtype=chainrule.float64, requires_grad=True)

    def function(v):
        return chainrule.sparse.log_softmax(chainrule.sparse_coo_tensor(indices, v, (2, 2, 3)), dim).to_dense()

    assert chainrule.autograd.gradcheck(function, (values,))


@pytest.mark.parametrize("layout", ["sparse_coo", *COMPRESSED])
def test_the_gradient_of_an_element_is_dense(layout):
    def told(library):
        x = of_layout(library, layout if layout != "sparse_bsr" else "sparse_coo").requires_grad_()
        (x[1] if layout not in ("sparse_csc", "sparse_bsc") else x.select(1, 3)).sum().backward()
        return str(x.grad.layout).rpartition(".")[2], x.grad.to_dense().tolist()

    both(told)


@pytest.mark.parametrize("layout", ["sparse_coo", "sparse_csr"])
def test_the_gradient_of_what_is_added_to_a_dense_tensor_is_dense(layout):
    def told(library):
        x = of_layout(library, layout).requires_grad_()
        y = of_layout(library, "strided").clone()
        (y.add_(x, alpha=2) ** 2).sum().backward()
        return str(x.grad.layout).rpartition(".")[2], x.grad.tolist()

    both(told)


def test_sums_with_dense_dimensions_are_right():
    """PyTorch adds only some of the numbers here."""
    x = chainrule.sparse_csr_tensor([0, 1], [0], [[1.0, 2.0]], (1, 1, 2))
    assert (chainrule.zeros(1, 1, 2) + x).tolist() == [[[1.0, 2.0]]]


@pytest.mark.parametrize("options", [{}, {"momentum": 0.9, "nesterov": True}, {"weight_decay": 0.1, "maximize": True}])
@pytest.mark.parametrize("layout", ["sparse_coo", "sparse_csr"])
def test_sgd_learns_sparse_parameters(layout, options):
    def told(library):
        p = library.nn.Parameter(of_layout(library, layout))
        optimizer = library.optim.SGD([p], lr=0.1, **options)
        for _ in range(3):
            optimizer.zero_grad()
            library.sparse.mm(p, library.ones(4, 1, dtype=library.float64)).square().sum().backward()
            optimizer.step()
        return p.layout is getattr(library, layout), [round(v, 9) for v in p.detach().to_dense().reshape(-1).tolist()]

    both(told)


# ---- files


@pytest.mark.parametrize("dtype", ["float64", "int64", "complex64", "bfloat16"])
@pytest.mark.parametrize("layout", ["sparse_coo", *COMPRESSED])
def test_checkpoints_go_both_ways(layout, dtype):
    for writer, reader in (LIBRARIES, LIBRARIES[::-1]):
        x, file = of_layout(writer, layout, dtype), io.BytesIO()
        writer.save({"x": x}, file)
        file.seek(0)
        y = reader.load(file, weights_only=True)["x"]
        assert repr(y) == repr(x)


@pytest.mark.parametrize("layout", ["sparse_coo", *COMPRESSED])
def test_pickles_keep_index_dtypes_and_flags(layout):
    x = of_layout(chainrule, layout)
    if layout != "sparse_coo":
        by_row = layout in ("sparse_csr", "sparse_bsr")
        parts = (x.crow_indices(), x.col_indices()) if by_row else (x.ccol_indices(), x.row_indices())
        starts, plain = (p.int() for p in parts)
        x = chainrule.sparse_compressed_tensor(starts, plain, x.values(), x.shape, layout=x.layout)
    y = pickle.loads(pickle.dumps(x))
    assert repr(y) == repr(x)
    if layout == "sparse_coo":
        assert y.is_coalesced() == x.is_coalesced()
