"""Linear algebra on a GPU, by cuSOLVER: a program for tests/test_cuda_ordering.py."""

from __future__ import annotations

import chainrule as torch
from beside_cpu import Near, case, each, main

TYPES = ("float32", "float64", "complex64", "complex128")
SQUARE, TALL, WIDE = (2, 130, 130), (150, 120), (130, 150)


def matrices(device: str, dtype: str, *shape: int, seed: int = 0) -> torch.Tensor:
    """Far from singular."""
    x = torch.randn(shape, dtype=getattr(torch, dtype), generator=torch.Generator().manual_seed(seed))
    return (x / 10 + 3 * torch.eye(*shape[-2:], dtype=x.dtype)).to(device)


def positive(x: torch.Tensor) -> torch.Tensor:
    return x @ x.mH + torch.eye(x.shape[-1], dtype=x.dtype, device=x.device)


@case(*each(TYPES))
def solved(device: str, dtype: str) -> object:
    a, b = matrices(device, dtype, *SQUARE), matrices(device, dtype, 2, 130, 5, seed=1)
    a.requires_grad_()
    lu, pivots = torch.linalg.lu_factor(a)
    half = torch.linalg.cholesky(positive(a))
    results = [lu, pivots, torch.linalg.solve(a, b), torch.linalg.inv(a), torch.linalg.lu_solve(lu, pivots, b), half]
    results += [torch.cholesky_solve(b, half), torch.linalg.solve_triangular(a, b, upper=True)]
    results.append(torch.linalg.solve_triangular(a.mH, b, upper=False, unitriangular=True) / 1e6)
    total = sum((y * y.detach().conj()).real.sum() for y in results if y.requires_grad)
    return Near([*results, torch.autograd.grad(total, a)[0] / 1e3, torch.linalg.slogdet(a.detach())])


@case(*each(TYPES))
def singular(device: str, dtype: str) -> object:
    a = torch.zeros(130, 130, dtype=getattr(torch, dtype), device=device)
    return [torch.linalg.cholesky_ex(a).info, torch.linalg.inv_ex(a).info, torch.linalg.lu_factor_ex(a).info]


@case(*each(TYPES, (SQUARE, TALL, WIDE)))
def orthogonal(device: str, dtype: str, shape: tuple) -> object:
    x = matrices(device, dtype, *shape)
    q, r = torch.linalg.qr(x)
    reflectors, factors = torch.geqrf(x)
    whole = torch.ormqr(reflectors, factors, r.mT.conj() @ r if shape == SQUARE else q @ r)
    return Near([q @ r, torch.linalg.qr(x, mode="r").R.abs(), whole if shape != WIDE else q, q.mH @ q])


@case(*each(TYPES))
def eigenvalues(device: str, dtype: str) -> object:
    x = matrices(device, dtype, *SQUARE)
    values, vectors = torch.linalg.eigh(x + x.mH)
    upper = torch.linalg.eigvalsh(positive(x), UPLO="U")
    return Near([values, upper, (vectors * values.unsqueeze(-2)) @ vectors.mH])


@case(*each(TYPES, (SQUARE, TALL), (True, False)))
def singular_values(device: str, dtype: str, shape: tuple, full: bool) -> object:
    x = matrices(device, dtype, *shape)
    u, s, vh = torch.linalg.svd(x, full_matrices=full)
    n = s.shape[-1]
    together = (u[..., :n] * s.unsqueeze(-2)) @ vh[..., :n, :]
    return Near([s, torch.linalg.svdvals(x), together, u.mH @ u, vh.mH @ vh, torch.linalg.pinv(x)])


@case(*each(TYPES))
def on_the_host(device: str, dtype: str) -> object:
    """What cuSOLVER has not, and what is too small for it."""
    small, wide = matrices(device, dtype, 3, 4, 4), matrices(device, dtype, *WIDE)
    return Near([torch.linalg.inv(small), torch.linalg.svdvals(wide), torch.linalg.eigvals(small).abs().sort().values])


if __name__ == "__main__":
    main()
