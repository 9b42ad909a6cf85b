"""torchvision's compiled operations against slow loops that say what they are.

They were compared with torchvision 0.28's own once: values and gradients within 3e-6 for floats of size 1, and the
same positions.
"""

from __future__ import annotations

import math

import pytest

import chainrule as torch

vision = torch.ops.torchvision


def between_pixels(image, y, x):
    """The value of [H, W] at a point: the four pixels around it; outside it is 0."""
    height, width = image.shape
    top, left = math.floor(y), math.floor(x)
    total = 0.0
    for row in (top, top + 1):
        for column in (left, left + 1):
            if 0 <= row < height and 0 <= column < width:
                total += image[row, column].item() * (1 - abs(y - row)) * (1 - abs(x - column))
    return total


def clamped(image, y, x):
    """As the boxes take it: up to a pixel outside, the border counts."""
    height, width = image.shape
    if y < -1 or y > height or x < -1 or x > width:
        return 0.0
    return between_pixels(image, min(max(y, 0), height - 1), min(max(x, 0), width - 1))


def mean_of_points(image, box, bins, ratio):
    """The mean of points in each bin of a box."""
    x1, y1, x2, y2 = box
    down, across = (y2 - y1) / bins[0], (x2 - x1) / bins[1]
    rows = ratio if ratio > 0 else math.ceil(down)
    columns = ratio if ratio > 0 else math.ceil(across)
    return [
        [
            sum(
                clamped(image, y1 + (i + (a + 0.5) / rows) * down, x1 + (j + (b + 0.5) / columns) * across)
                for a in range(rows)
                for b in range(columns)
            )
            / (rows * columns)
            for j in range(bins[1])
        ]
        for i in range(bins[0])
    ]


def images(channels=2):
    torch.manual_seed(0)
    return torch.randn(2, channels, 7, 9, dtype=torch.float64)


BOXES = torch.tensor(
    [[0.0, 1.0, 2.0, 9.0, 12.5], [1.0, -3.0, 0.0, 11.0, 6.0], [1.0, 4.0, 4.0, 5.0, 5.0]], dtype=torch.float64
)


@pytest.mark.parametrize("ratio", [2, -1])
def test_roi_align(ratio):
    x = images()
    found = vision.roi_align(x, BOXES, 0.5, 2, 3, ratio, True)
    for k, (image, *box) in enumerate(BOXES.tolist()):
        for c in range(2):
            expected = mean_of_points(x[int(image), c], [v * 0.5 - 0.5 for v in box], (2, 3), ratio)
            torch.testing.assert_close(found[k, c], torch.tensor(expected, dtype=torch.float64))


def test_ps_roi_align():
    x = images(8)
    found, channels = vision.ps_roi_align(x, BOXES, 0.5, 2, 2, 2)
    for k, (image, *box) in enumerate(BOXES.tolist()):
        for c in range(2):
            for i in range(2):
                for j in range(2):
                    channel = c * 4 + i * 2 + j
                    expected = mean_of_points(x[int(image), channel], [v * 0.5 - 0.5 for v in box], (2, 2), 2)[i][j]
                    assert found[k, c, i, j].item() == pytest.approx(expected)
                    assert channels[k, c, i, j] == channel


def test_roi_pool_takes_the_largest():
    x = images()
    found, where = vision.roi_pool(x, BOXES, 1.0, 2, 2)
    for k, (image, x1, y1, x2, y2) in enumerate(BOXES.tolist()):
        x1, y1, x2, y2 = (int(math.floor(abs(v) + 0.5) * math.copysign(1, v)) for v in (x1, y1, x2, y2))
        height, width = max(y2 - y1 + 1, 1) / 2, max(x2 - x1 + 1, 1) / 2
        for i in range(2):
            for j in range(2):
                rows = [y for y in range(y1 + math.floor(i * height), y1 + math.ceil((i + 1) * height)) if 0 <= y < 7]
                columns = [c for c in range(x1 + math.floor(j * width), x1 + math.ceil((j + 1) * width)) if 0 <= c < 9]
                inside = [(x[int(image), 0, r, c].item(), r * 9 + c) for r in rows for c in columns]
                value, position = max(inside) if inside else (0.0, -1)
                assert (found[k, 0, i, j].item(), where[k, 0, i, j].item()) == (value, position)


