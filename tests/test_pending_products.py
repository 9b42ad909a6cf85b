"""A large linear waits for the activation after it, and both are one pass: nobody may notice, except by the clock."""

from __future__ import annotations

import gc
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
import torch

import chainrule
from chainrule import _core
from chainrule.nn.functional import gelu, linear, relu, softplus

# rows, depth, columns: wider than one panel of a product, one panel, part of a panel, thin, with odd ends.
SHAPES = [(1031, 128, 512), (8200, 64, 48), (40_000, 16, 7), (5000, 3, 100), (2011, 511, 131), (300_000, 5, 2)]


def factors(rows: int, depth: int, columns: int, dtype=chainrule.float32):
    chainrule.manual_seed(rows + columns)
    x, w = chainrule.randn(rows, depth, dtype=dtype), chainrule.randn(columns, depth, dtype=dtype)
    return x, w, chainrule.randn(columns, dtype=dtype)


def settled(t: chainrule.Tensor) -> chainrule.Tensor:
    _core.settle()
    return t


EXPRESSIONS = {
    "relu": lambda y, _: relu(y),
    "gelu": lambda y, _: gelu(y),
    "several": lambda y, _: chainrule.tanh(y * 0.5 + 1) - 2,
    "twice": lambda y, _: y * chainrule.sigmoid(y) + y,
    "residual": lambda y, r: r + relu(y) * r,
    "kept beside": lambda y, r: softplus(y - r, beta=2.0),
}


@pytest.mark.parametrize("name", EXPRESSIONS)
@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_equal_to_the_bit(shape, name):
    x, w, b = factors(*shape)
    r, f = chainrule.randn(shape[0], shape[2]), EXPRESSIONS[name]
    for bias in (b, None):
        apart = settled(linear(x, w, bias))
        expected = settled(f(apart, r))
        kept = linear(x, w, bias)
        of_kept = f(kept, r)
        assert (f(linear(x, w, bias), r) == expected).all()
        assert (of_kept == expected).all()
        assert (kept == apart).all()


@pytest.mark.parametrize("threads", [1, 2, 3])
def test_any_number_of_threads(threads):
    x, w, b = factors(4099, 96, 200, chainrule.float64)
    expected = settled(linear(x, w, b)).exp()
    before = chainrule.get_num_threads()
    chainrule.set_num_threads(threads)
    try:
        assert (linear(x, w, b).exp() == expected).all()
    finally:
        chainrule.set_num_threads(before)


def test_layouts_of_the_factors():
    x, w, b = factors(1500, 200, 300)
    expected = settled(linear(x, w, b))
    turned = x.t().contiguous().t()
    spread = chainrule.stack([w, w], 2)[..., 1]
    row = chainrule.stack([b, b], 1)[:, 0]
    for arguments in ((turned, w, b), (x, spread, b), (x, w, row), (x.view(3, 500, 200), w, b)):
        y = relu(linear(*arguments))
        assert (y.view(1500, 300) == settled(relu(expected))).all()


def test_gradients_and_graph_are_pytorchs():
    x, w, b = (t.double().requires_grad_() for t in factors(2000, 50, 200))
    theirs = [torch.from_numpy(t.detach().numpy().copy()).requires_grad_() for t in (x, w, b)]
    y = chainrule.relu(linear(x, w, b))
    ty = torch.relu(torch.nn.functional.linear(*theirs))
    assert type(y.grad_fn).__name__ == type(ty.grad_fn).__name__
    assert type(y.grad_fn.next_functions[0][0]).__name__ == type(ty.grad_fn.next_functions[0][0]).__name__
    (y * y).sum().backward()
    (ty * ty).sum().backward()
    for ours, their in zip((x, w, b), theirs, strict=True):
        np.testing.assert_allclose(ours.grad.numpy(), their.grad.numpy(), rtol=1e-10, atol=1e-8)


def test_a_network_of_modules():
    chainrule.manual_seed(0)
    net = chainrule.nn.Sequential(
        chainrule.nn.Linear(20, 300), chainrule.nn.GELU(), chainrule.nn.Linear(300, 256), chainrule.nn.ReLU()
    )
    x = chainrule.randn(1200, 20)
    whole = net(x)
    parts = chainrule.cat([net(x[i : i + 100]) for i in range(0, 1200, 100)])
    assert (whole == parts).all()


