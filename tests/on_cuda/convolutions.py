"""Convolutions of one to three dimensions and their gradients."""

from __future__ import annotations

from compare import _cuda, main, numbers, same, torch

F = torch.nn.functional
DTYPES = (torch.float32, torch.float64, torch.float16, torch.bfloat16)


def two_dimensions() -> None:
    for dtype in DTYPES:
        x, w, b = numbers(2, 4, 9, 8, dtype=dtype), numbers(6, 4, 3, 2, dtype=dtype), numbers(6, dtype=dtype)
        same(lambda x, w, b: F.conv2d(x, w, b), x, w, b, tolerance=BOUNDS[dtype])
        same(lambda x, w: F.conv2d(x, w, stride=(2, 3), padding=(1, 2)), x, w, tolerance=BOUNDS[dtype])
        same(lambda x, w, b: F.conv2d(x, w, b, dilation=(2, 3), padding=3), x, w, b, tolerance=BOUNDS[dtype])
        same(lambda x, w: F.conv2d(x, w, padding="same"), x, w, tolerance=BOUNDS[dtype])


def groups() -> None:
    for dtype in DTYPES:
        x = numbers(2, 6, 7, 5, dtype=dtype)
        same(
            lambda x, w: F.conv2d(x, w, padding=1, groups=3),
            x,
            numbers(9, 2, 3, 3, dtype=dtype),
            tolerance=BOUNDS[dtype],
        )
        same(
            lambda x, w: F.conv2d(x, w, groups=6, stride=2),
            x,
            numbers(6, 1, 3, 3, dtype=dtype),
            tolerance=BOUNDS[dtype],
        )


def other_dimensions() -> None:
    same(lambda x, w, b: F.conv1d(x, w, b, stride=2, padding=3), numbers(3, 4, 20), numbers(5, 4, 7), numbers(5))
    same(lambda x, w: F.conv3d(x, w, padding=1), numbers(2, 3, 4, 5, 6), numbers(4, 3, 3, 2, 3))
    same(lambda x, w: F.conv2d(x, w), numbers(3, 5, 6), numbers(2, 3, 1, 1))


def transposed() -> None:
    for dtype in DTYPES:
        x, w, b = numbers(2, 4, 5, 6, dtype=dtype), numbers(4, 3, 3, 2, dtype=dtype), numbers(3, dtype=dtype)
        same(
            lambda x, w, b: F.conv_transpose2d(x, w, b, stride=(2, 3), padding=1, output_padding=(1, 0)),
            x,
            w,
            b,
            tolerance=BOUNDS[dtype],
        )
    same(
        lambda x, w: F.conv_transpose1d(x, w, stride=3, groups=2, dilation=2),
        numbers(2, 4, 7),
        numbers(4, 3, 3),
    )


def long_sums() -> None:
    """Several blocks share a result."""
    same(
        lambda x, w, b: F.conv2d(x, w, b, padding=1),
        numbers(1, 40, 3, 3),
        numbers(2, 40, 3, 3),
        numbers(2),
        tolerance=1e-3,
    )
    same(lambda x, w: F.conv1d(x, w), numbers(8, 2, 400), numbers(3, 2, 5), tolerance=1e-2)


def edges() -> None:
    same(lambda x, w, b: F.conv2d(x, w, b), numbers(0, 3, 5, 5), numbers(2, 3, 3, 3), numbers(2))
    same(
        lambda x, w: F.conv2d(x, w),
        (numbers(1, 3, 5, 5, grad=False) * 9).long(),
        (numbers(2, 3, 3, 3, grad=False) * 9).long(),
    )
    same(lambda x, w: F.conv2d(x, w, padding=10**8, stride=10**8), numbers(1, 1, 3, 3), numbers(1, 1, 2, 2))
    same(
        lambda x, w: F.conv2d(x, w),
        numbers(1, 2, 5, 5, dtype=torch.complex64),
        numbers(3, 2, 3, 3, dtype=torch.complex64),
    )
    last = numbers(2, 6, 5, 7, grad=False).contiguous(memory_format=torch.channels_last).requires_grad_()
    same(lambda x, w: F.conv2d(x, w, padding=1), last, numbers(4, 6, 3, 3))


def channels_last() -> None:
    for dtype in DTYPES:
        x, w = (
            t.contiguous(memory_format=torch.channels_last).requires_grad_()
            for t in (numbers(2, 6, 5, 7, dtype=dtype, grad=False), numbers(4, 3, 3, 2, dtype=dtype, grad=False))
        )
        b = numbers(4, dtype=dtype)
        same(lambda x, w, b: F.conv2d(x, w, b, padding=1, stride=2, groups=2), x, w, b, tolerance=BOUNDS[dtype])
        same(
            lambda x, w: F.conv_transpose2d(x, w, groups=3, stride=2),
            x,
            numbers(6, 2, 3, 3, dtype=dtype),
            tolerance=BOUNDS[dtype],
        )
    volume = numbers(2, 4, 3, 5, 4, grad=False).contiguous(memory_format=torch.channels_last_3d).requires_grad_()
    same(lambda x, w, b: F.conv3d(x, w, b, padding=1), volume, numbers(5, 4, 2, 3, 3), numbers(5))
    long = numbers(1, 40, 3, 3, grad=False).contiguous(memory_format=torch.channels_last).requires_grad_()
    same(lambda x, w, b: F.conv2d(x, w, b, padding=1), long, numbers(2, 40, 3, 3), numbers(2), tolerance=1e-3)


def by_whom() -> None:
    """cuDNN has it done without a kernel of ours; where it has no way, or is switched off, there is one."""
    if not (torch.backends.cudnn.is_available() and torch.backends.cudnn.enabled):
        return

    def kernels(**options) -> int:
        before = _cuda.compiler_counts()
        F.conv2d(x, w, **options)
        after = _cuda.compiler_counts()
        return sum(after[:2]) - sum(before[:2])  # compiled, and loaded from disk

    x, w = numbers(1, 4, 5, 5, grad=False).cuda(), numbers(6, 4, 3, 3, grad=False).cuda()
    assert kernels() == 0
    with torch.backends.cudnn.flags(enabled=False):
        assert kernels() == 1
    assert kernels(padding=1) == 0
    assert torch.backends.cudnn.enabled


def second_derivatives() -> None:
    def penalty(x, w):
        (g,) = torch.autograd.grad(F.conv2d(x, w, padding=1).pow(3).sum(), x, create_graph=True)
        return g.pow(2).sum()

    same(penalty, numbers(1, 2, 4, 5, dtype=torch.float64), numbers(3, 2, 3, 3, dtype=torch.float64))


# Halves are rounded once; sums over them in another order differ in their last bits.
BOUNDS = {torch.float32: 2e-4, torch.float64: 1e-9, torch.float16: 2e-2, torch.bfloat16: 1e-1}

if __name__ == "__main__":
    torch.backends.cudnn.allow_tf32 = False
    main(globals())
    torch.backends.cudnn.enabled = False
    main(globals())