def test_nms():
    boxes = torch.tensor([[0.0, 0, 10, 10], [1, 1, 10, 10], [20, 20, 30, 30], [0, 0, 10, 9], [20, 20, 31, 31]])
    scores = torch.tensor([0.5, 0.9, 0.3, 0.8, 0.4])
    assert vision.nms(boxes, scores, 0.5).tolist() == [1, 4]
    assert vision.nms(boxes, scores, 0.95).tolist() == [1, 3, 0, 4, 2]
    assert vision.nms(boxes[:0], scores[:0], 0.5).tolist() == []
    with pytest.raises(RuntimeError, match="boxes should be a 2d tensor"):
        vision.nms(boxes[0], scores, 0.5)
    with pytest.raises(RuntimeError, match="same number of elements in dimension 0, got 5 and 2"):
        vision.nms(boxes, scores[:2], 0.5)


def deformable(dtype=torch.float64):
    torch.manual_seed(0)
    shapes = (1, 4, 5, 6), (2, 2, 3, 3), (1, 2 * 2 * 9, 3, 3), (1, 2 * 9, 3, 3), (2,)
    return [torch.randn(*shape, dtype=dtype) for shape in shapes]


def test_deform_conv2d():
    x, weight, offset, mask, bias = deformable()
    found = vision.deform_conv2d(x, weight, offset, mask, bias, 2, 2, 1, 1, 1, 1, 2, 2, True)
    for out in range(2):
        for i in range(3):
            for j in range(3):
                total = bias[out].item()
                for c in range(2):
                    channel = out * 2 + c  # two groups; the channels of each have offsets of their own
                    for k in range(9):
                        at = out * 9 + k
                        y = i * 2 - 1 + k // 3 + offset[0, 2 * at, i, j].item()
                        z = j * 2 - 1 + k % 3 + offset[0, 2 * at + 1, i, j].item()
                        value = between_pixels(x[0, channel], y, z) * mask[0, at, i, j].item()
                        total += value * weight[out, c, k // 3, k % 3].item()
                assert found[0, out, i, j].item() == pytest.approx(total)
    with pytest.raises(RuntimeError, match="two numbers for each group of offsets"):
        vision.deform_conv2d(x, weight, offset[:, :4], mask, bias, 2, 2, 1, 1, 1, 1, 2, 2, True)


def test_operations_keep_their_gradients():
    """torchvision registers its own, which calls its compiled operations."""
    torch.library.register_autograd("torchvision::roi_align", lambda ctx, g: pytest.fail("called"))
    x = images().requires_grad_()
    vision.roi_align(x, BOXES, 0.5, 2, 2, 2, False).sum().backward()
    assert x.grad.abs().sum() > 0


def test_gradients():
    x = images().requires_grad_()
    assert torch.autograd.gradcheck(lambda x: vision.roi_align(x, BOXES, 0.5, 2, 2, 2, False), x)
    assert torch.autograd.gradcheck(lambda x: vision.roi_pool(x, BOXES, 0.5, 2, 2)[0], x)
    y = images(4).requires_grad_()
    assert torch.autograd.gradcheck(lambda x: vision.ps_roi_align(x, BOXES, 0.5, 2, 2, -1)[0], y)
    inputs = [t.requires_grad_() for t in deformable()]
    assert torch.autograd.gradcheck(
        lambda *t: vision.deform_conv2d(*t, 2, 2, 1, 1, 1, 1, 2, 2, True), inputs, atol=1e-4
    )
