"""Linear algebra: what signs and phases leave open, matrices of a special form, errors, and where LAPACK comes from."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest
import torch

import chainrule
from chainrule.autograd import forward_ad
from oracle import assert_all_same, assert_same_gradients, flat, gradients, name_of, ours, second, weights

LIBRARIES = (chainrule, torch)
REAL_AND_COMPLEX = pytest.mark.parametrize("dtype", ["float64", "complex128"])
SHAPES = pytest.mark.parametrize("shape", [(3, 3), (5, 3), (3, 5), (2, 4, 3), (0, 3, 2)], ids=str)
SQUARES = pytest.mark.parametrize("shape", [(3, 3), (2, 4, 4), (1, 1), (0, 2, 2)], ids=str)


def numbers(*shape: int, dtype: str = "float64", seed: int = 0) -> torch.Tensor:
    generator = np.random.default_rng(seed)
    values = generator.uniform(-2, 2, shape)
    if dtype.startswith("complex"):
        values = values + 1j * generator.uniform(-2, 2, shape)
    return torch.from_numpy(np.array(values)).to(getattr(torch, dtype))


def definite(*shape: int, dtype: str = "float64") -> torch.Tensor:
    """Hermitian and positive-definite."""
    a = numbers(*shape, dtype=dtype)
    return a @ a.mH + torch.eye(shape[-1], dtype=a.dtype)


def both(program, *inputs: torch.Tensor, tolerance: float = 1.0, twice: bool = True) -> None:
    """The same values, gradients and second gradients in both libraries."""
    found = []
    for library in LIBRARIES:
        mine = [t.clone() if library is torch else ours(t) for t in inputs]
        for t in mine:
            t.requires_grad_(t.is_floating_point() or t.is_complex())
        results = flat(program(library, *mine))
        first = gradients(library, results, mine, create_graph=twice)
        again = second(library, [g for g in first if g is not None], mine) if twice else []
        found.append((results, first, again))
    (mine, first, again), (reference, expected, expected_again) = found
    assert_all_same(mine, reference, 10 * tolerance)
    assert_same_gradients(first, expected, 100 * tolerance, "gradient")
    assert_same_gradients(again, expected_again, 1000 * tolerance, "second gradient")


def check_forward_mode(program, *inputs: torch.Tensor) -> None:
    """u . (J v) from forward mode equals (u J) . v from reverse mode."""
    mine = [ours(t) for t in inputs]
    directions = weights(mine, chainrule, seed=7)
    with forward_ad.dual_level():
        duals = [forward_ad.make_dual(t, d) for t, d in zip(mine, directions, strict=True)]
        tangents = [forward_ad.unpack_dual(r).tangent for r in flat(program(chainrule, *duals))]
    results = flat(program(chainrule, *(t.requires_grad_() for t in mine)))
    pulled = gradients(chainrule, results, mine)
    incoming = weights(results, chainrule)
    forward, reverse = (
        sum((x.conj() * y).sum().real.item() for x, y in zip(a, b, strict=True))
        for a, b in ((incoming, tangents), (pulled, directions))
    )
    np.testing.assert_allclose(forward, reverse, rtol=1e-8, atol=1e-8)


def hermitian(a):
    return (a + a.mH) / 2


# ---- factors up to signs and phases


def of_vectors(v):
    """What of eigenvectors or singular vectors does not depend on their phases."""
    return (v.abs() ** 2).cumsum(-2)


@REAL_AND_COMPLEX
@SHAPES
def test_svd(shape, dtype):
    def program(library, a):
        u, s, vh = library.linalg.svd(a, full_matrices=False)
        return of_vectors(u), s, of_vectors(vh.mT), (u * s.unsqueeze(-2)) @ vh, u @ vh

    both(program, numbers(*shape, dtype=dtype), twice=0 not in shape)


@REAL_AND_COMPLEX
def test_svd_with_full_matrices(dtype):
    a = ours(numbers(2, 5, 3, dtype=dtype))
    u, s, vh = chainrule.linalg.svd(a)
    assert (u.shape, s.shape, vh.shape) == ((2, 5, 5), (2, 3), (2, 3, 3))
    chainrule_unit = chainrule.eye(5, dtype=a.dtype).expand(2, 5, 5)
    assert chainrule.allclose(u.mH @ u, chainrule_unit, atol=1e-12)
    assert chainrule.allclose(u[..., :3] * s.unsqueeze(-2).to(a.dtype) @ vh, a)
    both(lambda library, a: library.linalg.svd(a)[1], numbers(2, 5, 3, dtype=dtype))
    assert all(t.shape[-2:] == (4, 4) for t in chainrule.linalg.svd(chainrule.zeros(0, 4, 4))[::2])
    for t in chainrule.linalg.svd(chainrule.zeros(3, 0))[::2]:
        assert chainrule.equal(t, chainrule.eye(t.shape[-1]))


@REAL_AND_COMPLEX
@SHAPES
def test_old_svd(shape, dtype):
    def program(library, a):
        u, s, v = library.svd(a)
        return s, (u * s.unsqueeze(-2)) @ v.mH, a.svd(compute_uv=False)

    both(program, numbers(*shape, dtype=dtype), twice=0 not in shape)


@REAL_AND_COMPLEX
def test_old_qr(dtype):
    both(lambda library, a: (library.qr(a), a.qr()), numbers(2, 4, 3, dtype=dtype))
    chainrule.set_warn_always(True)  # otherwise it warns once in a program
    try:
        with pytest.warns(UserWarning, match="deprecated in favor of torch.linalg.qr"):
            assert chainrule.qr(ours(numbers(4, 3)), some=False).Q.shape == (4, 4)
    finally:
        chainrule.set_warn_always(False)


@REAL_AND_COMPLEX
@SQUARES
@pytest.mark.parametrize("half", ["L", "U"])
def test_eigh(shape, dtype, half):
    def program(library, a):
        values, vectors = library.linalg.eigh(hermitian(a), half)
        return values, of_vectors(vectors), (vectors * values.unsqueeze(-2)) @ vectors.mH

    both(program, numbers(*shape, dtype=dtype), twice=0 not in shape)


@REAL_AND_COMPLEX
@SQUARES
def test_eig(shape, dtype):
    def program(library, a):
        values, vectors = library.linalg.eig(a)
        values_alone = library.linalg.eigvals(a)
        # In no particular order: sums of powers, and products in which the order and the phases cancel.
        powers = [(v**k).sum(-1) for k in (1, 2, 3) for v in (values, values_alone)]
        return (*powers, (of_vectors(vectors) * values.abs().unsqueeze(-2)).sum(-1))

    both(program, numbers(*shape, dtype=dtype), tolerance=10, twice=0 not in shape)


@REAL_AND_COMPLEX
@pytest.mark.parametrize("shape", [(4, 4), (2, 5, 5)], ids=str)
def test_eigenvectors(shape, dtype):
    a = ours(numbers(*shape, dtype=dtype))
    values, vectors = chainrule.linalg.eig(a)
    assert chainrule.allclose(a.to(vectors.dtype) @ vectors, vectors * values.unsqueeze(-2))
    assert chainrule.allclose(chainrule.linalg.vector_norm(vectors, dim=-2), chainrule.ones(shape[:-1]).double())


FORWARD = {
    "svd": lambda t, a: (t.linalg.svd(a)[1], of_vectors(t.linalg.svd(a)[0])),
    "svdvals": lambda t, a: t.linalg.svdvals(a),
    "eigh": lambda t, a: (t.linalg.eigh(hermitian(a))[0], of_vectors(t.linalg.eigh(hermitian(a))[1])),
    "eigvalsh": lambda t, a: t.linalg.eigvalsh(hermitian(a)),
    "eig": lambda t, a: (t.linalg.eig(a)[0], of_vectors(t.linalg.eig(a)[1])),
    "eigvals": lambda t, a: t.linalg.eigvals(a),
    "cholesky": lambda t, a: t.linalg.cholesky(a @ a.mH),
    "lstsq": lambda t, a: t.linalg.lstsq(a[:, :2], a)[0],
    "lu": lambda t, a: t.linalg.lu(a)[1:],
}


@REAL_AND_COMPLEX
@pytest.mark.parametrize("name", FORWARD)
def test_forward_mode(name, dtype):
    check_forward_mode(FORWARD[name], numbers(4, 4, dtype=dtype))


# ---- matrices of a special form


@REAL_AND_COMPLEX
@SQUARES
@pytest.mark.parametrize("upper", [False, True])
def test_cholesky(shape, dtype, upper):
    def program(library, a):
        a = hermitian(a)
        return (
            library.linalg.cholesky(a, upper=upper),
            library.linalg.cholesky_ex(a, upper=upper),
            library.cholesky(a, upper),
            a.cholesky(upper=upper),
        )

    both(program, definite(*shape, dtype=dtype), tolerance=10, twice=0 not in shape)


@REAL_AND_COMPLEX
@pytest.mark.parametrize("upper", [False, True])
def test_what_a_cholesky_factor_is_good_for(dtype, upper):
    factor = torch.linalg.cholesky(definite(2, 3, 3, dtype=dtype), upper=upper)
    both(
        lambda library, f, b: (library.cholesky_solve(b, f, upper), b.cholesky_solve(f, upper)),
        factor,
        numbers(3, 2, dtype=dtype),
    )
    both(lambda library, f: (library.cholesky_inverse(f, upper), f.cholesky_inverse(upper)), factor)


@REAL_AND_COMPLEX
@pytest.mark.parametrize("shape", [(3, 3), (2, 5, 3), (3, 5)], ids=str)
def test_lu(shape, dtype):
    a = numbers(*shape, dtype=dtype)
    both(lambda library, a: library.linalg.lu(a)[1:], a)
    data, pivots = torch.linalg.lu_factor(a)
    both(lambda library, lu, p: library.lu_unpack(lu, p), data, pivots)
    both(lambda library, lu, p: library.lu_unpack(lu, p, unpack_data=False)[0], data, pivots)
    both(lambda library, lu, p: library.lu_unpack(lu, p, unpack_pivots=False), data, pivots)


@REAL_AND_COMPLEX
@pytest.mark.parametrize("left", [True, False])
@pytest.mark.parametrize("adjoint", [True, False])
def test_lu_solve(dtype, left, adjoint):
    data, pivots = torch.linalg.lu_factor(numbers(2, 3, 3, dtype=dtype))
    both(
        lambda library, lu, p, b: library.linalg.lu_solve(lu, p, b, left=left, adjoint=adjoint),
        data,
        pivots,
        numbers(2, *((3, 2) if left else (2, 3)), dtype=dtype),
    )
    if left:
        both(lambda library, lu, p, b: library.lu_solve(b, lu, p), data, pivots, numbers(2, 3, 4, dtype=dtype))


@REAL_AND_COMPLEX
@pytest.mark.parametrize("as_hermitian", [True, False])
def test_ldl(dtype, as_hermitian):
    a = numbers(2, 4, 4, dtype=dtype)
    a = a + (a.mH if as_hermitian else a.mT)
    found = []
    for library in LIBRARIES:
        matrix, right = (t if library is torch else ours(t) for t in (a, numbers(2, 4, 3, dtype=dtype)))
        data, pivots = library.linalg.ldl_factor(matrix, hermitian=as_hermitian)
        x = library.linalg.ldl_solve(data, pivots, right, hermitian=as_hermitian)
        found.append([x, *library.linalg.ldl_factor_ex(matrix, hermitian=as_hermitian)])
    assert_all_same(*found, 10)


@REAL_AND_COMPLEX
@pytest.mark.parametrize("driver", [None, "gels", "gelsy", "gelsd", "gelss"])
@pytest.mark.parametrize(
    ("a", "b"),
    [((5, 3), (5, 2)), ((3, 5), (3, 2)), ((2, 5, 3), (2, 5)), ((4, 4), (4,)), ((2, 4, 3), (1, 4, 2))],
    ids=str,
)
def test_lstsq(dtype, driver, a, b):
    both(
        lambda library, a, b: library.linalg.lstsq(a, b, driver=driver),
        numbers(*a, dtype=dtype),
        numbers(*b, dtype=dtype, seed=1),
        tolerance=10,
    )


def test_lstsq_of_low_rank():
    a = numbers(5, 2) @ numbers(2, 3, seed=1)
    for driver in ("gelsy", "gelsd", "gelss"):
        mine = chainrule.linalg.lstsq(ours(a), ours(numbers(5, 2, seed=2)), driver=driver)
        assert_all_same(mine, torch.linalg.lstsq(a, numbers(5, 2, seed=2), driver=driver), 10)


@REAL_AND_COMPLEX
def test_pseudoinverse_of_low_rank(dtype):
    def program(library, a, b):
        c = a @ b
        return library.linalg.pinv(c, rtol=1e-8), library.linalg.pinv(hermitian(a @ a.mH), rtol=1e-8, hermitian=True)

    both(program, numbers(4, 2, dtype=dtype), numbers(2, 3, dtype=dtype, seed=1), tolerance=10)


@REAL_AND_COMPLEX
def test_determinant_of_singular_matrices(dtype):
    """Its gradient exists where the inverse does not: the adjugate."""
    a = numbers(3, 3, 3, dtype=dtype)
    both(lambda library, a: (library.linalg.det(a), a.det()), a)
    a[1] = torch.diag(torch.tensor([1.0, 2.0, 0.0])).to(a.dtype)
    mine = ours(a).requires_grad_()
    (plain,) = chainrule.autograd.grad(chainrule.det(mine).sum().real, mine)
    (first,) = chainrule.autograd.grad(chainrule.det(mine).sum().real, mine, create_graph=True)
    expected = chainrule.zeros(3, 3, dtype=mine.dtype)
    expected[2, 2] = 2
    assert chainrule.allclose(first[1], expected)
    assert chainrule.allclose(plain, first)
    if dtype == "float64":  # complex, the phase of a vector whose singular value is zero has no derivative
        assert chainrule.isfinite(chainrule.autograd.grad(first.abs().sum(), mine)[0]).all()


@pytest.mark.parametrize("p", [1, -1, float("inf"), -float("inf"), "fro"])
def test_gradient_of_cond(p):
    a = ours(numbers(2, 3, 3)).requires_grad_()
    assert chainrule.autograd.gradcheck(lambda a: chainrule.linalg.cond(a, p), [a])
    assert chainrule.linalg.cond(chainrule.zeros(3, 3), p).item() == float("inf")


@REAL_AND_COMPLEX
def test_exponential_of_large_and_odd_matrices(dtype):
    for factor in (0.0, 1e-8, 1.0, 20.0):
        both(lambda library, a: library.linalg.matrix_exp(a), factor * numbers(4, 4, dtype=dtype), tolerance=100)
    stack = numbers(3, 2, 2, dtype=dtype) * torch.tensor([1e-3, 1.0, 9.0]).reshape(3, 1, 1)
    both(lambda library, a: a.matrix_exp(), stack, tolerance=100)
    assert chainrule.matrix_exp(chainrule.full((2, 2), float("nan"))).isnan().all()
    assert chainrule.matrix_exp(chainrule.zeros(0, 2, 2)).shape == (0, 2, 2)


def test_low_rank_approximations():
    a = numbers(8, 3) @ numbers(3, 6, seed=1)
    for library in LIBRARIES:
        matrix = a if library is torch else ours(a)
        for name, given in (("svd_lowrank", {"q": 3}), ("pca_lowrank", {"q": 3, "center": False})):
            for m in (matrix, matrix.mT):
                u, s, v = getattr(library, name)(m, **given)
                assert library.allclose((u * s) @ v.mH, m)
                assert library.allclose(s, library.linalg.svdvals(m)[:3])
    u, s, v = chainrule.pca_lowrank(ours(a))
    centred = ours(a) - ours(a).mean(0)
    assert chainrule.allclose((u * s) @ v.mH, centred)
    u, s, v = chainrule.svd_lowrank(ours(a), 3, M=ours(a.mean(0)))
    assert chainrule.allclose((u * s) @ v.mH, centred)
    with pytest.raises(ValueError, match=r"q\(=9\) must be non-negative integer"):
        chainrule.pca_lowrank(ours(a), 9)


@pytest.mark.parametrize("shape", [(12, 12), (2, 12, 12)], ids=str)
@pytest.mark.parametrize("largest", [True, False])
def test_lobpcg(shape, largest):
    a, b = definite(*shape), definite(*shape[:-1], 12) / 10
    b = b.mT + torch.eye(12, dtype=torch.float64)
    found = []
    for library in LIBRARIES:
        matrix, other = (t.clone() if library is torch else ours(t) for t in (a, b))
        matrix.requires_grad_()
        values, vectors = library.lobpcg(matrix, 3, largest=largest, tol=1e-10)
        results = [values, of_vectors(vectors)]
        found.append([*results, *gradients(library, results, [matrix]), library.lobpcg(matrix.detach(), 2, other)[0]])
    assert_all_same(*found, 1000)


def test_lobpcg_from_a_guess():
    a = ours(definite(12, 12))
    values, vectors = chainrule.linalg.eigh(a)
    guess = vectors[:, -2:] + 0.01
    found, _ = chainrule.lobpcg(a, X=guess, iK=chainrule.linalg.inv(a), niter=30)
    assert chainrule.allclose(found, values[-2:].flip(0))
    assert chainrule.func.jacrev(lambda a: chainrule.lobpcg(a, X=guess)[0])(a).shape == (2, 12, 12)
    with pytest.raises(ValueError, match="smaller than 3 x"):
        chainrule.lobpcg(a, 5)
    with pytest.raises(NotImplementedError, match="tracker"):
        chainrule.lobpcg(a, tracker=print)
    with pytest.raises(ValueError, match="B != I"):
        chainrule.lobpcg(a.requires_grad_(), B=a.detach())[0].sum().backward()


# ---- errors


def raised(library, program) -> Exception:
    with pytest.raises((RuntimeError, NotImplementedError)) as caught:
        program(library)
    return caught.value


ZEROS = (2, 3, 3)
FAILURES = {
    "inv": lambda t: t.linalg.inv(t.zeros(3, 3)),
    "inv, batched": lambda t: t.linalg.inv(t.zeros(ZEROS)),
    "inv_ex": lambda t: t.linalg.inv_ex(t.zeros(ZEROS), check_errors=True),
    "inverse": lambda t: t.zeros(3, 3).inverse(),
    "tensorinv": lambda t: t.linalg.tensorinv(t.zeros(2, 2, 4)),
    "solve": lambda t: t.linalg.solve(t.zeros(3, 3), t.ones(3)),
    "solve_ex": lambda t: t.linalg.solve_ex(t.zeros(ZEROS), t.ones(3, 1), check_errors=True),
    "cholesky": lambda t: t.linalg.cholesky(-t.eye(3)),
    "cholesky_ex": lambda t: t.linalg.cholesky_ex(t.zeros(ZEROS), check_errors=True),
    "torch.cholesky": lambda t: t.cholesky(t.zeros(3, 3)),
    "cholesky_inverse": lambda t: t.cholesky_inverse(t.zeros(3, 3)),
    "lu_factor": lambda t: t.linalg.lu_factor(t.zeros(3, 3)),
    "lu_factor_ex": lambda t: t.linalg.lu_factor_ex(t.zeros(ZEROS), check_errors=True),
    "svd": lambda t: t.linalg.svd(t.full((3, 3), float("nan"))),
    "svdvals": lambda t: t.linalg.svdvals(t.full((2, 3, 3), float("nan"))),
    "eigh": lambda t: t.linalg.eigh(t.full((3, 3), float("nan"))),
    "eig": lambda t: t.linalg.eig(t.full((3, 3), float("nan"))),
    "no pivots": lambda t: t.linalg.lu(t.ones(3, 3), pivot=False),
    "UPLO": lambda t: t.linalg.eigh(t.ones(3, 3), UPLO="X"),
    "svd driver": lambda t: t.linalg.svd(t.ones(3, 3), driver="gesvd"),
    "lstsq driver": lambda t: t.linalg.lstsq(t.ones(3, 3), t.ones(3), driver="gelsx"),
    "qr mode": lambda t: t.linalg.qr(t.ones(3, 3), mode="full"),
    "not square": lambda t: t.linalg.det(t.ones(3, 4)),
    "a vector": lambda t: t.linalg.slogdet(t.ones(3)),
    "integers": lambda t: t.linalg.solve(t.ones(3, 3, dtype=t.int64), t.ones(3, dtype=t.int64)),
    "half": lambda t: t.linalg.inv(t.ones(3, 3, dtype=t.float16)),
    "dtypes": lambda t: t.linalg.solve(t.ones(3, 3), t.ones(3).double()),
    "sizes": lambda t: t.linalg.solve(t.ones(3, 3), t.ones(4, 1)),
    "sizes on the right": lambda t: t.linalg.solve(t.ones(3, 3), t.ones(3, 1), left=False),
    "batches": lambda t: t.linalg.solve(t.eye(3).expand(2, 3, 3), t.ones(5, 3, 1)),
    "pivots": lambda t: t.linalg.lu_solve(t.eye(3), t.zeros(3, dtype=t.int32), t.ones(3, 1)),
    "pivots of another dtype": lambda t: t.linalg.lu_solve(t.eye(3), t.ones(3, dtype=t.int64), t.ones(3, 1)),
    "unpacked pivots": lambda t: t.lu_unpack(t.eye(3), t.full((3,), 4, dtype=t.int32)),
    "norm order": lambda t: t.linalg.matrix_norm(t.ones(3, 3), 3),
    "norm dims": lambda t: t.linalg.matrix_norm(t.ones(3, 3), 2, (0, 0)),
    "cond": lambda t: t.linalg.cond(t.ones(3, 3), 3),
    "multi_dot": lambda t: t.linalg.multi_dot([t.ones(3, 3)]),
    "multi_dot sizes": lambda t: t.linalg.multi_dot([t.ones(3, 3), t.ones(4, 3)]),
    "tensorsolve": lambda t: t.linalg.tensorsolve(t.ones(3, 3), t.ones(3, 3)),
    "householder_product": lambda t: t.linalg.householder_product(t.ones(3, 4), t.ones(3)),
    "ormqr": lambda t: t.ormqr(t.ones(3, 3), t.ones(3), t.ones(4, 2)),
    "vander": lambda t: t.linalg.vander(t.ones(3), N=1),
    "vecdot": lambda t: t.linalg.vecdot(t.ones(3, dtype=t.int64), t.ones(3, dtype=t.int64)),
    "ldl sizes": lambda t: t.linalg.ldl_solve(t.eye(3), t.ones(2, dtype=t.int32), t.ones(3, 1)),
    # derivatives that do not exist
    "geqrf": lambda t: t.geqrf(t.ones(3, 3, requires_grad=True))[0].sum().backward(),
    "ldl_factor": lambda t: t.linalg.ldl_factor(t.eye(3).requires_grad_())[0].sum().backward(),
    "qr without Q": lambda t: t.linalg.qr(t.ones(3, 3, requires_grad=True), mode="r")[1].sum().backward(),
    "complete qr": lambda t: t.linalg.qr(t.ones(4, 3, requires_grad=True), mode="complete")[1].sum().backward(),
    "phase of svd": lambda t: t.linalg.svd(turned(t))[0].sum().abs().backward(),
    "phase of eigh": lambda t: t.linalg.eigh(turned(t))[1].sum().abs().backward(),
    "phase of eig": lambda t: t.linalg.eig(turned(t))[1].sum().abs().backward(),
}


def turned(library):
    a = hermitian(numbers(3, 3, dtype="complex128"))
    return (a if library is torch else ours(a)).requires_grad_()


@pytest.mark.parametrize("name", FAILURES)
def test_failure(name):
    """PyTorch's class and first words."""
    mine, expected = (raised(library, FAILURES[name]) for library in LIBRARIES)
    assert type(mine).__name__ == type(expected).__name__
    wanted = str(expected).split("\n")[0].split(". ")[0].rstrip(".")
    assert wanted in str(mine), f"{mine}\ninstead of\n{expected}"