def test_writing_a_factor_afterwards_does_not_change_the_result():
    x, w, b = factors(1024, 32, 300)
    expected = settled(relu(settled(linear(x, w, b))))
    y = relu(linear(x, w, b))
    b.zero_()
    x[0] = 5.0
    w.data.mul_(2)
    assert (y == expected).all()


def test_memory_that_others_write_is_read_at_once():
    x, w, b = factors(1024, 32, 300)
    array = w.numpy()
    expected = settled(linear(x, w, b)).clone()
    y = linear(x, w, b)
    array[:] = 0
    assert (y == expected).all()


def test_out_of_a_product_that_waits():
    x, w, b = factors(1024, 32, 300)
    out = chainrule.empty(1024, 300)
    assert linear(x, w, b, out=out) is out
    assert (out == linear(x, w, b)).all()


def test_infinity_and_nan():
    x, w, b = factors(1024, 32, 300)
    x[3, 5], x[700, 0], b[7] = float("inf"), float("nan"), float("-inf")
    expected = settled(relu(settled(linear(x, w, b))))
    np.testing.assert_array_equal(relu(linear(x, w, b)).numpy(), expected.numpy())


def test_lets_go_of_what_it_held():
    x, w, b = factors(1024, 32, 300)
    gc.collect()
    before = _core.live_tensors()
    relu(linear(x, w, b))
    linear(x, w, b)
    _core.settle()
    assert _core.live_tensors() == before


def test_threads_share_one_queue():
    x, w, b = factors(1024, 16, 300)
    expected = settled(linear(x, w, b))

    def agrees(seed: int) -> bool:
        return all((linear(x, w, b) * seed == expected * seed).all() for _ in range(10))

    with ThreadPoolExecutor(4) as pool:
        assert all(pool.map(agrees, range(4)))


def test_a_product_with_an_operator_and_a_row():
    x, w, b = factors(1100, 70, 260)
    m = w.t().contiguous()
    product = settled(x @ m)
    sum_ = settled(product + b)
    assert (chainrule.tanh(x @ m + b) == settled(sum_.tanh())).all()
    assert (chainrule.relu(chainrule.mm(x, w.t()) * b - b) == settled(chainrule.relu(product * b - b))).all()
    assert ((x.view(11, 100, 70) @ m + b).view(1100, 260) == sum_).all()
    assert ((x @ m).add(b, alpha=3) == settled(product).add(b, alpha=3)).all()
    assert (chainrule.addcmul(x @ m, b, b, value=0.5) == settled(product).addcmul(b, b, value=0.5)).all()


def test_rows_of_other_shapes_and_dtypes():
    x, w, b = factors(1024, 32, 1024)
    product = settled(x @ w.t())
    column, wide = chainrule.randn(1024, 1), b.double()
    assert (x @ w.t() + column == product + column).all()
    assert (x @ w.t() + wide).dtype == chainrule.float64
    assert (b + x @ w.t() == product + b).all()
    assert (x @ w.t() + b[:1] == product + b[0]).all()
    with pytest.raises(RuntimeError, match="must match the size"):
        x @ w.t() + b[:7]


def test_gradients_of_a_plain_layer():
    x, w, b = (t.double().requires_grad_() for t in factors(1500, 20, 200))
    theirs = [torch.from_numpy(t.detach().numpy().copy()).requires_grad_() for t in (x, w, b)]
    (x @ w.t() + b).tanh().sum().backward()
    tx, tw, tb = theirs
    (tx @ tw.t() + tb).tanh().sum().backward()
    for ours, their in zip((x, w, b), theirs, strict=True):
        np.testing.assert_allclose(ours.grad.numpy(), their.grad.numpy(), rtol=1e-10, atol=1e-8)


