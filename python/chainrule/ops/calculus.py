"""Differences, numerical derivatives and integrals along a dimension."""

from __future__ import annotations

from collections.abc import Sequence

from .. import _core, cat, uint8, zeros_like
from .. import bool as bool_dtype
from .._core import Tensor
from .checks import along, wrap_dim, wrap_dims

Number = int | float | complex
# Nodes of x * 2 keep the number as a tensor, as in PyTorch; those of these functions keep none.
_times, _over = _core.functions["_mul_scalar"], _core.functions["_div_scalar"]


# ---- differences


def diff(input: Tensor, n: int, dim: int, prepend: Tensor | None, append: Tensor | None) -> Tensor:
    """The n-th difference of neighbours along `dim`."""
    if input.ndim == 0:
        raise RuntimeError("diff expects input to be at least one-dimensional")
    dim = wrap_dim(dim, input.ndim)
    for end in (prepend, append):
        if end is not None:
            _check_end(input, end, dim)
    if n < 0:
        raise RuntimeError(f"order must be non-negative but got {n}")
    if n == 0:
        return zeros_like(input).copy_(input)
    parts = [part for part in (prepend, input, append) if part is not None]
    result = cat(parts, dim) if len(parts) > 1 else input
    for _ in range(min(n, result.size(dim))):
        result = _difference(result, dim)
    return result


def _check_end(input: Tensor, end: Tensor, dim: int) -> None:
    if end.ndim != input.ndim:
        raise RuntimeError("diff expects prepend or append to be the same dimension as input")
    for i, (a, b) in enumerate(zip(input.shape, end.shape, strict=True)):
        if a != b and i != dim:
            raise RuntimeError(
                "diff expects the shape of tensor to prepend or append to match that of input except along the "
                f"differencing dimension; input.size({i}) = {a}, but got tensor.size({i}) = {b}"
            )


def _difference(t: Tensor, dim: int) -> Tensor:
    later, earlier = t[along(t.ndim, dim, 1, None)], t[along(t.ndim, dim, None, -1)]
    return later.logical_xor(earlier) if t.dtype == bool_dtype else later - earlier


# ---- derivatives


def gradient(
    input: Tensor,
    spacing: Number | Tensor | Sequence | None,
    dim: int | Sequence[int] | None,
    edge_order: int,
) -> tuple[Tensor, ...]:
    """Central differences along each of the dimensions, one-sided ones of `edge_order` at the ends."""
    if input.dtype == uint8:
        raise RuntimeError("torch.gradient does not support uint8 input. Its differences would wrap around")
    dims = _dimensions(input, dim)
    steps = _steps(input, spacing, dims, dim is not None)
    if edge_order not in (1, 2):
        raise RuntimeError("torch.gradient only supports edge_order=1 and edge_order=2.")
    wrapped = wrap_dims(dims, input.ndim)
    for d in wrapped:
        if input.size(d) < edge_order + 1:
            raise RuntimeError(
                "torch.gradient expected each dimension size to be at least edge_order+1, "
                f"but dim {d} has size {input.size(d)}"
            )
    calculate = {True: _gradient_at_points, False: _gradient_by_step}
    return tuple(calculate[isinstance(s, Tensor)](input, s, d, edge_order) for s, d in zip(steps, wrapped, strict=True))


def _dimensions(input: Tensor, dim: int | Sequence[int] | None) -> list[int]:
    if dim is None:
        return list(range(input.ndim))
    return [dim] if isinstance(dim, int) else list(dim)


def _steps(input: Tensor, spacing: Number | Tensor | Sequence | None, dims: list[int], dims_given: bool) -> list:
    """One step, or the tensor of coordinates, per dimension."""
    if spacing is None:
        return [1] * len(dims)
    if isinstance(spacing, Tensor) and spacing.numel() == 1:
        spacing = spacing.item()
    if isinstance(spacing, Number):
        return [spacing] * len(dims)
    if not isinstance(spacing, (list, tuple)):
        raise TypeError(
            "gradient(): argument 'spacing' must be a number, a list of numbers or a list of tensors, "
            f"not {type(spacing).__name__}"
        )
    if dims_given and len(spacing) != len(dims):
        raise RuntimeError(
            "torch.gradient expected spacing to be unspecified, a scalar or it's spacing and dim arguments to have "
            f"the same length, but got a spacing argument of length {len(spacing)} "
            f"and a dim argument of length {len(dims)}."
        )
    if len(spacing) != len(dims):
        raise RuntimeError(
            "torch.gradient expected spacing to be unspecified, a scalar, or a list of length equal to 'self.dim() = "
            f"{input.ndim}', since dim argument was not given, but got a list of length {len(spacing)}"
        )
    for points in spacing:
        if isinstance(points, Tensor) and points.ndim != 1:
            raise RuntimeError(
                "torch.gradient expected each element of spacing to have one dimension, but got an element with "
                f"{points.ndim} dimensions!"
            )
    return list(spacing)


