"""out=: ranges fill any tensor of as many elements, and other dtypes are refused in each function's words."""

from __future__ import annotations

import warnings

import pytest

from both import agree

RANGES = {
    "arange": "t.arange(4., out=view)",
    "linspace": "t.linspace(0, 3, 4, out=view)",
    "logspace": "t.logspace(0, 3, 4, base=2, out=view)",
    "range": "t.range(0, 3, out=view)",
}


def quietly(program):
    def run(t):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return program(t)

    return run


@pytest.mark.parametrize("call", RANGES.values(), ids=RANGES)
@pytest.mark.parametrize("part", ["x[:, 1:]", "x[:, ::2]", "x.t()[1:]", "x[:1]"])
def test_ranges_stay_inside_a_view(call, part):
    """All elements around the view keep their value; a view of another size is resized, as in PyTorch."""

    def program(t):
        x = t.zeros(2, 3)
        view = eval(part, {"x": x})
        result = eval(call, {"t": t, "view": view})
        return x, list(result.shape), result

    agree(quietly(program))


def test_arange_says_that_it_resizes():
    def program(t):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            t.arange(3, out=t.zeros(2, 2).long())
        return [str(w.message).partition(" (Triggered")[0] for w in caught]

    agree(program)


LINALG = """
t.linalg.cholesky(a, out=o)
t.linalg.cond(a, out=o)
t.linalg.det(a, out=o)
t.linalg.eigvals(a, out=o)
t.linalg.eigvalsh(a, out=o)
t.linalg.householder_product(a, b, out=o)
t.linalg.inv(a, out=o)
t.inverse(a, out=o)
t.linalg.matrix_norm(a, out=o)
t.linalg.norm(a, out=o)
t.linalg.matrix_power(a, 3, out=o)
t.linalg.matrix_rank(a, out=o)
t.linalg.multi_dot([a, a], out=o)
t.linalg.pinv(a, out=o)
t.linalg.solve(a, a, out=o)
t.linalg.solve_triangular(a, a, upper=True, out=o)
t.linalg.svdvals(a, out=o)
t.linalg.tensorinv(a, ind=1, out=o)
t.linalg.tensorsolve(a, b, out=o)
t.linalg.vecdot(b, b, out=o)
t.linalg.vector_norm(b, out=o)
t.cholesky_inverse(a, out=o)
t.cholesky_solve(a, a, out=o)
t.ormqr(a, b, a, out=o)
t.fft.fft(b, out=o)
t.linalg.eigh(a, out=(o, t.empty(0, dtype=a.dtype)))
t.linalg.eig(a, out=(o, t.empty(0, dtype=t.complex64)))
t.linalg.svd(a, out=(t.empty(0, dtype=a.dtype), o, t.empty(0, dtype=a.dtype)))
t.linalg.lstsq(a, a, out=(o, t.empty(0), t.empty(0).long(), t.empty(0)))
t.geqrf(a, out=(t.empty(0, dtype=a.dtype), o))
t.mode(b.real, out=(o, t.empty(0).long()))
t.frexp(b.real, out=(b.real.clone(), o))
t.histogram(b.real, 2, out=(o, t.empty(0)))
t.nonzero_static(b, size=1, out=o)
t.heaviside(b.real, b.real, out=o)
""".strip().splitlines()


@pytest.mark.parametrize("out", ["bool", "int16", "float64", "complex64", "complex128"])
@pytest.mark.parametrize("dtype", ["float32", "complex64"])
@pytest.mark.parametrize("text", LINALG)
def test_dtypes(text, dtype, out):
    def program(t):
        a = t.eye(3, dtype=getattr(t, dtype)) * 2
        b = t.ones(3, dtype=getattr(t, dtype))
        return eval(text, {"t": t, "a": a, "b": b, "o": t.empty(0, dtype=getattr(t, out))})

    agree(quietly(program), words=6)


def test_new_memory_stands_out():
    """resize_ fills what it adds while deterministic algorithms are asked for."""

    def program(t):
        t.use_deterministic_algorithms(True)
        try:
            made = [t.zeros(2, dtype=d) for d in (t.float32, t.int8, t.bool, t.complex64, t.uint16)]
            return [x.resize_(4).float().nan_to_num(-1) if x.is_floating_point() else x.resize_(4)[3:] for x in made]
        finally:
            t.use_deterministic_algorithms(False)

    agree(quietly(program))
