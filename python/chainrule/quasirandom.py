"""Sobol's sequences: points that fill a cube more evenly than random ones, PyTorch's bit for bit."""

from __future__ import annotations

from typing import Self

from . import _core
from ._core import Generator, Tensor
from .error_words import at_call
from .sobol_numbers import starting_numbers

__all__ = ["SobolEngine"]

_functions = _core.functions


class SobolEngine:
    """Draws points of a Sobol sequence in the unit cube, in order.

    Args:
        dimension: of the cube, at most 1111; PyTorch has numbers for 21201.
        scramble: whether the sequence is shuffled, in a way that keeps its evenness.
        seed: of the shuffling; without one the default generator is asked.

    >>> engine = torch.quasirandom.SobolEngine(dimension=2)
    >>> engine.draw(4)
    tensor([[0.0000, 0.0000],
            [0.5000, 0.5000],
            [0.7500, 0.2500],
            [0.2500, 0.7500]])
    """

    MAXBIT = 30
    MAXDIM = 1 + len(starting_numbers())

    def __init__(self, dimension: int, scramble: bool = False, seed: int | None = None) -> None:
        if not 1 <= dimension <= self.MAXDIM:
            raise at_call(ValueError, f"Supported range of dimensionality for SobolEngine is [1, {self.MAXDIM}]")
        self.seed, self.scramble, self.dimension = seed, scramble, dimension
        self.sobolstate = _directions(dimension, self.MAXBIT)
        self.shift = _functions["zeros"](dimension, dtype=_core.int64)
        if scramble:
            self._scramble()
        self.quasi = self.shift.clone()
        self._first_point = (self.quasi / 2**self.MAXBIT).reshape(1, -1)
        self.num_generated = 0

    def draw(self, n: int = 1, out: Tensor | None = None, dtype: _core.dtype | None = None) -> Tensor:
        """The next n points, as (n, dimension).

        >>> torch.quasirandom.SobolEngine(3).draw(2)
        tensor([[0.0000, 0.0000, 0.0000],
                [0.5000, 0.5000, 0.5000]])
        """
        dtype = dtype or _core.get_default_dtype()
        points = self._points(self.num_generated, n)
        if n > 0:
            self.quasi = points[-1].clone()
        result = points.to(dtype) / 2**self.MAXBIT
        if self.num_generated == 0 and n > 0:
            result[:1] = self._first_point.to(dtype)
        self.num_generated += n
        return result if out is None else out.resize_as_(result).copy_(result)

    def draw_base2(self, m: int, out: Tensor | None = None, dtype: _core.dtype | None = None) -> Tensor:
        """The next 2ᵐ points. The points are balanced if there are a power of two of them in all.

        >>> torch.quasirandom.SobolEngine(1).draw_base2(2).flatten()
        tensor([0.0000, 0.5000, 0.7500, 0.2500])
        """
        n = 2**m
        total = self.num_generated + n
        if total & (total - 1):
            raise at_call(
                ValueError,
                "The balance properties of Sobol' points require n to be a power of 2. "
                f"{self.num_generated} points have been previously generated, then: "
                f"n={self.num_generated}+2**{m}={total}. "
                "If you still want to do this, please use 'SobolEngine.draw()' instead.",
            )
        return self.draw(n, out, dtype)

    def reset(self) -> Self:
        """Starts the sequence again.

        >>> torch.quasirandom.SobolEngine(2).reset()
        SobolEngine(dimension=2)
        """
        self.quasi.copy_(self.shift)
        self.num_generated = 0
        return self

    def fast_forward(self, n: int) -> Self:
        """Leaves n points out.

        >>> torch.quasirandom.SobolEngine(1).fast_forward(2).draw(2).flatten()
        tensor([0.7500, 0.2500])
        """
        if n > 0:
            self.quasi = self._points(self.num_generated + n - 1, 1)[0]
        self.num_generated += n
        return self

    def _points(self, first: int, n: int) -> Tensor:
        """Points first, first + 1, ... as integers: point i joins the directions that the Gray code of i names."""
        i = _functions["arange"](first, first + n)
        gray = (i ^ (i >> 1)).unsqueeze(1)
        points = self.shift.repeat(n, 1)
        for bit in range(min(self.MAXBIT, (first + n).bit_length())):
            points ^= ((gray >> bit) & 1) * self.sobolstate[:, bit]
        return points

    def _scramble(self) -> None:
        """Shifts the sequence, and multiplies directions, as vectors of bits, by random triangular matrices."""
        generator = None if self.seed is None else Generator().manual_seed(self.seed)
        places = _functions["arange"](self.MAXBIT)
        shift = _functions["randint"](2, (self.dimension, self.MAXBIT), generator=generator)
        self.shift = (shift << places).sum(1)
        matrices = _functions["randint"](2, (self.dimension, self.MAXBIT, self.MAXBIT), generator=generator).tril()
        matrices.diagonal(0, -2, -1).fill_(1)
        bits = (self.sobolstate.unsqueeze(1) >> places.flip(0).unsqueeze(-1)) & 1  # the highest first
        self.sobolstate = ((matrices @ bits % 2) << places.flip(0).unsqueeze(-1)).sum(1)

    def __repr__(self) -> str:
        words = [f"dimension={self.dimension}"]
        words += ["scramble=True"] if self.scramble else []
        words += [f"seed={self.seed}"] if self.seed is not None else []
        return f"{type(self).__name__}({', '.join(words)})"


def _directions(dimension: int, bits: int) -> Tensor:
    rows = [[1] * bits, *(_continued(p, m, bits) for p, m in starting_numbers()[: dimension - 1])]
    return _functions["tensor"](rows) << _functions["arange"](bits).flip(0)


def _continued(polynomial: int, numbers: list[int], bits: int) -> list[int]:
    """All direction numbers of a dimension: each follows from as many before it as the polynomial has degrees."""
    degree, result = len(numbers), list(numbers)
    for j in range(degree, bits):
        new = result[j - degree]
        for k in range(1, degree + 1):
            if polynomial >> (degree - k) & 1:
                new ^= result[j - k] << k
        result.append(new)
    return result[:bits]