def test_linalg_error():
    assert issubclass(chainrule.linalg.LinAlgError, RuntimeError)
    with pytest.raises(chainrule.linalg.LinAlgError, match="singular"):
        chainrule.linalg.inv(chainrule.zeros(2, 2))


def test_what_would_make_lapack_read_outside_the_matrix():
    """PyTorch crashes for some of these."""
    eye, ones = chainrule.eye(3), chainrule.ones(3, 1)
    far = chainrule.full((3,), 9, dtype=chainrule.int32)
    with pytest.raises(RuntimeError, match="smaller or equal to LU"):
        chainrule.linalg.lu_solve(eye, far, ones)
    with pytest.raises(RuntimeError, match="between 1 and LU"):
        chainrule.lu_unpack(eye, far)
    with pytest.raises(RuntimeError, match="must all satisfy"):
        chainrule.linalg.ldl_solve(eye, far, ones)
    for pivots in ([1, 2, -3], [-1, 2, 3], [1, -2, 3], [-1, -1, -1]):
        with pytest.raises(RuntimeError, match="in pairs"):
            chainrule.linalg.ldl_solve(eye, chainrule.tensor(pivots, dtype=chainrule.int32), ones)
    with pytest.raises(RuntimeError, match="infs or NaNs"):
        chainrule.linalg.eigvals(chainrule.full((3, 3), float("nan")))
    with pytest.raises(RuntimeError, match="32 bits"):
        chainrule.linalg.ldl_solve(eye, chainrule.ones(3, dtype=chainrule.int64), ones)


