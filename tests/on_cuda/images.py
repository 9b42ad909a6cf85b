"""Images: what convolutional networks are made of."""

from __future__ import annotations

from compare import _cuda, main, numbers, same, torch

# What gradients through indices need.
INDEXED = ("PositionsKernels::combine_elements", "PositionsKernels::read_elements")
F = torch.nn.functional
DTYPES = (torch.float32, torch.float64, torch.float16, torch.bfloat16)


def batch_norm() -> None:
    for dtype in DTYPES:
        for shape in ((4, 3, 5, 7), (2, 5, 40), (9, 20), (1, 2, 3000)):
            numbers_of = torch.float64 if dtype is torch.float64 else torch.float32
            weight, bias = numbers(shape[1], dtype=numbers_of), numbers(shape[1], dtype=numbers_of, seed=1)

            def training(x, w, b):
                mean, variance = torch.zeros_like(w).detach(), torch.ones_like(w).detach()
                return F.batch_norm(x, mean, variance, w, b, training=True), mean, variance

            def evaluation(x, w, b):
                return F.batch_norm(x, w.detach() * 0.1, w.detach() ** 2 + 1, w, b)

            x = numbers(*shape, dtype=dtype)
            same(training, x, weight, bias)
            same(evaluation, x, weight, bias)


def batch_norm_of_few_channels() -> None:
    """Parts of a channel are added up apart; far from zero no digits are lost."""
    x = (numbers(3, 2, 50000, grad=False) * 1e-2 + 1000).requires_grad_()
    same(lambda x: F.batch_norm(x, None, None, training=True), x, tolerance=3e-3)
    infinite = torch.tensor([[1.0, float("inf"), 2.0], [float("nan"), 1.0, 3.0]])
    same(lambda x: F.batch_norm(x, None, None, training=True), infinite)
    same(lambda x: F.instance_norm(x), numbers(2, 3, 17, 5))


def group_norm() -> None:
    for dtype in DTYPES:
        for shape, groups in (((2, 6, 4, 5), 3), ((3, 4), 2), ((2, 8, 33), 1), ((0, 4, 2), 2)):
            weight, bias = numbers(shape[1], dtype=dtype), numbers(shape[1], dtype=dtype, seed=1)
            same(
                lambda x, w, b, groups=groups: F.group_norm(x, groups, w, b), numbers(*shape, dtype=dtype), weight, bias
            )
    last = numbers(2, 6, 4, 5, grad=False).contiguous(memory_format=torch.channels_last).requires_grad_()
    same(lambda x: F.group_norm(x, 3), last)
    same(lambda x: F.batch_norm(x, None, None, training=True), last)


def max_pooling() -> None:
    for dtype in DTYPES:
        x = numbers(2, 3, 9, 11, dtype=dtype)
        same(lambda x: F.max_pool2d(x, 3, 2, 1, return_indices=True), x, allowed=INDEXED)
        same(lambda x: F.max_pool2d(x, (2, 3), (3, 1), (1, 0), dilation=(1, 2), ceil_mode=True), x, allowed=INDEXED)
        same(lambda x: F.adaptive_max_pool2d(x, (4, 3)), x, allowed=INDEXED)
    same(lambda x: F.max_pool1d(x, 4, 3), numbers(2, 5, 20), allowed=INDEXED)
    same(lambda x: F.max_pool3d(x, 2), numbers(2, 3, 4, 6, 5), allowed=INDEXED)
    same(lambda x: F.max_pool2d(x, 2), (numbers(1, 2, 6, 6, grad=False) * 9).to(torch.int64))
    with_nan = numbers(1, 1, 6, 6, grad=False)
    with_nan[0, 0, 2, 3] = float("nan")
    with_nan[0, 0, 0] = -float("inf")
    same(lambda x: F.max_pool2d(x, 3, 1, return_indices=True), with_nan)
    last = numbers(2, 6, 8, 7, grad=False).contiguous(memory_format=torch.channels_last).requires_grad_()
    same(lambda x: F.max_pool2d(x, 3, 2, 1, return_indices=True), last, allowed=INDEXED)


