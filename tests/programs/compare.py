"""Where two records of a program differ, in words; None if nowhere."""

from __future__ import annotations

import dataclasses

import numpy as np


def difference(a, b, exact: bool = True) -> str | None:
    for part in dataclasses.fields(a):
        if part.name == "left" and not exact:
            continue  # which of two nodes comes first that do not depend on each other is nobody's promise
        found = walk(getattr(a, part.name), getattr(b, part.name), exact)
        if found:
            return f"{part.name}{found}"
    return None


def walk(a, b, exact) -> str | None:
    if isinstance(a, (list, tuple)) and isinstance(b, (list, tuple)):
        if len(a) != len(b):
            return f": {len(a)} and {len(b)} entries"
        for i, (x, y) in enumerate(zip(a, b, strict=True)):
            found = walk(x, y, exact)
            if found:
                return f"[{i}]{found}"
        return None
    if isinstance(a, np.ndarray) and isinstance(b, np.ndarray):
        return arrays(a, b, exact)
    if isinstance(a, float) and isinstance(b, float):
        kind = np.float64 if exact else np.float32  # tolist() and item() do not tell the dtype that they come from
        return arrays(np.asarray(a, kind), np.asarray(b, kind), exact)
    return None if a == b else f": {a!r} and {b!r}"


def arrays(a, b, exact) -> str | None:
    if a.shape != b.shape or a.dtype != b.dtype:
        return f": {a.dtype}{a.shape} and {b.dtype}{b.shape}"
    if exact:
        same = a.tobytes() == b.tobytes() or bool(
            ((a == b) | ((a != a) & (b != b))).all() and (np.signbit(a) == np.signbit(b))[a == 0].all()
        )
    else:
        loose = 2e-3 if a.dtype == np.float32 else 1e-6
        same = np.allclose(a, b, rtol=loose, atol=loose, equal_nan=True)
    if same:
        return None
    with np.errstate(all="ignore"):
        worst = np.nanmax(np.abs(a.astype(np.float64) - b.astype(np.float64)), initial=0.0)
    size = np.nanmax(np.abs(b), initial=0.0)
    return f": values differ by up to {worst:g} of {size:g}; {a.ravel()[:4]} and {b.ravel()[:4]}"
