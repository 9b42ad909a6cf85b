"""LAPACK's routines, batched: plain values in and out, no histories.

Each overwrites what it is given, so it is given copies (`columns`). The library is that of the package
scipy-openblas32; the first call opens it.
"""

from __future__ import annotations

import os
from importlib import import_module
from math import prod
from typing import Any, NamedTuple

from .. import _core, empty, empty_strided, int32, tensor, zeros
from .._core import Tensor, dtype

_SYMBOL_PREFIX = "scipy_"


def _open() -> None:
    try:
        package = import_module("scipy_openblas32")
    except ImportError:
        raise ImportError(
            "chainrule.linalg needs LAPACK, which the package scipy-openblas32 brings: pip install scipy-openblas32"
        ) from None
    path = os.path.join(package.get_lib_dir(), f"lib{package.get_library()}.so")
    _core.open_lapack(path, _SYMBOL_PREFIX)


class _Work(NamedTuple):
    """Room that a routine asks for."""

    kind: dtype
    counted: bool = True  # the length follows as an argument


def columns(a: Tensor, rows: int | None = None) -> Tensor:
    """A copy with column-major matrices; with `rows`, of so many rows, those beyond a's being zero."""
    m, n = a.shape[-2:]
    if rows is None or rows <= m:
        return _core.lapack_columns(a)
    copy = _empty_columns((*a.shape[:-2], rows, n), a.dtype)
    copy[..., m:, :] = 0
    copy[..., :m, :] = a
    return copy


def _empty_columns(shape: tuple[int, ...], kind: dtype) -> Tensor:
    *batch, m, n = shape
    if not prod(shape):
        return empty(shape, dtype=kind)
    strides, step = [], m * n
    for size in reversed(batch):
        strides.append(step)
        step *= size
    return empty_strided(shape, (*reversed(strides), 1, m), dtype=kind)


def _call(routine: str, a: Tensor, *arguments: Any) -> None:
    """Runs a routine for each matrix of `a`."""
    if not _core.lapack_is_open():
        _open()
    _core.lapack(routine, a, *arguments)


def _info(a: Tensor) -> Tensor:
    return zeros(a.shape[:-2], dtype=int32)


def _scalar(value: float, kind: dtype) -> list[Tensor]:
    return [tensor([value], dtype=kind)]


def _high(a: Tensor) -> int:
    """The leading dimension."""
    return max(1, a.shape[-2])


def _real(a: Tensor) -> dtype:
    return a.dtype.to_real()


# ---- triangles and products of triangles


def getrf(a: Tensor) -> tuple[Tensor, Tensor]:
    """A = PLU, in place. Gives the pivots and, per matrix, the first zero on U's diagonal."""
    m, n = a.shape[-2:]
    pivots, info = zeros((*a.shape[:-2], min(m, n)), dtype=int32), _info(a)
    if a.numel():
        _call("getrf", a, m, n, a, _high(a), pivots, info)
    return pivots, info


def getrs(lu: Tensor, pivots: Tensor, b: Tensor, transposed: str) -> None:
    """Solves in b, by A ("N"), its transpose ("T") or its adjoint ("C")."""
    if b.numel():
        n = lu.shape[-1]
        _call("getrs", lu, transposed, n, b.shape[-1], lu, _high(lu), pivots, b, _high(b), _info(b))


def laswp(a: Tensor, pivots: Tensor) -> None:
    """Exchanges rows as getrf did."""
    if a.numel() and pivots.numel():
        _call("laswp", a, a.shape[-1], a, _high(a), 1, pivots.shape[-1], pivots, 1)


def trsm(a: Tensor, b: Tensor, upper: bool, unit: bool) -> None:
    """Solves AX = B in b, where a is triangular."""
    if b.numel():
        letters = ("L", "U" if upper else "L", "N", "U" if unit else "N")
        _call("trsm", a, *letters, *b.shape[-2:], _scalar(1, a.dtype), a, _high(a), b, _high(b))


def potrf(a: Tensor) -> Tensor:
    """The lower Cholesky factor, in place; which leading minor is not positive."""
    info = _info(a)
    if a.numel():
        _call("potrf", a, "L", a.shape[-1], a, _high(a), info)
    return info


