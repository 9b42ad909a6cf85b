"""Records of reductions, scans, softmax and norms."""

from .record import B, N, X, op

_M = X(3, 4, 5)
EMPTY = "dtypes"  # with nothing to calculate PyTorch does not look at the dtype

REDUCTIONS = [
    *(
        op(name, _M)
        for name in [
            "sum",
            "mean",
            "prod",
            "std",
            "var",
            "amax",
            "amin",
            "nansum",
            "nanmean",
            "logsumexp",
            "all",
            "any",
        ]
        if name != "logsumexp"
    ),
    *(
        op(name, _M, 1)
        for name in [
            "sum",
            "mean",
            "prod",
            "std",
            "var",
            "amax",
            "amin",
            "nansum",
            "nanmean",
            "logsumexp",
            "all",
            "any",
        ]
    ),
    *(
        op(name, _M, -1, keepdim=True)
        for name in ["sum", "mean", "prod", "std", "var", "amax", "amin", "nansum", "nanmean", "logsumexp"]
    ),
    *(
        op(name, _M, (0, 2))
        for name in ["sum", "mean", "std", "var", "amax", "amin", "nansum", "nanmean", "logsumexp", "all", "any"]
    ),
    *(op(name, _M, (0, -1), keepdim=True) for name in ["sum", "mean", "amax", "logsumexp"]),
    *(op(name, X(4, 1, 3), 1) for name in ["sum", "mean", "prod", "amax", "logsumexp"]),
    *(op(name, X()) for name in ["sum", "mean", "prod", "amax", "amin", "max", "min", "nansum", "nanmean"]),
    *(op(name, X(0)) for name in ["sum", "mean", "prod", "nansum", "nanmean", "all", "any"]),
    *(op(name, X(0, 3), 0) for name in ["sum", "mean", "prod", "nansum", "nanmean", "all", "any"]),
    *(op(name, X(3, 0), 0) for name in ["sum", "mean", "prod", "logsumexp"]),
    op("amax", X(3, 0), 0, skip=EMPTY),
    *(op(name, X(2, 40, 37), dim) for name in ("sum", "mean", "amax", "logsumexp") for dim in (0, 1, 2)),
    op("sum", _M, dim=()),
    op("sum", _M, []),
    op("sum", _M, None),
    op("var", _M, 1, unbiased=False),
    op("std", _M, False),
    op("var", _M, correction=2),
    op("var", _M, dim=(0, 1), correction=0, keepdim=True),
    op("std", _M, dim=None, correction=1.5),
    op("std_mean", _M),
    op("std_mean", _M, 1),
    op("var_mean", _M),
    op("var_mean", _M, (0, 2), correction=0),
    *(op(name, _M) for name in ("max", "min", "argmax", "argmin", "aminmax", "count_nonzero")),
    *(op(name, _M, 1) for name in ("max", "min", "argmax", "argmin", "count_nonzero")),
    *(op(name, _M, -1, keepdim=True) for name in ("max", "min", "argmax", "argmin")),
    op("hash_tensor", _M),
    op("hash_tensor", _M, (0, 2), keepdim=True),
    op("hash_tensor", N(7), 0),
    op("aminmax", _M, dim=1),
    op("aminmax", _M, dim=-1, keepdim=True),
    op("max", X(3, 4), X(3, 4)),
    op("min", X(3, 4), X(4)),
    op("all", _M, 1, keepdim=True),
    op("any", _M, 1, keepdim=True),
    *(op(name, _M, dim) for name in ("cumsum", "cumprod", "cummax", "cummin", "logcumsumexp") for dim in (0, -1)),
    *(op(name, X(), 0) for name in ("cumsum", "cumprod", "logcumsumexp")),
    *(op(name, X(0, 3), 0) for name in ("cumsum", "cumprod", "logcumsumexp")),
    *(op(name, _M, dim) for name in ("softmax", "log_softmax") for dim in (0, 1, -1)),
    *(op(name, X(), 0) for name in ("softmax", "log_softmax")),
    *(op(name, X(0, 3), 1, skip=EMPTY) for name in ("softmax", "log_softmax")),
    op("norm", _M),
    op("norm", _M, dim=1),
    *(op("norm", _M, p, 1) for p in (1, 2, 3, 0.5, float("inf"), float("-inf"), 0)),
    op("norm", _M, 2, (0, 2), keepdim=True),
    op("linalg_vector_norm", _M),
    *(op("linalg_vector_norm", _M, p) for p in (0, 1, 2, 3, 2.5, float("inf"), float("-inf"))),
    op("linalg_vector_norm", _M, 2, (0, 1), True),
    op("nonzero", X(3, 4)),
    op("nonzero", B(3, 4), as_tuple=True),
    op("nonzero", B(), as_tuple=True),
]
