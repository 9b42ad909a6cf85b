"""Special functions for which PyTorch is no oracle: values against SciPy, derivatives against differences."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import special

import chainrule

POSITIVE = np.concatenate([np.geomspace(1e-12, 600, 200), np.linspace(0.5, 30, 100)])
BOTH = np.linspace(-60, 60, 400)

SCIPY = {
    "bessel_j0": (special.j0, BOTH),
    "bessel_j1": (special.j1, BOTH),
    "bessel_y0": (special.y0, POSITIVE),
    "bessel_y1": (special.y1, POSITIVE),
    "modified_bessel_i0": (special.i0, BOTH),
    "modified_bessel_i1": (special.i1, BOTH),
    "modified_bessel_k0": (special.k0, POSITIVE),
    "modified_bessel_k1": (special.k1, POSITIVE),
    "scaled_modified_bessel_k0": (special.k0e, POSITIVE),
    "scaled_modified_bessel_k1": (special.k1e, POSITIVE),
    "spherical_bessel_j0": (lambda x: special.spherical_jn(0, x), POSITIVE),
    "airy_ai": (lambda x: special.airy(x)[0], np.linspace(-40, 100, 700)),
}


@pytest.mark.parametrize("name", SCIPY)
def test_value_to_the_last_digits(name):
    expected, points = SCIPY[name]
    found = getattr(chainrule.special, name)(chainrule.from_numpy(points.copy())).numpy()
    np.testing.assert_allclose(found, expected(points), rtol=3e-14, atol=1e-14)


@pytest.mark.parametrize(
    ("name", "value", "expected"),
    [
        ("bessel_j0", np.inf, 0.0),
        ("bessel_y0", 0.0, -np.inf),
        ("bessel_y0", -1.0, np.nan),
        ("modified_bessel_k0", 0.0, np.inf),
        ("modified_bessel_k1", -1.0, np.nan),
        ("scaled_modified_bessel_k0", np.inf, 0.0),
        ("modified_bessel_k1", 1e-310, 1e310),
        ("spherical_bessel_j0", 0.0, 1.0),
        ("spherical_bessel_j0", -np.inf, 0.0),
        ("airy_ai", np.nan, np.nan),
        ("airy_ai", np.inf, 0.0),
    ],
)
def test_value_at_the_ends(name, value, expected):
    found = getattr(chainrule.special, name)(chainrule.tensor(value, dtype=chainrule.float64)).item()
    np.testing.assert_equal(found, expected)


DEGREES = {
    "chebyshev_polynomial_t": special.eval_chebyt,
    "chebyshev_polynomial_u": special.eval_chebyu,
    "shifted_chebyshev_polynomial_t": special.eval_sh_chebyt,
    "shifted_chebyshev_polynomial_u": special.eval_sh_chebyu,
    "hermite_polynomial_h": special.eval_hermite,
    "hermite_polynomial_he": special.eval_hermitenorm,
    "laguerre_polynomial_l": special.eval_laguerre,
    "legendre_polynomial_p": special.eval_legendre,
}


@pytest.mark.parametrize("name", DEGREES)
def test_polynomial(name):
    x, n = np.meshgrid(np.linspace(-1.5, 1.5, 31), np.arange(40))
    found = getattr(chainrule.special, name)(chainrule.from_numpy(x.copy()), chainrule.from_numpy(n.copy())).numpy()
    expected = DEGREES[name](n, x)
    scale = np.abs(expected).max(axis=1, keepdims=True)
    np.testing.assert_allclose(found / scale, expected / scale, rtol=1e-11, atol=1e-13)


@pytest.mark.parametrize("kind", ["t", "u", "v", "w"])
@pytest.mark.parametrize("x", [-1.0, -0.3, 0.7, 1.0])
def test_polynomial_of_a_huge_degree_takes_no_longer(kind, x):
    value = getattr(chainrule.special, f"chebyshev_polynomial_{kind}")(chainrule.tensor(x), 1e15).item()
    assert np.isfinite(value)


DIFFERENTIABLE = [*(name for name in SCIPY if name != "airy_ai")]
DIFFERENTIABLE += ["hermite_polynomial_h", "hermite_polynomial_he"]


@pytest.mark.parametrize("name", DIFFERENTIABLE)
def test_first_and_second_derivative(name):
    """Against central differences of our own values and derivatives."""
    rest = (4,) if "polynomial" in name else ()

    def f(x):
        return getattr(chainrule.special, name)(x, *rest)

    def slope(x):
        x = x.detach().requires_grad_()
        return chainrule.autograd.grad(f(x).sum(), x)[0]

    x = chainrule.tensor([0.3, 0.9, 1.7, 4.0], dtype=chainrule.float64, requires_grad=True)
    (first,) = chainrule.autograd.grad(f(x).sum(), x, create_graph=True)
    (second,) = chainrule.autograd.grad(first.sum(), x)
    h, at = 1e-5, x.detach()
    np.testing.assert_allclose(
        first.detach().numpy(), ((f(at + h) - f(at - h)) / (2 * h)).numpy(), rtol=1e-6, atol=1e-7
    )
    np.testing.assert_allclose(
        second.numpy(), ((slope(at + h) - slope(at - h)) / (2 * h)).numpy(), rtol=1e-6, atol=1e-7
    )


@pytest.mark.parametrize("name", ["bessel_j1", "modified_bessel_i1", "spherical_bessel_j0"])
def test_derivative_at_zero(name):
    x = chainrule.zeros(1, dtype=chainrule.float64, requires_grad=True)
    (slope,) = chainrule.autograd.grad(getattr(chainrule.special, name)(x).sum(), x)
    assert slope.item() == (0.0 if name.startswith("spherical") else 0.5)


def spacings(found, expected):
    """The largest error in units of the last place."""
    return np.max(np.abs(found.astype(np.float64) - expected) / np.spacing(np.abs(expected.astype(found.dtype))))


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_inverse_of_the_error_function(dtype):
    ends = 1 - np.geomspace(np.finfo(dtype).eps, 0.2, 400)
    x = np.concatenate([np.linspace(-0.999, 0.999, 801), ends, np.geomspace(1e-30, 1e-2, 50)]).astype(dtype)
    found = chainrule.erfinv(chainrule.from_numpy(x)).numpy()
    assert spacings(found, special.erfinv(x.astype(np.float64))) < (1.5 if dtype is np.float32 else 4)
    edges = chainrule.erfinv(chainrule.from_numpy(np.array([0, -0.0, 1, -1, 1.5, np.nan], dtype))).numpy()
    np.testing.assert_array_equal(edges, np.array([0, -0.0, np.inf, -np.inf, np.nan, np.nan], dtype))
    assert np.signbit(edges[1])


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_inverse_of_the_normal_distribution(dtype):
    tiny = np.geomspace(np.finfo(dtype).tiny, 0.5, 500)
    p = np.concatenate([tiny, 1 - tiny[tiny > 1e-6], [0.0786, 0.0787, 0.9213]]).astype(dtype)
    found = chainrule.special.ndtri(chainrule.from_numpy(p)).numpy()
    expected = special.ndtri(p.astype(np.float64))
    np.testing.assert_allclose(found, expected, rtol=1e-7 if dtype is np.float32 else 2e-15, atol=1e-16)
    edges = chainrule.special.ndtri(chainrule.from_numpy(np.array([0, 1, 0.5, -0.1, 1.1, np.nan], dtype))).numpy()
    np.testing.assert_array_equal(edges, np.array([-np.inf, np.inf, 0, np.nan, np.nan, np.nan], dtype))


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_neighbours_are_those_of_numpy(dtype):
    info = np.finfo(dtype)
    ends = np.array([0, -0.0, 1, -1, info.max, -info.max, info.tiny, info.smallest_subnormal, np.inf, -np.inf, np.nan])
    a, b = (side.astype(dtype).ravel() for side in np.meshgrid(ends, ends))
    found = chainrule.nextafter(chainrule.from_numpy(a), chainrule.from_numpy(b)).numpy()
    with np.errstate(all="ignore"):
        expected = np.nextafter(a, b)
    np.testing.assert_array_equal(found, expected)
    numbers = ~np.isnan(expected)
    np.testing.assert_array_equal(np.signbit(found[numbers]), np.signbit(expected[numbers]))


def raised(base, exponent):
    """By the C library in double, which NumPy's own power is not for all exponents."""
    try:
        return math.pow(base, exponent)
    except ValueError:  # of zero, or of a negative number with a fraction
        return math.nan if base else math.copysign(math.inf, base if exponent % 2 == 1 else 1)


