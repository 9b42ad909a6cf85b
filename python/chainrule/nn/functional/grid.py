"""The values of an image at any places."""

from __future__ import annotations

from itertools import product

from ... import _core
from ..._core import Tensor

_functions = _core.functions
_where = _functions["where"]


def sampled(input: Tensor, grid: Tensor, mode: str, padding: str, align_corners: bool) -> Tensor:
    """The input (N, C, ...) at the grid's places (N, ..., dims), whose coordinates run from -1 to 1."""
    _check(input, grid, mode)
    dims = input.dim() - 2
    sizes = list(input.shape[2:])
    # The grid's first coordinate belongs to the image's last dimension.
    places = [_in_elements(grid[..., dims - 1 - d], n, align_corners) for d, n in enumerate(sizes)]
    if mode == "bicubic":
        return _cubic(input, places, padding, align_corners)
    places = [_kept_inside(p, n, padding, align_corners) for p, n in zip(places, sizes, strict=True)]
    if mode == "nearest":
        return _fetched(input, [p.detach().round() for p in places])
    low = [p.detach().floor() for p in places]
    total = None
    for corner in product((0, 1), repeat=dims):
        weight = None
        for p, i, step in zip(places, low, corner, strict=True):
            part = p - i if step else i + 1 - p
            weight = part if weight is None else weight * part
        assert weight is not None
        value = _fetched(input, [i + step for i, step in zip(low, corner, strict=True)]) * weight.unsqueeze(1)
        total = value if total is None else total + value
    assert total is not None
    return total


def _in_elements(x: Tensor, size: int, align_corners: bool) -> Tensor:
    return (x + 1) / 2 * (size - 1) if align_corners else ((x + 1) * size - 1) / 2


def _kept_inside(x: Tensor, size: int, padding: str, align_corners: bool) -> Tensor:
    """Places outside of the image brought in, as the padding says."""
    if padding == "zeros":
        return x
    if padding == "reflection":
        x = _reflected(x, size, align_corners)
    return x.clamp(0, size - 1)


def _reflected(x: Tensor, size: int, align_corners: bool) -> Tensor:
    low, span = (0.0, size - 1.0) if align_corners else (-0.5, float(size))
    if span == 0:
        return x * 0
    away = (x - low).abs()
    turns = (away.detach() / span).floor()
    rest = away - turns * span
    return _where(turns % 2 == 0, rest + low, span - rest + low)


def _fetched(input: Tensor, places: list[Tensor]) -> Tensor:
    """The elements (N, C, ...) at whole-numbered places, zero outside."""
    inside = None
    for p, n in zip(places, input.shape[2:], strict=True):
        here = (p >= 0) & (p < n)
        inside = here if inside is None else inside & here
    assert inside is not None
    # Places that are no numbers, or too large for one, are outside; any element stands for them.
    indices = [_where(inside, p, 0).long() for p in places]
    batch = _functions["arange"](input.shape[0]).reshape([-1] + [1] * (places[0].dim() - 1))
    last = input.movedim(1, -1)[(batch, *indices)].movedim(-1, 1)
    return _where(inside.unsqueeze(1), last, 0)


def _cubic(input: Tensor, places: list[Tensor], padding: str, align_corners: bool) -> Tensor:
    low = [p.detach().floor() for p in places]
    weights = [_cubic_weights(p - i) for p, i in zip(places, low, strict=True)]
    total = None
    for row, column in product(range(4), repeat=2):
        corner = [
            _kept_inside(i + (step - 1), n, padding, align_corners)
            for i, step, n in zip(low, (row, column), input.shape[2:], strict=True)
        ]
        value = _fetched(input, [c.round() for c in corner]) * (weights[0][row] * weights[1][column]).unsqueeze(1)
        total = value if total is None else total + value
    assert total is not None
    return total


def _cubic_weights(t: Tensor, a: float = -0.75) -> list[Tensor]:
    def near(x: Tensor) -> Tensor:
        return ((a + 2) * x - (a + 3)) * x * x + 1

    def far(x: Tensor) -> Tensor:
        return ((a * x - 5 * a) * x + 8 * a) * x - 4 * a

    return [far(t + 1), near(t), near(1 - t), far(2 - t)]


def _check(input: Tensor, grid: Tensor, mode: str) -> None:
    if input.dtype is not grid.dtype:
        raise RuntimeError(
            f"grid_sampler(): expected input and grid to have same dtype, but input has {input.dtype} and grid has "
            f"{grid.dtype}"
        )
    if input.dim() not in (4, 5) or input.dim() != grid.dim():
        raise RuntimeError(
            "grid_sampler(): expected 4D or 5D input and grid with same number of dimensions, but got input with "
            f"sizes {list(input.shape)} and grid with sizes {list(grid.shape)}"
        )
    if input.shape[0] != grid.shape[0]:
        raise RuntimeError(
            "grid_sampler(): expected grid and input to have same batch size, but got input with sizes "
            f"{list(input.shape)} and grid with sizes {list(grid.shape)}"
        )
    if grid.shape[-1] != input.dim() - 2:
        raise RuntimeError(
            f"grid_sampler(): expected grid to have size {input.dim() - 2} in last dimension, but got grid with sizes "
            f"{list(grid.shape)}"
        )
    for dim, n in enumerate(input.shape[2:], 2):
        if n <= 0:
            raise RuntimeError(
                "grid_sampler(): expected input to have non-empty spatial dimensions, but input has sizes "
                f"{list(input.shape)} with dimension {dim} being empty"
            )
    if mode == "bicubic" and input.dim() == 5:
        raise RuntimeError("grid_sampler(): bicubic interpolation only supports 4D input")