def test_pivots_in_another_order_of_memory():
    data, pivots = chainrule.linalg.lu_factor(ours(numbers(2, 3, 3)))
    turned = chainrule.tensor(pivots.mT.tolist(), dtype=chainrule.int32).mT
    assert chainrule.lu_unpack(data, turned).P.equal(chainrule.lu_unpack(data, pivots).P)


# ---- forms


def test_named_results():
    assert chainrule.linalg.svd(chainrule.eye(2)).Vh.shape == (2, 2)
    assert chainrule.linalg.lstsq(chainrule.eye(2), chainrule.ones(2)).singular_values.shape == (0,)
    for library in LIBRARIES:
        result = library.linalg.eigh(library.eye(2))
        assert type(result).__name__ == "linalg_eigh"
        assert [name for name in dir(result) if name.startswith("eigen")] == ["eigenvalues", "eigenvectors"]


def test_out_of_several_results():
    a = ours(numbers(3, 3))
    u, s, vh = (chainrule.empty(0, dtype=a.dtype) for _ in range(3))
    result = chainrule.linalg.svd(a, out=(u, s, vh))
    assert result.U is u
    assert chainrule.allclose(u * s @ vh, a)
    with pytest.raises(RuntimeError, match="Expected out tensor to have dtype"):
        chainrule.linalg.svd(a, out=(u, s.int(), vh))


