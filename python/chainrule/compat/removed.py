"""Functions that PyTorch has removed, and that say what to write instead."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NoReturn

from ..error_words import at_call

_NOW = {
    "solve": "torch.solve(B, A) is torch.linalg.solve(A, B) now",
    "eig": "torch.eig(A) is torch.linalg.eig(A) now, with complex results",
    "symeig": "torch.symeig(A) is torch.linalg.eigh(A) now, which reads the lower triangle: UPLO='U' for the upper one",
    "lstsq": "torch.lstsq(B, A) is torch.linalg.lstsq(A, B) now",
    "matrix_rank": "torch.matrix_rank(A, symmetric=True) is torch.linalg.matrix_rank(A, hermitian=True) now",
}


def _removed(name: str) -> Callable[..., NoReturn]:
    def function(*args: Any, **kwargs: Any) -> NoReturn:
        raise at_call(RuntimeError, f"This function was deprecated since version 1.9 and is now removed. {_NOW[name]}.")

    function.__name__ = function.__qualname__ = name
    function.__doc__ = f"Raises: PyTorch has removed it. {_NOW[name]}."
    setattr(function, "refusal", _NOW[name])  # noqa: B010  (for `chainrule check`, as refused() has it)
    return function


solve, eig, symeig, lstsq, matrix_rank = map(_removed, _NOW)
METHODS = (solve, eig, symeig, lstsq)
