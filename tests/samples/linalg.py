"""Records of linear algebra; what depends on signs and phases that LAPACK chooses is tried in test_linalg.py."""

from .composed import composed
from .record import X, op

_SQUARE = X(3, 3)
_MANY = X(2, 3, 3)
_TALL = X(4, 3)
_WIDE = X(3, 4)


def matrix(name, *args, skip="", **kwargs):
    """Rounding errors are multiplied by the condition number, so tolerances are wider. Equal rows are singular."""
    return op(name, *args, tolerance=50.0, skip=f"expanded {skip}", **kwargs)


def composed_matrix(name, *args, skip="", **kwargs):
    return composed(name, *args, tolerance=50.0, skip=f"expanded {skip}", **kwargs)


SOLVING = [
    matrix("linalg_solve", _SQUARE, X(3, 2)),
    matrix("linalg_solve", _MANY, X(3, 2)),
    matrix("linalg_solve", _MANY, X(2, 3)),
    matrix("linalg_solve", _SQUARE, X(3)),
    matrix("linalg_solve", _SQUARE, X(2, 5, 3), left=False),
    matrix("linalg_solve_ex", _MANY, X(2, 3, 1)),
    matrix("linalg_inv", _MANY),
    matrix("linalg_inv_ex", _SQUARE),
    matrix("inverse", _SQUARE),
    composed_matrix("linalg_tensorinv", X(2, 3, 6)),
    composed_matrix("linalg_tensorsolve", X(2, 3, 6), X(2, 3)),
    composed_matrix("linalg_tensorsolve", X(2, 6, 3), X(2, 3), (1,)),
    *(
        matrix("linalg_solve_triangular", _MANY, X(3, 2), upper=upper, unitriangular=unit)
        for upper in (False, True)
        for unit in (False, True)
    ),
    matrix("linalg_solve_triangular", _SQUARE, X(2, 4, 3), upper=True, left=False),
    matrix("linalg_solve_triangular", _SQUARE, X(4, 3), upper=False, left=False, unitriangular=True),
    matrix("triangular_solve", X(3, 2), _SQUARE),
    matrix("triangular_solve", X(2, 3, 2), _SQUARE, False, True),
    matrix("triangular_solve", X(3, 2), _MANY, True, False, True),
]

DETERMINANTS = [
    matrix("det", _SQUARE),
    matrix("linalg_det", _MANY),
    op("linalg_det", X(1, 1)),
    matrix("slogdet", _SQUARE),
    matrix("linalg_slogdet", _MANY),
    composed_matrix("logdet", X(2, 1, 1, low=0.5)),
    composed_matrix("logdet", _SQUARE, skip="differences"),  # NaN: the determinant is negative
    composed_matrix("logdet", _MANY, skip="differences"),
]

FACTORS = [
    *(matrix(name, a) for name in ("linalg_lu_factor", "linalg_lu_factor_ex", "lu") for a in (_MANY, _TALL, _WIDE)),
    matrix("lu", _MANY, get_infos=True),
    # P is constant, which those two do not expect; test_linalg.py has L and U alone.
    *(matrix("linalg_lu", a, skip="differences forward") for a in (_MANY, _TALL, _WIDE)),
    # The reflectors' signs are LAPACK's rule, the same in every library.
    matrix("linalg_qr", _SQUARE),
    matrix("linalg_qr", X(2, 4, 3)),
    matrix("linalg_qr", X(2, 3, 4)),
    matrix("linalg_qr", _WIDE, "complete"),
    matrix("linalg_qr", _TALL, "complete", skip="gradient"),  # PyTorch has none
    matrix("linalg_qr", _TALL, "r", skip="gradient"),
    matrix("geqrf", X(2, 4, 3), skip="gradient"),  # PyTorch has none
    matrix("linalg_householder_product", X(2, 4, 3), X(2, 3)),
    matrix("linalg_householder_product", X(4, 3), X(2)),
    matrix("orgqr", X(4, 3), X(3)),
    *(
        matrix("ormqr", X(4, 3), X(3), X(4, 2) if left else X(2, 4), left, transpose)
        for left in (True, False)
        for transpose in (True, False)
    ),
    matrix("ormqr", X(2, 3, 4), X(2, 3), X(2, 3, 2)),
]

