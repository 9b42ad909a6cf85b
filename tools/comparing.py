"""How near a result must be to PyTorch's to count as the same, and what a factorisation is free to choose."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch

from carrying import Carrier, name_of

TOLERANCES = {  # relative and absolute: those of torch.testing, but for what is as good as exact
    **dict.fromkeys(("float64", "complex128"), (1e-7, 1e-7)),
    **dict.fromkeys(("float32", "complex64"), (1.3e-6, 1e-5)),
    "bfloat16": (1.6e-2, 1e-3),
    **dict.fromkeys(("float16", "complex32"), (1e-3, 1e-3)),
}
WIDEST = 1e-2  # a wide tolerance of the database must not blind the measurement


class DifferenceError(Exception):
    """chainrule's result is not PyTorch's."""


def allowed(op: Any, dtype: torch.dtype) -> tuple[float, float]:
    """What the database itself allows for this dtype on the CPU."""
    relative = absolute = 0.0
    for decorator in op.decorators:
        if getattr(decorator, "device_type", None) not in (None, "cpu"):
            continue
        for inner in getattr(decorator, "decorators", [decorator]):
            overrides = getattr(inner, "d", None)
            given = overrides.get(dtype) if isinstance(overrides, dict) else None
            if given is not None and hasattr(given, "rtol"):
                relative, absolute = max(relative, given.rtol), max(absolute, given.atol)
    return min(relative, WIDEST), min(absolute, WIDEST)


def require_close(got: np.ndarray, wanted: np.ndarray, relative: float, absolute: float, what: str) -> None:
    if got.shape != wanted.shape:
        raise DifferenceError(f"{what}: shape {got.shape} instead of {wanted.shape}")
    wide = np.complex128 if "c" in got.dtype.kind + wanted.dtype.kind else np.float64
    exact = got.dtype.kind in "biu" and wanted.dtype.kind in "biu"
    with np.errstate(all="ignore"):
        near = got == wanted if exact else np.isclose(got.astype(wide), wanted.astype(wide), relative, absolute, True)
    if not np.all(near):
        first = tuple(np.argwhere(~near)[0])
        raise DifferenceError(
            f"{what}: {np.sum(~near)} of {near.size}, first at {first}: {got[first]} for {wanted[first]}"
        )


def require_same(
    mine: list, theirs: list, carrier: Carrier, extra: tuple[float, float] = (0, 0), values: bool = True
) -> None:
    """Leaves of two results: as many, of the same type, dtype and shape, and near. Without `values` all but near."""
    if len(mine) != len(theirs):
        raise DifferenceError(f"{len(mine)} results instead of {len(theirs)}")
    reference = Carrier(torch)
    for i, (m, t) in enumerate(zip(mine, theirs, strict=True)):
        if not isinstance(t, torch.Tensor):
            same_type = type(m) is type(t) or type(t).__module__.startswith("torch")
            number = isinstance(t, (float, complex))
            if not same_type or (values and not (np.isclose(m, t, 1e-7, 1e-7, True) if number else str(m) == str(t))):
                raise DifferenceError(f"result {i}: {m!r} instead of {t!r}")
            continue
        if not isinstance(m, carrier.library.Tensor):
            raise DifferenceError(f"result {i}: {type(m).__name__} instead of a tensor")
        if name_of(m.dtype) != name_of(t.dtype) or tuple(m.shape) != tuple(t.shape):
            raise DifferenceError(f"result {i}: {m.dtype} {tuple(m.shape)} instead of {t.dtype} {tuple(t.shape)}")
        if values:
            base = TOLERANCES.get(name_of(t.dtype), (0.0, 0.0))
            near = (max(pair) for pair in zip(base, extra, strict=True))
            require_close(carrier.array(m), reference.array(t), *near, what=f"result {i}")


# ---- factorisations


def adjoint(x: np.ndarray) -> np.ndarray:
    return np.conj(np.swapaxes(x, -1, -2))


def what_is_determined(name: str, matrix: np.ndarray, results: list[np.ndarray]) -> list[np.ndarray]:
    """What the signs and phases of vectors, and the order of complex eigenvalues, leave alone."""
    if name in ("svd", "linalg.svd"):
        u, s, v = results
        v = adjoint(v) if name == "svd" else v
        count = s.shape[-1]
        return [s, (u[..., :count] * s[..., None, :]) @ v[..., :count, :], adjoint(u) @ u, v @ adjoint(v)]
    if name == "linalg.eigh":
        w, v = results
        return [w, (v * w[..., None, :]) @ adjoint(v), adjoint(v) @ v]
    if name == "linalg.eig":
        w, v = results
        return [np.sort_complex(w), matrix @ v - v * w[..., None, :], np.linalg.norm(v, axis=-2)]
    return [np.sort_complex(results[0])]


FREE = ("svd", "linalg.svd", "linalg.eigh", "linalg.eig", "linalg.eigvals")


def require_same_factors(name: str, matrix: torch.Tensor, mine: list, theirs: list, carrier: Carrier) -> None:
    require_same(mine, theirs, carrier, values=False)
    near = 1e-6 if matrix.dtype in (torch.float64, torch.complex128) else 1e-3
    array = Carrier(torch).array(matrix)
    found = what_is_determined(name, array, [carrier.array(m) for m in mine])
    wanted = what_is_determined(name, array, [Carrier(torch).array(t) for t in theirs])
    for m, t in zip(found, wanted, strict=True):
        require_close(m, t, near, near, "what is determined")