def average_pooling() -> None:
    for dtype in DTYPES:
        x = numbers(2, 3, 9, 11, dtype=dtype)
        same(lambda x: F.avg_pool2d(x, 3, 2, 1), x)
        same(lambda x: F.avg_pool2d(x, (2, 3), (3, 4), (1, 0), ceil_mode=True, count_include_pad=False), x)
        same(lambda x: F.avg_pool2d(x, 2, divisor_override=3), x)
        same(lambda x: F.adaptive_avg_pool2d(x, (4, 3)), x)
        same(lambda x: F.adaptive_avg_pool2d(x, (13, 20)), x)
    same(lambda x: F.avg_pool1d(x, 4, 3), numbers(2, 5, 20))
    same(lambda x: F.avg_pool3d(x, 2), numbers(2, 3, 4, 6, 5))
    last = numbers(2, 6, 8, 7, grad=False).contiguous(memory_format=torch.channels_last).requires_grad_()
    same(lambda x: F.avg_pool2d(x, 3, 2, 1), last)
    long = numbers(1, 1, 9000)  # the table of its windows is not kept
    same(lambda x: F.avg_pool1d(x, 2, 1), long)


def random_pooling() -> None:
    samples = torch.tensor([[[0.1, 0.9], [0.5, 0.3]]] * 2, dtype=torch.float32)
    same(
        lambda x, s: F.fractional_max_pool2d(x, 2, (4, 5), return_indices=True, _random_samples=s),
        numbers(2, 2, 9, 11),
        samples,
        allowed=INDEXED,
    )


def unpooling() -> None:
    for dtype in (*DTYPES, torch.int64, torch.uint8):
        values, places = F.max_pool2d(numbers(2, 3, 8, 6, grad=False), 2, return_indices=True)
        x = (values * 20).abs().to(dtype)
        same(lambda x, i: F.max_unpool2d(x, i, 2), x.requires_grad_(dtype.is_floating_point), places, allowed=INDEXED)


def padding() -> None:
    for dtype in (*DTYPES, torch.complex64):
        x = numbers(2, 3, 5, 4, dtype=dtype)
        for mode in ("reflect", "replicate", "circular"):
            same(lambda x, mode=mode: F.pad(x, (3, 2, 1, 4), mode=mode), x)
        same(lambda x: F.pad(x, (-1, 2, 4, -2), mode="replicate"), x)
        same(lambda x: F.pad(x, (2, 1, 1, 0, 1, 1), mode="reflect"), numbers(2, 2, 3, 4, 3, dtype=dtype))
    same(lambda x: F.pad(x, (3, 2), mode="replicate"), numbers(2, 2, 1))
    last = numbers(2, 6, 5, 7, grad=False).contiguous(memory_format=torch.channels_last).requires_grad_()
    same(lambda x: F.pad(x, (3, 2, 1, 4), mode="reflect"), last)


def patches() -> None:
    for dtype in DTYPES:
        x = numbers(2, 3, 7, 9, dtype=dtype)
        same(lambda x: F.unfold(x, (3, 2), dilation=2, padding=(1, 2), stride=(1, 3)), x)
        columns = F.unfold(x.detach(), 3, padding=1, stride=2).requires_grad_()
        same(lambda c: F.fold(c, (7, 9), 3, padding=1, stride=2), columns)