def test_integer_matrices_have_powers():
    a = torch.tensor([[1, 1], [1, 0]])
    assert chainrule.matrix_power(ours(a), 30).tolist() == torch.matrix_power(a, 30).tolist()


def test_results_may_be_written_to():
    a = ours(numbers(3, 3)).requires_grad_()
    for result in (chainrule.linalg.inv(a), chainrule.linalg.qr(a).Q, chainrule.linalg.solve(a, a, left=False)):
        result *= 1
        result.detach().mul_(2)
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        result.sum().backward()


def test_dtypes_of_results():
    for name in ("float32", "float64", "complex64", "complex128"):
        a = ours(numbers(3, 3, dtype=name))
        reference = numbers(3, 3, dtype=name)
        for f in ("svd", "eig", "eigvals", "slogdet", "qr", "lu_factor_ex", "cond", "matrix_norm", "pinv"):
            mine, expected = (
                flat(getattr(library.linalg, f)(t)) for library, t in ((chainrule, a), (torch, reference))
            )
            assert [name_of(t.dtype) for t in mine] == [name_of(t.dtype) for t in expected]


BATCHED = {
    "det": lambda t, a, b: t.det(a),
    "slogdet": lambda t, a, b: t.linalg.slogdet(a),
    "inv": lambda t, a, b: a.inverse(),
    "svdvals": lambda t, a, b: t.linalg.svdvals(a),
    "matrix_exp": lambda t, a, b: t.linalg.matrix_exp(a),
    "matrix_power": lambda t, a, b: t.linalg.matrix_power(a, 3),
    "lu": lambda t, a, b: t.linalg.lu(a),
    "qr": lambda t, a, b: t.linalg.qr(a, "complete"),
    "solve": lambda t, a, b: t.linalg.solve(a, b),
    "solve a vector": lambda t, a, b: t.linalg.solve(a, b[:, 0]),
    "solve one": lambda t, a, b: t.linalg.solve(t.eye(3, dtype=a.dtype) * 2, b),
    "solve_triangular": lambda t, a, b: t.linalg.solve_triangular(a, b, upper=True),
    "lu_solve": lambda t, a, b: t.linalg.lu_solve(*t.linalg.lu_factor(a), b),
    "lstsq": lambda t, a, b: t.linalg.lstsq(a[:, :2], b)[0],
    "cond": lambda t, a, b: t.linalg.cond(a, 1),
    "pinv": lambda t, a, b: t.linalg.pinv(a),
    "matrix_norm": lambda t, a, b: t.linalg.matrix_norm(a, 1),
    "nuclear norm": lambda t, a, b: t.linalg.matrix_norm(a, "nuc", (1, 0)),
    "householder_product": lambda t, a, b: t.linalg.householder_product(a, b[:, 0]),
}