@pytest.mark.parametrize("exponent", [2, 3, 1, 0, 0.5, -0.5, -1, -2, 1.75])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_power_of_one_exponent_for_all(dtype, exponent):
    """A product, a root or a quotient takes the place of the power, where nobody sees the difference."""
    ends = [0, -0.0, np.inf, -np.inf, np.nan, -2.5, 1e-10]
    a = np.concatenate([np.linspace(0.1, 3, 700), ends]).astype(dtype)
    tolerance = {"rtol": 4 * np.finfo(dtype).eps}
    expected = [raised(base, exponent) for base in a.tolist()]
    slope = [exponent and exponent * raised(base, exponent - 1) for base in a.tolist()]
    x = chainrule.from_numpy(a).requires_grad_()
    for y in (x**exponent, x ** chainrule.full_like(x, exponent)):
        np.testing.assert_allclose(y.detach().numpy(), expected, **tolerance)
        (found,) = chainrule.autograd.grad(y.sum(), x)
        np.testing.assert_allclose(found.numpy(), slope, **tolerance)
    mixed = np.where(np.arange(len(a)) == 300, 1.5, exponent).astype(dtype)
    expected[300] = raised(a.tolist()[300], 1.5)
    np.testing.assert_allclose((x.detach() ** chainrule.from_numpy(mixed)).numpy(), expected, **tolerance)