def resampling() -> None:
    for dtype in DTYPES:
        x = numbers(2, 3, 9, 7, dtype=dtype)
        for mode in ("nearest", "nearest-exact", "bilinear", "bicubic"):
            same(lambda x, mode=mode: F.interpolate(x, size=(13, 5), mode=mode), x)
            same(lambda x, mode=mode: F.interpolate(x, scale_factor=1.7, mode=mode), x)
        for mode in ("bilinear", "bicubic"):
            same(lambda x, mode=mode: F.interpolate(x, size=(4, 5), mode=mode, antialias=True), x)
            same(lambda x, mode=mode: F.interpolate(x, size=(4, 20), mode=mode, align_corners=True), x)
    same(lambda x: F.interpolate(x, size=30, mode="linear"), numbers(2, 3, 9))
    same(lambda x: F.interpolate(x, scale_factor=2, mode="trilinear"), numbers(1, 2, 3, 4, 5))
    last = numbers(2, 6, 5, 7, grad=False).contiguous(memory_format=torch.channels_last).requires_grad_()
    same(lambda x: F.interpolate(x, scale_factor=2, mode="bilinear"), last)
    pixels = (numbers(2, 3, 9, 7, grad=False) * 90 + 120).clamp(0, 255).to(torch.uint8)
    for mode in ("nearest", "bilinear", "bicubic"):
        same(lambda x, mode=mode: F.interpolate(x, size=(13, 5), mode=mode), pixels)
    same(lambda x: F.interpolate(x, size=(4, 5), mode="bicubic", antialias=True), pixels)
    with_infinity = numbers(1, 1, 4, 4, grad=False)
    with_infinity[0, 0, 1, 1] = float("inf")
    same(lambda x: F.interpolate(x, size=(7, 7), mode="bicubic"), with_infinity)


def grids() -> None:
    for dtype in (torch.float32, torch.float64):
        x, grid = (
            numbers(2, 3, 5, 6, dtype=dtype),
            (numbers(2, 4, 7, 2, dtype=dtype, grad=False) * 0.8).requires_grad_(),
        )
        for mode in ("bilinear", "nearest", "bicubic"):
            for padding_mode in ("zeros", "border", "reflection"):
                for align in (False, True):
                    same(
                        lambda x, g, m=mode, p=padding_mode, a=align: F.grid_sample(x, g, m, p, a),
                        x,
                        grid,
                        tolerance=1e-4,
                    )
    volume, points = numbers(1, 2, 4, 5, 3), (numbers(1, 2, 3, 4, 3, grad=False) * 0.8).requires_grad_()
    same(lambda x, g: F.grid_sample(x, g, align_corners=False), volume, points)
    nowhere = numbers(1, 1, 4, 2, grad=False)
    nowhere[0, 0, 1, 0], nowhere[0, 0, 2, 1] = float("nan"), float("inf")
    same(lambda g: F.grid_sample(torch.ones(1, 1, 3, 3, device=g.device), g, align_corners=False), nowhere)
    same(lambda t: F.affine_grid(t, (2, 3, 4, 5), align_corners=False), numbers(2, 2, 3))
    same(lambda t: F.affine_grid(t, (2, 3, 4, 5, 2), align_corners=True), numbers(2, 3, 4))


def deterministic_grids() -> None:
    """Where it is asked for, the host adds up what several points read; and new memory is NaN."""
    torch.use_deterministic_algorithms(True)
    x, grid = numbers(2, 3, 5, 6), (numbers(2, 4, 7, 2, grad=False) * 0.8).requires_grad_()
    before = _cuda.fallbacks().get("GridKernels::sample_gradient", 0)
    same(lambda x, g: F.grid_sample(x, g, align_corners=False), x, grid, allowed=("GridKernels::sample_gradient",))
    assert _cuda.fallbacks()["GridKernels::sample_gradient"] == before + 1
    same(lambda x: F.avg_pool2d(x, 3, 2, 1), x)
    torch.use_deterministic_algorithms(False)


def gated_units() -> None:
    for dtype in DTYPES:
        same(lambda x: F.glu(x, 1), numbers(3, 8, 5, dtype=dtype))
        same(lambda x: F.glu(x), numbers(3, 8, dtype=dtype))


if __name__ == "__main__":
    main(globals())