@pytest.mark.parametrize("name", BATCHED)
def test_vmap(name):
    """Without a loop over the samples, of which vmap would warn."""
    a, b = ours(numbers(4, 3, 3)), ours(numbers(4, 3, 2, seed=1))
    f = BATCHED[name]
    together = flat(chainrule.vmap(lambda a, b: f(chainrule, a, b))(a, b))
    one_by_one = [flat(f(chainrule, a[i], b[i])) for i in range(4)]
    for found, parts in zip(together, zip(*one_by_one, strict=True), strict=True):
        assert chainrule.allclose(found, chainrule.stack(parts))


def test_jacobian_of_inverse():
    a = ours(numbers(3, 3))
    jacobian = chainrule.func.jacrev(chainrule.linalg.inv)(a)
    assert chainrule.allclose(jacobian, chainrule.func.jacfwd(chainrule.linalg.inv)(a))


# ---- where LAPACK comes from


def run(program: str) -> str:
    return subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout


def test_importing_chainrule_does_not_load_it():
    text = run(
        "import sys, chainrule; chainrule.ones(2).norm();"
        "print('chainrule.linalg' in sys.modules, 'scipy_openblas32' in sys.modules, chainrule._core.lapack_is_open())"
    )
    assert text.split() == ["False"] * 3


def test_without_the_package():
    text = run(
        "import sys, chainrule\nsys.modules['scipy_openblas32'] = None\n"
        "try: chainrule.linalg.inv(chainrule.eye(2))\nexcept ImportError as e: print(e)"
    )
    assert "pip install scipy-openblas32" in text
