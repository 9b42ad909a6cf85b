"""Fourier transforms: complex numbers, all kinds of lengths, accuracy, errors; the records have the rest."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
import torch

import chainrule
from oracle import Collected, assert_same_outcome, name_of, ours, outcome

FORMS = ("fft", "ifft", "rfft", "irfft", "hfft", "ihfft")
REAL_INPUT = ("rfft", "ihfft")
COMPLEX_OF = {torch.float32: torch.complex64, torch.float64: torch.complex128}


def draw(shape, dtype, seed=0):
    return torch.randn(shape, dtype=dtype, generator=torch.Generator().manual_seed(seed))


def same(name: str, x: torch.Tensor, *args, **kwargs) -> None:
    results = outcome(getattr(chainrule.fft, name), ours(x), *args, **kwargs)
    expected = outcome(getattr(torch.fft, name), x, *args, **kwargs)
    if expected[0] is not None:
        expected = (expected[0].resolve_conj(), None)
    assert_same_outcome(results, expected, 4.0, f"{name}({name_of(x.dtype)}{list(x.shape)}, {args}, {kwargs})")


# ---- values

# Every radix, every width of vectors, lengths whose large prime factor makes them convolutions.
LENGTHS = [*range(1, 40), 45, 49, 64, 77, 97, 100, 121, 128, 169, 243, 250, 256, 257, 500, 512, 1009, 1024, 2018, 4096]


@pytest.mark.parametrize("dtype", COMPLEX_OF, ids=name_of)
@pytest.mark.parametrize("name", FORMS)
def test_length(name, dtype):
    kind = dtype if name in REAL_INPUT else COMPLEX_OF[dtype]
    with Collected() as c:
        for n in LENGTHS:
            c.check(same, name, draw(n // 2 + 1 if name in ("irfft", "hfft") else n, kind, n), n)


@pytest.mark.parametrize("dtype", COMPLEX_OF, ids=name_of)
@pytest.mark.parametrize("name", FORMS)
def test_several_side_by_side(name, dtype):
    """Along the last dimension and along others, fewer and more than a vector holds."""
    kind = dtype if name in REAL_INPUT else COMPLEX_OF[dtype]
    with Collected() as c:
        for n, many in itertools.product((1, 2, 5, 8, 15, 17, 64, 130), (1, 2, 7, 16, 17, 70)):
            c.check(same, name, draw((many, n), kind))
            c.check(same, name, draw((n, many), kind), dim=0)
            c.check(same, name, draw((2, n, many), kind), dim=1)


@pytest.mark.parametrize("name", FORMS)
def test_arguments(name):
    kind = torch.float64 if name in REAL_INPUT else torch.complex128
    sizes = (None, 4, (3, 4), (-1, 5), (0, 3), (2, 3, 4, 5))
    with Collected() as c:
        for n, dim, norm in itertools.product((None, 1, 6, 0, -1), (-1, 0, 3), (None, "ortho", "forward", "mean")):
            c.check(same, name, draw((3, 4), kind), n, dim, norm)
        for s, dim in itertools.product(sizes, (None, 0, (0, 1), (1, 0), (-1, -2), (0, 0), (0, 1, 2), ())):
            for form in "2n":
                kwargs = {"dim": dim} if dim is not None else {}
                c.check(same, name + form, draw((3, 4), kind), s, norm="backward", **kwargs)
        for dtype in (torch.float16, torch.int64, torch.bool, torch.complex64, torch.float32):
            c.check(same, name, torch.ones(5).to(dtype))
            c.check(same, name, torch.ones(()).to(dtype))


@pytest.mark.parametrize("dtype", COMPLEX_OF, ids=name_of)
@pytest.mark.parametrize("n", [8, 210, 1000, 1009, 4096, 30030])
def test_accuracy(n, dtype):
    """Every value is as far off as a few roundings of a typical one; the truth is a sum in extended precision."""
    x = draw(n, COMPLEX_OF[dtype])
    rows = np.arange(0, n, max(1, n // 50))
    turns = (np.outer(rows, np.arange(n)) % n).astype(np.longdouble) / n
    angles = -2 * np.longdouble("3.14159265358979323846") * turns
    exact = ((np.cos(angles) + 1j * np.sin(angles)) * x.numpy().astype(np.clongdouble)).sum(1)
    error = np.linalg.norm(chainrule.fft.fft(ours(x)).numpy()[rows] - exact) / np.linalg.norm(exact)
    assert error < 4 * torch.finfo(dtype).eps


def test_strided_input_is_left_alone():
    x = draw((6, 8), torch.complex128)
    mine = ours(x)
    with Collected() as c:
        for view in (lambda t: t.t(), lambda t: t[::2, 1:], lambda t: t[:, None].expand(6, 3, 8)):
            found = chainrule.fft.fft2(view(mine)).numpy()
            c.check(np.testing.assert_allclose, found, torch.fft.fft2(view(x)).numpy(), atol=1e-12)
    np.testing.assert_array_equal(mine.numpy(), x.numpy())


# ---- derivatives


@pytest.mark.parametrize("form", ["", "2", "n"])
@pytest.mark.parametrize("name", FORMS)
def test_derivatives_of_complex_numbers(name, form):
    kind = torch.float64 if name in REAL_INPUT else torch.complex128
    x = ours(draw((3, 4), kind)).requires_grad_()
    f = getattr(chainrule.fft, name + form)
    size = 5 if not form else (4, 5)
    assert chainrule.autograd.gradcheck(lambda t: f(t, size, norm="ortho"), (x,), check_forward_ad=True)
    assert chainrule.autograd.gradgradcheck(lambda t: f(t, size), (x,))


@pytest.mark.parametrize("name", FORMS)
def test_gradient_is_pytorchs(name):
    kind = torch.float64 if name in REAL_INPUT else torch.complex128
    for n in (6, 7):
        x = draw((2, n), kind).requires_grad_()
        mine = ours(x.detach()).requires_grad_()
        theirs, found = getattr(torch.fft, name)(x), getattr(chainrule.fft, name)(mine)
        g = draw(theirs.shape, theirs.dtype, 1)
        (expected,) = torch.autograd.grad(theirs, x, g)
        (gradient,) = chainrule.autograd.grad(found, mine, ours(g))
        np.testing.assert_allclose(gradient.numpy(), expected.resolve_conj().numpy(), atol=1e-12)


# ---- under vmap


@pytest.mark.parametrize("name", [name + form for name in FORMS for form in ("", "2", "n")] + ["fftshift", "ifftshift"])
def test_vmap(name):
    x = ours(draw((3, 4, 5), torch.float64))
    f = getattr(chainrule.fft, name)
    with Collected() as c:
        for kwargs in ({}, {"dim": 0}, {"s": (2, 3)} if name.endswith(("2", "n")) else {}):
            expected = chainrule.stack([f(row, **kwargs) for row in x])
            found = chainrule.vmap(lambda t, kwargs=kwargs: f(t, **kwargs))(x)
            c.check(
                np.testing.assert_allclose, found.resolve_conj().numpy(), expected.resolve_conj().numpy(), atol=1e-12
            )


# ---- frequencies


@pytest.mark.parametrize("name", ["fftfreq", "rfftfreq"])
def test_frequencies(name):
    with Collected() as c:
        for n, d in itertools.product((0, 1, 2, 5, 8, -1), (1.0, 0.3, 2)):
            for dtype in (None, "float64", "float16", "int64"):
                call = [
                    outcome(getattr(library.fft, name), n, d, dtype=dtype and getattr(library, dtype))
                    for library in (chainrule, torch)
                ]
                c.check(assert_same_outcome, *call, 1.0, f"{name}({n}, {d}, {dtype})")


# ---- short-time transforms

SPECTRA = [
    {},
    {"center": False},
    {"hop_length": 3, "win_length": 6},
    {"normalized": True, "onesided": False},
    {"length": 15},
    {"return_complex": True},
    {"hop_length": 20},
]


@pytest.mark.filterwarnings("ignore:A window was not provided", "ignore:The length of signal is shorter")
def test_istft():
    with Collected() as c:
        for kwargs, rows, dtype in itertools.product(SPECTRA, (5, 8), COMPLEX_OF.values()):
            for shape in ((rows, 9), (2, rows, 9)):
                x = draw(shape, dtype)
                window = draw(kwargs.get("win_length", 8), x.real.dtype, 1).abs() + 0.5
                for own in ({}, {"window": window}):
                    expected = outcome(torch.istft, x, 8, **kwargs, **own)
                    own = {key: ours(value) for key, value in own.items()}
                    results = outcome(chainrule.istft, ours(x), 8, **kwargs, **own)
                    c.check(
                        assert_same_outcome, results, expected, 4.0, f"istft({dtype}{shape}, {kwargs}, {list(own)})"
                    )


def test_istft_takes_stft_back():
    x, window = ours(draw((2, 50), torch.float64)), chainrule.hann_window(16, dtype=chainrule.float64)
    spectrum = chainrule.stft(x, 16, window=window, return_complex=True)
    np.testing.assert_allclose(chainrule.istft(spectrum, 16, window=window, length=50).numpy(), x.numpy(), atol=1e-12)


def test_istft_gradient():
    x = ours(draw((5, 4), torch.complex128)).requires_grad_()
    window = ours(draw(8, torch.float64).abs() + 0.5).requires_grad_()
    assert chainrule.autograd.gradcheck(lambda t, w: chainrule.istft(t, 8, window=w), (x, window))


def test_every_function_is_there():
    theirs = {name for name in dir(torch.fft) if callable(getattr(torch.fft, name)) and name[0].islower()}
    assert chainrule.fft.__all__ == sorted(theirs - {"torch"})
