"""Records of the operations that are written in Python, composed of others."""

from .record import INNER_NAME, N, X, op

_M = X(2, 3, 4)
_POSITIVE = X(4, 5, low=3.0, high=6.0)


def composed(name, *args, skip="", **kwargs):
    return op(name, *args, skip=f"{INNER_NAME} {skip}", **kwargs)


PRODUCTS_AND_DISTANCES = [
    composed("einsum", "ij,jk->ik", X(3, 4), X(4, 2)),
    composed("einsum", "bij,bkj->bik", X(2, 3, 4), X(2, 5, 4)),
    composed("einsum", "ii->i", X(3, 3)),
    composed("einsum", "...ij->...ji", X(2, 3, 4)),
    composed("einsum", "bn,anm,bm->ba", X(2, 5), X(3, 5, 4), X(2, 4)),
    composed("einsum", "i,i", X(4), X(4)),
    composed("einsum", "i,j->", X(4), X(3)),
    composed("einsum", "ij,ij->ij", X(1, 3), X(2, 1)),
    composed("einsum", "iij,j->ij", X(3, 3, 4), X(4)),
    composed("cross", X(4, 3), X(4, 3), 1),
    composed("cross", X(3, 2), X(3, 1), dim=0),
    composed("dist", X(3, 4), X(3, 4)),
    composed("dist", X(3, 4), X(4), 1),
    composed("dist", X(3, 4), X(3, 4), float("inf")),
    # PyTorch has no second gradient of it.
    *(composed("cdist", X(3, 4), X(2, 4), p, skip="second") for p in (0.0, 1.0, 1.5, 2.0, 3.0, float("inf"))),
    composed("cdist", X(2, 3, 4), X(1, 5, 4), compute_mode="donot_use_mm_for_euclid_dist", skip="second"),
    # The product of float32 is as far off as the largest square: more than the usual tolerance of a distance.
    composed("cdist", X(30, 4), X(5, 4), tolerance=10.0),
    composed("norm_except_dim", _M),
    composed("norm_except_dim", _M, 2, -1),
    composed("renorm", _M, 2, 1, 0.5),
    composed("renorm", _M, 1, -1, 3.0),
]

STATISTICS = [
    composed("cov", X(3, 5)),
    composed("cov", X(5)),
    composed("cov", X(3, 5), correction=0),
    composed("cov", X(3, 4), fweights=N(4, low=1, high=4)),
    composed("corrcoef", X(3, 5)),
    composed(
        "corrcoef", X(5), tolerance=10.0, skip="differences"
    ),  # it is 1 whatever the values: only rounding is left
]

CALCULUS = [
    composed("diff", _M),
    composed("diff", _M, 2, 1),
    composed("diff", _M, 1, -1, X(2, 3, 1), X(2, 3, 2)),
    composed("diff", X(0, 3), 1, 0),
    composed("gradient", X(4, 5)),
    composed("gradient", X(4, 5), spacing=0.5, dim=1, edge_order=2),
    composed("gradient", X(4, 5), spacing=[2.0, 3.0]),
    composed("gradient", X(4), spacing=[X(4, low=1.0)], dim=0),
    *(
        record
        for name in ("trapezoid", "trapz", "cumulative_trapezoid")
        for record in (
            composed(name, _M),
            composed(name, _M, X(4)),
            composed(name, _M, _M),
            composed(name, _M, dx=0.5, dim=0),
        )
    ),
]

GRIDS = [
    composed("meshgrid", X(3), X(4), indexing="ij"),
    composed("meshgrid", X(3), X(4), X(2), indexing="xy"),
    composed("meshgrid", X(), X(2), indexing="ij"),
    composed("cartesian_prod", X(3), X(2)),
    composed("cartesian_prod", X(3)),
    composed("combinations", X(4)),
    composed("combinations", X(4), 3, True),
    composed("combinations", X(3), 0),
    composed("vander", X(4), skip="gradient"),  # PyTorch's raises; test_composed.py tries ours
    composed("vander", X(4), 3, True, skip="gradient"),
    composed("unravel_index", N(4, high=24), (4, 3, 2)),
    composed("rot90", _M),
    composed("rot90", _M, 2, (0, 2)),
    composed("rot90", _M, -1, (1, 2)),
    composed("rot90", _M, 0),
    composed("fliplr", _M),
    composed("flipud", _M),
]