def potri(a: Tensor) -> Tensor:
    """The lower half of the inverse of a matrix whose lower Cholesky factor it overwrites."""
    info = _info(a)
    if a.numel():
        _call("potri", a, "L", a.shape[-1], a, _high(a), info)
    return info


def sytrf(a: Tensor, hermitian: bool) -> tuple[Tensor, Tensor]:
    """A = LDLᵀ of a symmetric or Hermitian matrix, in place: the pivots, and the first zero of D."""
    pivots, info = zeros(a.shape[:-1], dtype=int32), _info(a)
    if a.numel():
        routine = "hetrf" if hermitian and a.is_complex() else "sytrf"
        _call(routine, a, "L", a.shape[-1], a, _high(a), pivots, _Work(a.dtype), info)
    return pivots, info


def sytrs(ld: Tensor, pivots: Tensor, b: Tensor, hermitian: bool) -> None:
    """Solves in b with what sytrf gave."""
    if b.numel():
        routine = "hetrs" if hermitian and ld.is_complex() else "sytrs"
        _call(routine, ld, "L", ld.shape[-1], b.shape[-1], ld, _high(ld), pivots, b, _high(b), _info(b))


# ---- reflectors


def geqrf(a: Tensor) -> Tensor:
    """A = QR, in place: R, and below it the reflectors that make up Q. Gives their factors."""
    m, n = a.shape[-2:]
    tau = zeros((*a.shape[:-2], min(m, n)), dtype=a.dtype)
    if a.numel():
        _call("geqrf", a, m, n, a, _high(a), tau, _Work(a.dtype), _info(a))
    return tau


def orgqr(a: Tensor, tau: Tensor) -> None:
    """The first columns of the product of reflectors, in their place."""
    if a.numel():
        m, n = a.shape[-2:]
        routine = "ungqr" if a.is_complex() else "orgqr"
        _call(routine, a, m, n, tau.shape[-1], a, _high(a), tau, _Work(a.dtype), _info(a))


def ormqr(a: Tensor, tau: Tensor, c: Tensor, left: bool, transposed: bool) -> None:
    """c times the product of reflectors or its adjoint, in c."""
    if c.numel() and tau.numel():
        routine = "unmqr" if a.is_complex() else "ormqr"
        letters = ("L" if left else "R", "N" if not transposed else "C" if a.is_complex() else "T")
        sizes = (*c.shape[-2:], tau.shape[-1])
        _call(routine, a, *letters, *sizes, a, _high(a), tau, c, _high(c), _Work(a.dtype), _info(c))


# ---- singular values and eigenvalues


def gesdd(a: Tensor, job: str) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """U, the singular values, Vᴴ and info; job "A": square U and V, "S": what belongs to a value, "N": values only."""
    m, n = a.shape[-2:]
    k = min(m, n)
    batch = a.shape[:-2]
    wide, high = {"A": (m, n), "S": (k, k), "N": (0, 0)}[job]
    u, vh = _empty_columns((*batch, m * (job != "N"), wide), a.dtype), _empty_columns((*batch, high, n), a.dtype)
    s, info = empty((*batch, k), dtype=_real(a)), _info(a)
    finite = a.isfinite().all(-1).all(-1)
    if not a.numel() or not finite.all():  # the routine may not end where values are not finite
        return u, s, vh, info.masked_fill_(finite.logical_not(), -4)
    real_room = [[empty(_gesdd_room(m, n, job), dtype=_real(a))]] if a.is_complex() else []
    _call(
        "gesdd",
        a,
        *(job, m, n, a, _high(a), s, u, _high(u), vh, _high(vh), _Work(a.dtype)),
        *(*real_room, [empty(8 * k, dtype=int32)], info),
    )
    return u, s, vh, info


def _gesdd_room(m: int, n: int, job: str) -> int:
    small, large = min(m, n), max(m, n)
    return 7 * small if job == "N" else max(5 * small * small + 5 * small, 2 * large * small + 2 * small**2 + small)


