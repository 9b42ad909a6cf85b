"""Records of ordering, searching and counting."""

from .record import B, N, X, op

_M = X(3, 4, 5)
NO_GRADIENT = "gradient second forward"  # PyTorch has none, and says so when asked for it
EXPANDED = "expanded"  # PyTorch reads elements of other rows along an expanded dimension: test_ordering.py
SEQUENCE = X(7, low=0, ascending=True)

ORDERING = [
    *(op(name, _M) for name in ("sort", "argsort", "msort")),
    *(op(name, _M, dim) for name in ("sort", "argsort") for dim in (0, 1, -1)),
    *(op(name, _M, 1, True) for name in ("sort", "argsort")),
    *(op(name, _M, stable=True, dim=0, descending=True) for name in ("sort", "argsort")),
    op("sort", _M, stable=None),
    *(op(name, x) for name in ("sort", "argsort", "msort") for x in (X(), X(0), X(2, 0), X(1), B(9))),
    op("sort", N(13)),
    *(op("topk", _M, k) for k in (0, 1, 3, 5)),
    *(op("topk", _M, 2, dim, largest) for dim in (0, 1, -1) for largest in (True, False)),
    op("topk", X(12), 7, sorted=False),
    op("topk", N(12), 7, sorted=False),
    op("topk", X(140), 2),
    op("topk", X(140), 2, 0, False),
    *(op("topk", x, 1) for x in (X(), X(1), N(9), X(0, 3))),
    op("topk", X(3, 0), 0),
    *(op("kthvalue", _M, k) for k in (1, 3, 5)),
    *(op("kthvalue", _M, 2, dim, True) for dim in (0, 1, -1)),
    *(op("kthvalue", x, 1) for x in (X(), X(1), X(0, 3))),
    op("kthvalue", N(30), 11),
    *(op(name, x) for name in ("median", "nanmedian") for x in (_M, X(), X(1), X(6), N(30))),
    op("median", X(0), skip="gradient"),  # of nothing: NaN
    op("nanmedian", X(0), skip="gradient"),
    *(op(name, _M, dim, skip=EXPANDED) for name in ("median", "nanmedian") for dim in (0, 1, -1)),
    *(op(name, _M, 1, keepdim=True) for name in ("median", "nanmedian", "mode")),
    *(op(name, x, 0, skip=EXPANDED) for name in ("median", "nanmedian") for x in (X(), X(1), X(3, 0), N(30))),
    *(op("mode", _M, dim) for dim in (0, 1, -1)),
    *(op("mode", x, 0) for x in (X(), X(1), X(3, 0), N(30))),
    op("mode", _M),
    *(
        op(name, x, skip=NO_GRADIENT)
        for name in ("unique", "unique_consecutive")
        for x in (X(3, 4), X(), X(0), X(2, 0), B(9))
    ),
    *(
        op(name, N(4, 5), return_inverse=inverse, return_counts=counts, dim=dim)
        for name in ("unique", "unique_consecutive")
        for inverse, counts, dim in [(True, False, None), (False, True, None), (True, True, 0), (True, True, -1)]
    ),
    op("unique", N(2, 9, 2, high=2), return_inverse=True, return_counts=True, dim=1),
    op("unique", X(5), False, skip=NO_GRADIENT),
    *(op(name, x, skip=NO_GRADIENT) for name in ("unique", "unique_consecutive") for x in [X(4, 3)]),
    *(op(name, X(4, 3), dim=0, skip=NO_GRADIENT) for name in ("unique", "unique_consecutive")),
    *(op(name, x) for name in ("nonzero", "argwhere") for x in (X(3, 4), N(3, 2, 4), B(20), X(), X(0), X(3, 0), B(1))),
    *(op("nonzero", x, as_tuple=True) for x in (N(3, 4), B(9), N(), X(0))),
    op("nonzero", N(3, 4), as_tuple=False),
    *(op("nonzero_static", N(3, 4), size=size) for size in (0, 3, 20)),
    op("nonzero_static", B(4), size=6, fill_value=7),
    op("searchsorted", SEQUENCE, X(3, 4)),
    op("searchsorted", SEQUENCE, X(3, 4), right=True),
    op("searchsorted", SEQUENCE, X(3, 4), side="right", out_int32=True),
    op("searchsorted", X(2, 3, 6, low=0, ascending=True), X(2, 3, 4)),
    op("searchsorted", X(2, 6, low=0, ascending=True), X(2, 0)),
    op("searchsorted", X(0), X(3)),
    op("searchsorted", SEQUENCE, 1.2),
    op("searchsorted", SEQUENCE, 1, right=True),
    op("searchsorted", X(1, low=0), X(3), sorter=N(1, high=1)),
    op("bucketize", X(3, 4), SEQUENCE),
    op("bucketize", X(), SEQUENCE, right=True),
    op("bucketize", X(3), SEQUENCE, out_int32=True),
    op("bucketize", 1.2, SEQUENCE),
    op("bincount", N(20)),
    op("bincount", N(20), minlength=9),
    op("bincount", N(20), X(20, grad=False), skip="complex64 complex128"),  # PyTorch warns
    op("bincount", N(0), minlength=2),
    op("histc", X(30, grad=False), 5),
    op("histc", X(30, grad=False), 4, -1, 1.5),
    op("histc", X(3, 4, grad=False), bins=3, min=0, max=1),
    op("histc", X(0, grad=False), 3),
    op("histc", X(grad=False), 3),
]
