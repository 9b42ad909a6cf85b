"""Images at other sizes, and at any places."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..._core import Tensor
from ...amp.precision import in_float32
from ...error_words import at_call
from ...user_warning import warn_user
from .core import core
from .pooling import adaptive_avg_pool1d, adaptive_avg_pool2d, adaptive_avg_pool3d

# The core's functions by mode and number of spatial dimensions: those that pick elements, and those that weigh them.
_PICKED = {
    **{("nearest", dims): core(f"upsample_nearest{dims}d") for dims in (1, 2, 3)},
    **{("nearest-exact", dims): core(f"_upsample_nearest_exact{dims}d") for dims in (1, 2, 3)},
}
_WEIGHED = {
    ("linear", 1): core("upsample_linear1d"),
    ("bilinear", 2): core("upsample_bilinear2d"),
    ("trilinear", 3): core("upsample_trilinear3d"),
    ("bicubic", 2): core("upsample_bicubic2d"),
}
_SMOOTHED = {
    "bilinear": core("_upsample_bilinear2d_aa"),
    "bicubic": core("_upsample_bicubic2d_aa"),
    "lanczos": core("_upsample_lanczos2d_aa"),
}
_MEANS = {1: adaptive_avg_pool1d, 2: adaptive_avg_pool2d, 3: adaptive_avg_pool3d}
_NEEDS = {"linear": "3D", "bilinear": "4D", "trilinear": "5D"}


def interpolate(
    input: Tensor,
    size: Any = None,
    scale_factor: Any = None,
    mode: str = "nearest",
    align_corners: bool | None = None,
    recompute_scale_factor: bool | None = None,
    antialias: bool = False,
) -> Tensor:
    """The input (N, C, ...) at another size, or larger by a factor.

    Args:
        mode: nearest, nearest-exact, area, linear (3-D), bilinear or bicubic (4-D), trilinear (5-D).
        align_corners: whether the centres, or else the outer edges, of the corner elements stay in place.
        recompute_scale_factor: take the factor anew from the rounded sizes.
        antialias: smooth before making smaller.

    Shape and dtype: (N, C, *size) of (N, C, *); the dtype of the input.
    Derivative: g spread over the inputs by the weights they had

    >>> torch.nn.functional.interpolate(torch.tensor([[[1., 2.]]]), scale_factor=2)
    tensor([[[1., 1., 2., 2.]]])
    """
    if mode in ("nearest", "area", "nearest-exact"):
        if align_corners is not None:
            raise at_call(
                ValueError,
                "align_corners option can only be set with the interpolating modes: linear | bilinear | bicubic | "
                "trilinear",
            )
    elif align_corners is None:
        align_corners = False
    sizes, factors = _sizes_and_factors(input, size, scale_factor)
    if recompute_scale_factor and size is not None:
        raise at_call(ValueError, "recompute_scale_factor is not meaningful with an explicit size.")
    if factors is not None and (recompute_scale_factor or mode == "area"):
        sizes = [int(n * f) for n, f in zip(input.shape[2:], factors, strict=True)]
        factors = None
    if antialias and not (mode in _SMOOTHED and input.ndim == 4):
        raise at_call(
            ValueError,
            "Anti-alias option is restricted to bilinear, bicubic, and lanczos modes and requires a 4-D tensor as "
            "input",
        )
    return _resampled(input, sizes, factors, mode, align_corners, antialias)


def _resampled(
    input: Tensor, sizes: Any, factors: Any, mode: str, align_corners: bool | None, antialias: bool
) -> Tensor:
    dims = input.dim() - 2
    if mode == "area" and dims in _MEANS:
        return _MEANS[dims](input, sizes)
    if mode == "lanczos" and dims == 2:
        if align_corners:
            raise at_call(ValueError, "Lanczos mode does not support align_corners=True")
        if not antialias:
            raise at_call(ValueError, "Lanczos mode requires antialias=True")
    if antialias:
        return _SMOOTHED[mode](input, sizes, align_corners, factors)
    if (mode, dims) in _WEIGHED:
        return _WEIGHED[mode, dims](input, sizes, align_corners, factors)
    if (mode, dims) in _PICKED:
        return _PICKED[mode, dims](input, sizes, factors)
    if mode in _NEEDS and dims in (1, 2, 3):
        raise at_call(NotImplementedError, f"Got {input.dim()}D input, but {mode} mode needs {_NEEDS[mode]} input")
    raise at_call(
        NotImplementedError,
        f"Input Error: Only 3D, 4D and 5D input Tensors supported (got {input.dim()}D) for the modes: nearest | "
        f"linear | bilinear | bicubic | trilinear | lanczos | area | nearest-exact (got {mode})",
    )


def _sizes_and_factors(input: Tensor, size: Any, scale_factor: Any) -> tuple[Any, Any]:
    dims = input.dim() - 2
    if size is not None and scale_factor is not None:
        raise at_call(ValueError, "only one of size or scale_factor should be defined")
    if size is None and scale_factor is None:
        raise at_call(ValueError, "either size or scale_factor should be defined")
    if size is not None:
        if not isinstance(size, (list, tuple)):
            return [size] * dims, None
        if len(size) != dims:
            raise at_call(
                ValueError,
                "Input and output must have the same number of spatial dimensions, but got input with spatial "
                f"dimensions of {list(input.shape[2:])} and output size of {size}. Please provide input tensor in "
                "(N, C, d1, d2, ...,dK) format and output size in (o1, o2, ...,oK) format.",
            )
        if not all(_is_integer(n) for n in size):
            raise at_call(
                TypeError,
                "expected size to be one of int or Tuple[int] or Tuple[int, int] or Tuple[int, int, int], but got "
                f"size with types {[type(n) for n in size]}",
            )
        return [int(n) for n in size], None
    if not isinstance(scale_factor, (list, tuple)):
        factor: Any = scale_factor
        return None, [float(factor)] * dims
    if len(scale_factor) != dims:
        raise at_call(
            ValueError,
            "Input and scale_factor must have the same number of spatial dimensions, but got input with spatial "
            f"dimensions of {list(input.shape[2:])} and scale_factor of shape {scale_factor}. Please provide input "
            "tensor in (N, C, d1, d2, ...,dK) format and scale_factor in (s1, s2, ...,sK) format.",
        )
    return None, [float(f) for f in scale_factor]


def _is_integer(x: Any) -> bool:
    if isinstance(x, Tensor):
        return not x.is_floating_point()
    return hasattr(x, "__index__")


def upsample(
    input: Tensor, size: Any = None, scale_factor: Any = None, mode: str = "nearest", align_corners: bool | None = None
) -> Tensor:
    """The old name of interpolate.

    Shape and dtype: (N, C, *size) of (N, C, *); the dtype of the input.
    Derivative: g spread over the inputs by the weights they had

    >>> torch.nn.functional.upsample(torch.tensor([[[1., 2.]]]), scale_factor=2)
    tensor([[[1., 1., 2., 2.]]])
    """
    _warn_old_name("upsample")
    return interpolate(input, size, scale_factor, mode, align_corners)


def upsample_nearest(input: Tensor, size: Any = None, scale_factor: Any = None) -> Tensor:
    """interpolate with mode nearest.

    Shape and dtype: (N, C, *size) of (N, C, *); the dtype of the input.
    Derivative: g spread over the inputs by the weights they had

    >>> torch.nn.functional.upsample_nearest(torch.tensor([[[1., 2.]]]), scale_factor=2)
    tensor([[[1., 1., 2., 2.]]])
    """
    _warn_old_name("upsample_nearest")
    return interpolate(input, size, scale_factor, mode="nearest")


def upsample_bilinear(input: Tensor, size: Any = None, scale_factor: Any = None) -> Tensor:
    """interpolate with mode bilinear and aligned corners.

    Shape and dtype: (N, C, *size) of (N, C, H, W); the dtype of the input.
    Derivative: g spread over the inputs by the weights they had

    >>> torch.nn.functional.upsample_bilinear(torch.tensor([[[[1., 2.]]]]), size=(1, 3))
    tensor([[[[1.0000, 1.5000, 2.0000]]]])
    """
    _warn_old_name("upsample_bilinear")
    return interpolate(input, size, scale_factor, mode="bilinear", align_corners=True)


def _warn_old_name(name: str) -> None:
    warn_user(f"`nn.functional.{name}` is deprecated. Use `nn.functional.interpolate` instead.")


# ---- at any places


# Their order is that of the core's numbers.
_MODES = ("bilinear", "nearest", "bicubic")
_PADDINGS = ("zeros", "border", "reflection")
_grid_sampler, _affine_grid = core("grid_sampler"), core("affine_grid_generator")


@in_float32
def grid_sample(
    input: Tensor,
    grid: Tensor,
    mode: str = "bilinear",
    padding_mode: str = "zeros",
    align_corners: bool | None = None,
) -> Tensor:
    """The input at the places that the grid names, in coordinates from -1 to 1.

    Shape and dtype: (N, C, H', W') of input (N, C, H, W) and grid (N, H', W', 2), or with one dimension more; both
    have one dtype.
    Derivative: input: g spread over the pixels read, grid: their slopes times g

    >>> grid = torch.zeros(1, 1, 1, 2)
    >>> torch.nn.functional.grid_sample(torch.tensor([[[[1., 3.]]]]), grid, align_corners=True)
    tensor([[[[2.]]]])
    """
    if mode not in _MODES:
        raise at_call(
            ValueError,
            f"nn.functional.grid_sample(): expected mode to be 'bilinear', 'nearest' or 'bicubic', but got: '{mode}'",
        )
    if padding_mode not in _PADDINGS:
        raise at_call(
            ValueError,
            "nn.functional.grid_sample(): expected padding_mode to be 'zeros', 'border', or 'reflection', but got: "
            f"'{padding_mode}'",
        )
    if align_corners is None:
        align_corners = _warn_corners()
    return _grid_sampler(input, grid, _MODES.index(mode), _PADDINGS.index(padding_mode), align_corners)


def _warn_corners() -> bool:
    warn_user(
        "Default grid_sample and affine_grid behavior has changed to align_corners=False since 1.3.0. Please specify "
        "align_corners=True if the old behavior is desired. See the documentation of grid_sample for details."
    )
    return False


def affine_grid(theta: Tensor, size: Sequence[int], align_corners: bool | None = None) -> Tensor:
    """The grid of an affine map (N, 2, 3) or (N, 3, 4), for grid_sample.

    Shape and dtype: (N, H, W, 2) for size (N, C, H, W), (N, D, H, W, 3) for (N, C, D, H, W); the dtype of the map.
    Derivative: the places before the map, times g, summed over the pixels

    >>> theta = torch.tensor([[[1., 0., 0.], [0., 1., 0.]]])
    >>> torch.nn.functional.affine_grid(theta, (1, 1, 1, 2), align_corners=True)
    tensor([[[[-1.,  0.],
              [ 1.,  0.]]]])
    """
    if align_corners is None:
        align_corners = _warn_corners()
    if not theta.is_floating_point():
        raise at_call(ValueError, f"Expected theta to have floating point type, but got {theta.dtype}")
    if len(size) not in (4, 5):
        raise at_call(
            NotImplementedError,
            "affine_grid only supports 4D and 5D sizes, for 2D and 3D affine transforms, respectively. "
            f"Got size {size}.",
        )
    dims = len(size) - 2
    if theta.dim() != 3 or theta.shape[1:] != (dims, dims + 1):
        raise at_call(
            ValueError,
            f"Expected a batch of {dims}D affine matrices of shape Nx{dims}x{dims + 1} for size {size}. "
            f"Got {theta.shape}.",
        )
    if align_corners and min(size[2:]) == 1:
        warn_user(
            "Since version 1.3.0, affine_grid behavior has changed for unit-size grids when align_corners=True. "
            "This is not an intended use case of affine_grid. See the documentation of affine_grid for details."
        )
    elif min(size) <= 0:
        raise at_call(ValueError, f"Expected non-zero, positive output size. Got {size}")
    return _affine_grid(theta, size, align_corners)