def syevd(a: Tensor, lower: bool, vectors: bool) -> tuple[Tensor, Tensor]:
    """Eigenvalues of symmetric or Hermitian matrices, in ascending order, and info; the vectors overwrite a."""
    n = a.shape[-1]
    values, info = empty((*a.shape[:-2], n), dtype=_real(a)), _info(a)
    if a.numel():
        works = [_Work(a.dtype), *([_Work(_real(a))] if a.is_complex() else []), _Work(int32)]
        routine = "heevd" if a.is_complex() else "syevd"
        letters = ("V" if vectors else "N", "L" if lower else "U")
        _call(routine, a, *letters, n, a, _high(a), values, *works, info)
    return values, info


def geev(a: Tensor, vectors: bool) -> tuple[Tensor, Tensor, Tensor]:
    """Eigenvalues and eigenvectors of any matrix, complex ones, and info. Without `vectors` those are empty."""
    n = a.shape[-1]
    batch, kind = a.shape[:-2], a.dtype.to_complex()
    found = _empty_columns((*batch, n, n) if vectors else (*batch, 0, 0), a.dtype)
    none, info, letters = [empty(1, dtype=a.dtype)], _info(a), ("N", "V" if vectors else "N")
    if not a.numel():
        return empty((*batch, n), dtype=kind), found.to(kind), info
    after = (none, 1, found, _high(found), _Work(a.dtype))
    if a.is_complex():
        values = empty((*batch, n), dtype=kind)
        _call("geev", a, *letters, n, a, _high(a), values, *after, [empty(2 * n, dtype=_real(a))], info)
        return values, found, info
    re, im = (empty((*batch, n), dtype=a.dtype) for _ in range(2))
    _call("geev", a, *letters, n, a, _high(a), re, im, *after, info)
    return _core.functions["complex"](re, im), _paired(found, im) if vectors else found.to(kind), info


def _paired(found: Tensor, im: Tensor) -> Tensor:
    """Complex vectors from real ones: a conjugate pair of values has re, im of its first vector as two columns."""
    functions = _core.functions
    first = (im > 0).unsqueeze(-2)
    second = (im < 0).unsqueeze(-2)
    before, after = found.roll(1, -1), found.roll(-1, -1)
    real = functions["where"](second, before, found)
    imaginary = functions["where"](first, after, functions["where"](second, -found, 0.0))
    return functions["complex"](real, imaginary)


# ---- least squares


def gels(a: Tensor, b: Tensor) -> Tensor:
    """Solutions in b for matrices of full rank; info."""
    info = _info(a)
    _call("gels", a, "N", *a.shape[-2:], b.shape[-1], a, _high(a), b, _high(b), _Work(a.dtype), info)
    return info


def gelsy(a: Tensor, b: Tensor, rcond: float) -> tuple[Tensor, Tensor]:
    """Solutions in b by a complete orthogonal factorisation; ranks and info."""
    m, n = a.shape[-2:]
    order, rank, info = zeros((*a.shape[:-2], n), dtype=int32), _info(a), _info(a)
    real_room = [[empty(2 * n, dtype=_real(a))]] if a.is_complex() else []
    sizes = (m, n, b.shape[-1], a, _high(a), b, _high(b))
    _call("gelsy", a, *sizes, order, _scalar(rcond, _real(a)), rank, _Work(a.dtype), *real_room, info)
    return rank, info


def gels_by_values(routine: str, a: Tensor, b: Tensor, rcond: float) -> tuple[Tensor, Tensor, Tensor]:
    """Solutions in b by singular values (gelsd, gelss): ranks, the values, info."""
    m, n = a.shape[-2:]
    values = empty((*a.shape[:-2], min(m, n)), dtype=_real(a))
    rank, info = _info(a), _info(a)
    rooms: list[Any] = [_Work(a.dtype)]
    if routine == "gelsd":
        rooms += [*([_Work(_real(a), False)] if a.is_complex() else []), _Work(int32, False)]
    elif a.is_complex():
        rooms += [[empty(5 * min(m, n), dtype=_real(a))]]
    sizes = (m, n, b.shape[-1], a, _high(a), b, _high(b))
    _call(routine, a, *sizes, values, _scalar(rcond, _real(a)), rank, *rooms, info)
    return rank, values, info
