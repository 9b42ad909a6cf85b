"""Programs with sparse tensors whose gradients test_sparse_gradients compares: for each name the makers of its leaves,
and the loss that is calculated from them.
"""

from __future__ import annotations

from types import SimpleNamespace

A = [[0.0, 2.0, 0.0], [3.0, 0.0, 4.0], [0.0, 0.0, 5.0]]
B = [[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]
M = [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0], [7.0, 8.0, 9.0]]
INDICES = [[0, 1, 1, 0], [2, 0, 0, 1]]  # one place twice


def leaves(t) -> SimpleNamespace:
    """Makers of fresh leaves, and the constant m."""

    def double(values):
        return t.tensor(values, dtype=t.float64)

    def leaf(make):
        return lambda: make().requires_grad_()

    return SimpleNamespace(
        m=double(M),
        double=double,
        coo=leaf(lambda: double(A).to_sparse()),
        csr=leaf(lambda: double(A).to_sparse_csr()),
        csc=leaf(lambda: double(A).to_sparse_csc()),
        loose=leaf(lambda: t.sparse_coo_tensor(INDICES, double([3.0, 4.0, 5.0, 6.0]), (3, 3))),
        hybrid=leaf(lambda: t.sparse_coo_tensor([[0, 2]], double([M[0], M[1]]), (3, 3))),
        square=leaf(lambda: double(M)),
        tall=leaf(lambda: double(B)),
        vector=leaf(lambda: double([1.0, 2.0, 3.0])),
        four=leaf(lambda: double([3.0, 4.0, 5.0, 6.0])),
    )


def squared(x):
    return (x**2).sum()


def of_layout(t, make) -> dict:
    """For a sparse leaf of any layout."""
    n = leaves(t)
    m, tall, square, vector = n.m, n.tall, n.square, n.vector
    mm = t.sparse.mm
    return {
        "to_dense": ([make], lambda x: (x.to_dense() * m).sum()),
        "to_dense unmasked": ([make], lambda x: (x.to_dense(masked_grad=False) * m).sum()),
        "sparse.mm": ([make, tall], lambda x, y: squared(mm(x, y))),
        "torch.mm": ([make, tall], lambda x, y: squared(t.mm(x, y))),
        "matmul": ([make, tall], lambda x, y: squared(x @ y)),
        "dense matmul": ([square, make], lambda y, x: squared(y @ x)),
        "mv": ([make, vector], lambda x, y: squared(x @ y)),
        "sparse.addmm": ([tall, make, tall], lambda z, x, y: squared(t.sparse.addmm(z, x, y, beta=2, alpha=3))),
        "two sparse": ([make, make], lambda x, y: squared(mm(x, y).to_dense())),
        "sum": ([make], lambda x: x.sum()),
        "norm": ([make], lambda x: x.norm()),
        "number": ([make], lambda x: ((x * 2).to_dense() * m).sum()),
        "sine": ([make], lambda x: (x.sin().to_dense() * m).sum()),
        "negative": ([make], lambda x: ((-x).to_dense() * m).sum()),
        "twice itself": ([make], lambda x: ((x + x).to_dense() * m).sum()),
        "times dense": ([make, square], lambda x, y: (x * y).to_dense().sum()),
        "times itself": ([make], lambda x: (x * x).to_dense().sum()),
        "dense and sparse": ([square, make], lambda y, x: squared(y + x)),
        "transposed": ([make], lambda x: (x.t().to_dense() * m).sum()),
        "selected": ([make], lambda x: (x.select(0, 1).to_dense() * m[0]).sum()),
        "to_sparse": ([make], lambda x: (x.to_sparse().to_dense() * m).sum()),
        "to_sparse_csr": ([make], lambda x: (x.to_sparse_csr().to_dense() * m).sum()),
        "clone": ([make], lambda x: (x.clone().to_dense() * m).sum()),
        "cast": ([make], lambda x: x.float().to_dense().sum()),
        "two passes": ([make, tall], lambda x, y: squared(mm(x, y)) + mm(x, y).sum()),
        "both kinds of gradient": ([make], lambda x: x.to_dense().sum() + x.sum()),
    }