def test_a_product_that_fills_the_queue():
    x, w, b = factors(1024, 16, 300)
    y, expected = x @ w.t(), settled(x @ w.t())
    for _ in range(40):
        y, expected = y * 0.5 + b, settled(settled(expected * 0.5) + b)
    assert (y == expected).all()


CONVOLUTIONS = {
    "padded": ((8, 3, 40, 41), (32, 3, 3, 3), {"padding": 1}),
    "strided": ((9, 5, 65, 64), (40, 5, 3, 2), {"stride": 2}),
    "same": ((4, 6, 50, 50), (33, 6, 4, 4), {"padding": "same"}),
    "in groups": ((4, 8, 60, 60), (40, 2, 3, 3), {"groups": 4}),
    "of one dimension": ((7, 70, 500), (90, 70, 9), {"dilation": 2}),
    "to two channels": ((4, 2, 200, 200), (2, 2, 3, 3), {}),
    "to three channels": ((3, 2, 200, 200), (3, 2, 3, 3), {}),
    "to a long row": ((2, 2, 40_000), (5, 2, 3), {}),
    "deep": ((2, 80, 64, 65), (48, 80, 3, 3), {"padding": 1}),
}


@pytest.mark.parametrize("name", CONVOLUTIONS)
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_convolutions(name, dtype):
    size, weight, options = CONVOLUTIONS[name]
    chainrule.manual_seed(0)
    x, w = (
        chainrule.randn(size, dtype=getattr(chainrule, dtype)),
        chainrule.randn(weight, dtype=getattr(chainrule, dtype)),
    )
    b = chainrule.randn(weight[0], dtype=x.dtype)
    convolve = chainrule.conv1d if x.ndim == 3 else chainrule.conv2d
    for bias in (b, None):
        apart = settled(convolve(x, w, bias, **options))
        assert apart.numel() > 256 * 1024
        residual = chainrule.randn_like(apart)
        expected = settled(relu(apart) + residual)
        assert (relu(convolve(x, w, bias, **options)) + residual == expected).all()
        small = chainrule.cat([convolve(x[i : i + 1], w, bias, **options) for i in range(len(x))])
        assert (small == apart).all()


def test_a_row_beside_long_rows():
    x, w, row = chainrule.randn(2, 2, 40_002), chainrule.randn(5, 2, 3), chainrule.randn(40_000)
    expected = settled(chainrule.conv1d(x, w)) + row
    assert (chainrule.conv1d(x, w) + row == expected).all()


def test_a_single_image_is_a_view_of_a_batch():
    x, w = chainrule.randn(3, 130, 130), chainrule.randn(20, 3, 3, 3)
    for padding in (1, "same", "valid"):
        expected = settled(chainrule.conv2d(x[None], w, padding=padding))[0]
        assert (relu(chainrule.conv2d(x, w, padding=padding)) == settled(relu(expected))).all()
    z = chainrule.complex(x, x)
    assert chainrule.conv2d(z[None], chainrule.complex(w, w)).real.abs().max() < 1e-3


def test_gradients_of_a_convolution_and_its_activation():
    chainrule.manual_seed(0)
    x, w, b = chainrule.randn(8, 3, 40, 40), chainrule.randn(24, 3, 3, 3), chainrule.randn(24)
    ours = [t.double().requires_grad_() for t in (x, w, b)]
    theirs = [torch.from_numpy(t.detach().numpy().copy()).requires_grad_() for t in ours]
    chainrule.conv2d(*ours).tanh().sum().backward()
    torch.conv2d(*theirs).tanh().sum().backward()
    for mine, their in zip(ours, theirs, strict=True):
        np.testing.assert_allclose(mine.grad.numpy(), their.grad.numpy(), rtol=1e-9, atol=1e-9)


def test_a_product_that_nobody_needs_any_more():
    """It waits, and what has joined it is calculated without it."""
    chainrule.manual_seed(0)
    x, w, a = chainrule.randn(700, 64), chainrule.randn(64, 512), chainrule.randn(700, 512)
    expected = settled(a * 3)
    product = x @ w
    joined = a * 3
    del product
    assert (joined == expected).all()
    product = x @ w
    joined, lost = a * 3, product + 1
    del product, lost
    assert (joined == expected).all()