COMPARISONS = [
    composed("isclose", X(3, 4), X(3, 4), 0.5, 0.1),
    composed("isclose", X(3, 4), X(4), equal_nan=True),
    composed("allclose", X(3), X(3), atol=5.0),
    composed("allclose", X(3), X(3)),
    composed("equal", X(3), X(3)),
    composed("equal", X(3), X(2)),
    composed("isreal", X(3)),
    composed("is_same_size", X(3), X(2)),
    composed("is_same_size", X(3), X(3)),
    composed("is_nonzero", X()),
]

SCALES = [
    composed("frexp", X(3, 4)),
    composed("mvlgamma", _POSITIVE, 3),
    composed("mvlgamma", _POSITIVE, 1),
    composed("special_multigammaln", _POSITIVE, 2),
]

_TWO_EACH = {"low": 2, "high": 3}
# PyTorch has no second gradient of it.
SEGMENTS = [
    *(
        composed("segment_reduce", X(4, 3), kind, lengths=N(2, **_TWO_EACH), skip="second")
        for kind in ("sum", "mean", "max", "min", "prod")
    ),
    composed("segment_reduce", X(2, 6), "mean", lengths=N(2, 3, **_TWO_EACH), axis=1, initial=0.5, skip="second"),
    composed("segment_reduce", X(2, 6), "max", lengths=N(2, 3, **_TWO_EACH), axis=-1, initial=0.5, skip="second"),
]

_INTERPOLATIONS = ("linear", "lower", "higher", "midpoint", "nearest")

ORDERED = [
    *(composed(name, X(3, 5), q) for name in ("quantile", "nanquantile") for q in (0.3, 0.0, 1.0)),
    *(composed("quantile", X(3, 5), 0.4, 1, True, interpolation=i) for i in _INTERPOLATIONS),
    *(composed("nanquantile", X(3, 5), 0.4, 0, interpolation=i) for i in _INTERPOLATIONS),
    composed("quantile", X(3, 5), X(4, low=0.1, high=0.9), 0),
    composed("nanquantile", X(3, 5), X(4, low=0.1, high=0.9), -1, True),
    composed("quantile", X(), 0.5),
    composed("isin", X(3, 4), X(5)),
    composed("isin", N(3, 4, high=9), N(5, high=9), invert=True),
    composed("isin", N(3, 4, high=5), 2),
    composed("isin", 2, N(3, 4, high=5)),
    composed("histogram", X(20, grad=False), 5),
    composed("histogram", X(20, grad=False), 5, range=(-1.0, 1.5)),
    composed("histogram", X(20, grad=False), 5, weight=X(20, grad=False), density=True),
    composed("histogramdd", X(20, 2, grad=False), [3, 4]),
    composed("histogramdd", X(20, 2, grad=False), [3, 4], weight=X(20, grad=False)),
]

SPECTRA = [
    # Truth values are refused by the padding there, by stft here, with other classes.
    composed("stft", X(20), 8, return_complex=True, skip="bool"),
    composed("stft", X(2, 20), 8, 3, 6, X(6), return_complex=True, normalized=True, skip="bool"),
    # PyTorch cuts the pieces with as_strided, whose gradient does not tell elements at one place apart.
    composed("stft", X(20), 8, return_complex=True, center=False, onesided=False, skip="expanded"),
]

COMPOSED = [
    *(*SPECTRA, *ORDERED, *PRODUCTS_AND_DISTANCES, *STATISTICS, *CALCULUS, *GRIDS, *COMPARISONS, *SCALES),
    *SEGMENTS,
]