VALUES = [
    matrix("linalg_svdvals", X(2, 3, 4)),
    # One half is looked at and the gradient is shared by both, so it is not the slope of a change in one.
    matrix("linalg_eigvalsh", _MANY, skip="differences"),
    matrix("linalg_eigvalsh", _SQUARE, "U", skip="differences"),
    matrix("linalg_pinv", X(2, 4, 3)),
    matrix("linalg_pinv", _WIDE, atol=0.1),
    matrix("linalg_pinv", _WIDE, 1e-3),
    matrix("linalg_pinv", _MANY, rtol=X(2, low=0.0, high=1e-3, grad=False)),
    matrix("pinverse", _TALL),
    op("linalg_matrix_rank", X(2, 4, 3)),
    op("linalg_matrix_rank", X(2, 4, 3), 1.5),
    op("linalg_matrix_rank", _MANY, atol=1.0, hermitian=True),
    op("linalg_matrix_rank", _MANY, rtol=X(2, low=0.3, high=0.9, grad=False)),
    matrix("linalg_matrix_exp", _MANY),
    matrix("matrix_exp", X(2, 2)),
]

_INFINITE = float("inf")

NORMS = [
    *(
        composed_matrix("linalg_matrix_norm", X(2, 3, 4), p)
        for p in ("fro", "nuc", 1, -1, 2, -2, _INFINITE, -_INFINITE)
    ),
    composed_matrix("linalg_matrix_norm", X(2, 3, 4), 2, (0, 1), True),
    composed_matrix("linalg_matrix_norm", X(2, 3, 4), 1, (2, 0), True),
    composed_matrix("linalg_norm", X(3, 4)),
    composed_matrix("linalg_norm", X(3, 4), "nuc"),
    composed_matrix("linalg_norm", X(3, 4), 1),
    composed_matrix("linalg_norm", X(2, 3, 4), 3, 1),
    composed_matrix("linalg_norm", X(2, 3, 4), _INFINITE, (0, 2), True),
    *(composed_matrix("linalg_cond", _MANY, p) for p in (None, -2, "nuc")),
    # PyTorch's gradient raises: it writes into a tensor that it has saved. test_linalg.py tries ours.
    *(composed_matrix("linalg_cond", _MANY, p, skip="gradient") for p in (1, -1, _INFINITE, -_INFINITE, "fro")),
    composed_matrix("linalg_cond", X(4, 3), 2),
    composed_matrix("frobenius_norm", X(3, 4), 1),
    composed_matrix("frobenius_norm", X(2, 3, 4), (0, 2), True),
    composed_matrix("nuclear_norm", X(3, 4)),
    composed_matrix("nuclear_norm", X(2, 3, 4), (0, 2), True),
    composed_matrix("norm", X(3, 4), "nuc"),
    composed_matrix("norm", X(2, 3, 4), "nuc", (0, 1)),
]

PRODUCTS_OF_MATRICES = [
    composed("linalg_cross", X(4, 3), X(4, 3)),
    composed("linalg_cross", X(3, 2), X(3, 1), dim=0),
    composed("linalg_diagonal", X(2, 3, 4)),
    composed("linalg_diagonal", X(2, 3, 4), offset=1, dim1=0, dim2=2),
    composed("linalg_vecdot", X(2, 4), X(4)),
    composed("linalg_vecdot", X(4, 2), X(4, 2), dim=0),
    composed("linalg_vander", X(2, 4)),
    composed("linalg_vander", X(4), N=3),
    *(
        composed_matrix(name, _MANY, n)
        for name in ("matrix_power", "linalg_matrix_power")
        for n in (0, 1, 2, 5, -1, -3)
    ),
    composed("linalg_multi_dot", [X(2, 3), X(3, 4), X(4, 5)]),
    composed("linalg_multi_dot", [X(3), X(3, 4), X(4)]),
]

LINALG = [*SOLVING, *DETERMINANTS, *FACTORS, *VALUES, *NORMS, *PRODUCTS_OF_MATRICES]