def _gradient_by_step(f: Tensor, step: Number, dim: int, edge_order: int) -> Tensor:
    def at(start: int, stop: int | None) -> Tensor:
        return f[along(f.ndim, dim, start, stop)]

    if edge_order == 1:
        first, last = at(1, 2) - at(0, 1), at(-1, None) - at(-2, -1)
    else:
        first = _times(at(0, 1), -1.5) + _times(at(1, 2), 2) - _times(at(2, 3), 0.5)
        last = _times(at(-3, -2), 0.5) - _times(at(-2, -1), 2) + _times(at(-1, None), 1.5)
    centre = _over(_over(at(2, None) - at(0, -2), step), 2)
    return cat([_over(first, step), centre, _over(last, step)], dim)


def _gradient_at_points(f: Tensor, points: Tensor, dim: int, edge_order: int) -> Tensor:
    def at(start: int, stop: int | None) -> Tensor:
        return f[along(f.ndim, dim, start, stop)]

    gaps = _difference(points, 0).reshape([-1] + [1] * (f.ndim - dim - 1))
    before, after = gaps[:-1], gaps[1:]
    both = before + after
    centre = (
        -after / (before * both) * at(0, -2)
        + (after - before) / (before * after) * at(1, -1)
        + before / (after * both) * at(2, None)
    )
    if edge_order == 1:
        return cat([(at(1, 2) - at(0, 1)) / gaps[:1], centre, (at(-1, None) - at(-2, -1)) / gaps[-1:]], dim)
    a, b, c = before[:1], after[:1], both[:1]
    first = -(a + c) / a / c * at(0, 1) + c / a / b * at(1, 2) - a / b / c * at(2, 3)
    a, b, c = before[-1:], after[-1:], both[-1:]
    last = b / a / c * at(-3, -2) - c / a / b * at(-2, -1) + (b + c) / b / c * at(-1, None)
    return cat([first, centre, last], dim)


# ---- integrals


def trapezoid_x(y: Tensor, x: Tensor, dim: int) -> Tensor:
    """The trapezoidal rule along `dim` with the sample points x."""
    dim = _integrated_dim("trapezoid", y, dim)
    return _over((_neighbour_sums(y, dim) * _gaps("trapezoid", y, x, dim)).sum(dim), 2.0)


def trapezoid_dx(y: Tensor, dx: Number, dim: int) -> Tensor:
    """The trapezoidal rule along `dim` with sample points `dx` apart."""
    dim = _integrated_dim("trapezoid", y, dim)
    _check_dx("trapezoid", dx)
    if y.size(dim) == 0:
        return y.sum(dim, dtype=y.dtype)
    return _times(y.sum(dim) - _times(y.select(dim, 0) + y.select(dim, -1), 0.5), dx)


def cumulative_trapezoid_x(y: Tensor, x: Tensor, dim: int) -> Tensor:
    """The trapezoidal rule up to each sample point, along `dim`."""
    dim = _integrated_dim("cumulative_trapezoid", y, dim)
    return _over((_neighbour_sums(y, dim) * _gaps("cumulative_trapezoid", y, x, dim)).cumsum(dim), 2.0)


def cumulative_trapezoid_dx(y: Tensor, dx: Number, dim: int) -> Tensor:
    """The trapezoidal rule up to each sample point, `dx` apart, along `dim`."""
    dim = _integrated_dim("cumulative_trapezoid", y, dim)
    _check_dx("cumulative_trapezoid", dx)
    return _times(_neighbour_sums(y, dim), dx / 2.0).cumsum(dim)


trapz_x, trapz_dx = trapezoid_x, trapezoid_dx


def _integrated_dim(name: str, y: Tensor, dim: int) -> int:
    if y.ndim == 0:
        raise IndexError(f"Dimension specified as {dim} but tensor has no dimensions")
    if y.dtype == bool_dtype:
        raise RuntimeError(f"{name}: received a bool input for `y`, but bool is not supported")
    return wrap_dim(dim, y.ndim)


def _check_dx(name: str, dx: Number) -> None:
    if isinstance(dx, (bool, complex)):
        raise RuntimeError(f"{name}: Currently, we only support dx as a real number.")


def _neighbour_sums(y: Tensor, dim: int) -> Tensor:
    return y[along(y.ndim, dim, None, -1)] + y[along(y.ndim, dim, 1, None)]


def _gaps(name: str, y: Tensor, x: Tensor, dim: int) -> Tensor:
    """The distances of the sample points, in a shape that broadcasts with y's."""
    if x.ndim == 0:
        raise RuntimeError(f"{name}: There must be one `x` value for each sample point, but `x` is one number")
    if x.ndim > 1:
        missing = max(y.ndim - x.ndim, 0)
        return _difference(x.reshape([1] * missing + list(x.shape)), dim)
    if x.size(0) != y.size(dim):
        raise RuntimeError(
            f"{name}: There must be one `x` value for each sample point: {x.size(0)} for {y.size(dim)} points"
        )
    return _difference(x, 0).reshape([-1] + [1] * (y.ndim - dim - 1))