def of_parts(t) -> dict:
    n = leaves(t)
    m, eye = n.m, t.eye(3, dtype=t.float64)
    sparse = t.sparse
    return {
        "coalesce": ([n.loose], lambda x: squared(x.coalesce().values())),
        "values of COO": ([n.coo], lambda x: squared(x.coalesce().values())),
        "values of CSR": ([n.csr], lambda x: squared(x.values())),
        "sparse.sum": ([n.coo], lambda x: sparse.sum(x)),
        "sparse.sum rows": ([n.coo], lambda x: (sparse.sum(x, 0).to_dense() * m[0]).sum()),
        "sparse.sum hybrid": ([n.hybrid], lambda x: (sparse.sum(x, 0) * m[0]).sum()),
        "softmax": ([n.coo], lambda x: (sparse.softmax(x, 1).to_dense() * m).sum()),
        "log_softmax": ([n.coo], lambda x: (sparse.log_softmax(x, 0).to_dense() * m).sum()),
        "softmax hybrid": ([n.hybrid], lambda x: (sparse.softmax(x, 1).to_dense() * m).sum()),
        "COO of values": ([n.four], lambda y: (t.sparse_coo_tensor(INDICES, y, (3, 3)).to_dense() * m).sum()),
        "CSR of values": (
            [n.vector],
            lambda y: (t.sparse_csr_tensor([0, 1, 2, 3], [0, 2, 1], y, (3, 3)).to_dense() * m).sum(),
        ),
        "product of values": (
            [n.four, n.tall],
            lambda y, z: squared(sparse.mm(t.sparse_coo_tensor(INDICES, y, (3, 3)), z)),
        ),
        "made sparse": ([n.square], lambda x: (x.to_sparse().to_dense() * m).sum()),
        "product of made sparse": ([n.square, n.tall], lambda x, y: sparse.mm(x.to_sparse(), y).sum()),
        "made CSR": ([n.square], lambda x: squared(x.to_sparse_csr().values())),
        "masked": ([n.square], lambda x: (x.sparse_mask(eye.to_sparse()).to_dense() * m).sum()),
        "masked COO": ([n.coo], lambda x: (x.sparse_mask(eye.to_sparse()).to_dense() * m).sum()),
        "sampled": ([n.csr, n.square, n.square], lambda x, y, z: (sparse.sampled_addmm(x, y, z).to_dense() * m).sum()),
        "amax": ([n.csr, n.tall], lambda x, y: squared(sparse.mm(x, y, "amax"))),
        "mean": ([n.csr, n.tall], lambda x, y: squared(sparse.mm(x, y, "mean"))),
        "index_select": ([n.coo], lambda x: (x.index_select(0, t.tensor([1, 1, 2])).to_dense() * m).sum()),
        "cat": ([n.coo, n.coo], lambda x, y: squared(t.cat([x, y]).to_dense())),
        "unsqueeze": ([n.coo], lambda x: squared(x.unsqueeze(0).to_dense())),
    }


def of_rows(t) -> dict:
    """Gradients that dense operations give."""
    n = leaves(t)
    functional, at, bags = t.nn.functional, t.tensor([0, 2, 0]), (t.tensor([0, 2, 0, 1]), t.tensor([0, 1]))

    def embedded(x, **options):
        return squared(functional.embedding(at, x, sparse=True, **options))

    def bagged(x, **options):
        return squared(functional.embedding_bag(bags[0], x, bags[1], sparse=True, **options))

    return {
        "embedding": ([n.square], embedded),
        "embedding with padding": ([n.square], lambda x: embedded(x, padding_idx=2)),
        "embedding by frequency": ([n.square], lambda x: embedded(x, scale_grad_by_freq=True)),
        "two embeddings": (
            [n.square],
            lambda x: embedded(x) + functional.embedding(t.tensor([1]), x, sparse=True).sum(),
        ),
        "embedding and dense": ([n.square], lambda x: embedded(x) + x.sum()),
        "dense and embedding": ([n.square], lambda x: x.sum() + embedded(x)),
        "bag": ([n.square], lambda x: bagged(x, mode="sum")),
        "mean bag": ([n.square], lambda x: bagged(x, mode="mean")),
        "bag with padding": ([n.square], lambda x: bagged(x, mode="mean", padding_idx=0)),
        "weighted bag": ([n.square, n.four], lambda x, w: bagged(x, mode="sum", per_sample_weights=w)),
        "gather": ([n.square], lambda x: squared(t.gather(x, 1, t.tensor([[0, 0], [2, 1]]), sparse_grad=True))),
        "gather from a vector": ([n.vector], lambda x: squared(t.gather(x, 0, at, sparse_grad=True))),
    }


def programs(t) -> dict:
    """All of them, by name."""
    n = leaves(t)
    found = {**of_parts(t), **of_rows(t)}
    for kind in ("coo", "csr", "csc", "loose"):
        found.update({f"{name} of {kind}": program for name, program in of_layout(t, getattr(n, kind)).items()})
    return found
