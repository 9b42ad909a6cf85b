"""Images: what convolutional networks are made of."""

from __future__ import annotations

import chainrule.nn.functional as F
from compare import main, numbers, same, torch

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
            same(lambda x, w, b, groups=groups: F.group_norm(x, groups, w, b), numbers(*shape, dtype=dtype), weight, bias)
    last = numbers(2, 6, 4, 5, grad=False).contiguous(memory_format=torch.channels_last).requires_grad_()
    same(lambda x: F.group_norm(x, 3), last)
    same(lambda x: F.batch_norm(x, None, None, training=True), last)


if __name__ == "__main__":
    main(globals())