def test_logarithm_of_the_gamma_function():
    """Floats within their last digit, also near 1 and 2, where it is 0, and near its other zeros."""
    rng = np.random.default_rng(0)
    near = [c + np.arange(-300, 300) * 1.2e-7 for c in (1, 2, -2.4570247, -2.7476826)]
    x = np.concatenate([rng.uniform(-30, 30, 20_000), np.geomspace(1e-40, 1e36, 5000), *near]).astype(np.float32)
    x = np.concatenate([x, np.array([0, -0.0, 1, 2, -1, -7, np.inf, -np.inf, np.nan, 3e38], np.float32)])
    mine = chainrule.lgamma(chainrule.from_numpy(x)).numpy()
    expected = special.gammaln(x.astype(float))
    limit = np.finfo(np.float32).max
    expected = np.where(np.abs(expected) > limit, math.inf, expected)
    finite = np.isfinite(expected)
    np.testing.assert_array_equal(mine[~finite], expected[~finite].astype(np.float32))
    np.testing.assert_allclose(mine[finite], expected[finite], rtol=2e-7, atol=1e-14)


POLYNOMIALS = [f"{name}_polynomial_{kind}" for name, kind in (("hermite", "h"), ("laguerre", "l"), ("legendre", "p"))]


@pytest.mark.parametrize("name", POLYNOMIALS)
@pytest.mark.parametrize("n", [1e308, math.inf, math.nan, 2.0**63, -(2.0**63)])
def test_a_polynomial_of_a_degree_beyond_all_integers(name, n):
    """Zero, as in PyTorch: no recurrence goes so far."""
    x = chainrule.tensor([0.3, 1.0, -1.0, 1.5])
    assert getattr(chainrule.special, name)(x, n).tolist() == [0.0] * 4
