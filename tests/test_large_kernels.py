"""Kernels that only large inputs reach: rows by thousands, streamed results, panels, blocks, the allocator's limits."""

import itertools

import numpy as np
import pytest
import torch

import chainrule
from both import unless_sanitized
from oracle import assert_same, ours


def numbers(*shape, seed=0, dtype=torch.float32):
    return torch.from_numpy(np.random.default_rng(seed).standard_normal(shape)).to(dtype)


def gradients(library, wrap, f, *inputs):
    """f's results and the gradients of its inputs, for a gradient of f's that is no constant."""
    leaves = [wrap(t.clone()).requires_grad_() for t in inputs]
    out = f(library, *leaves)
    results = list(out) if isinstance(out, tuple) else [out]
    library.stack(
        [(r * library.sin(library.arange(r.numel()).reshape(r.shape))).sum() for r in results]
    ).sum().backward()
    return results + [leaf.grad for leaf in leaves]


def same_gradients(f, *inputs, rtol=1e-4, atol=1e-4):
    mine, theirs = (gradients(lib, wrap, f, *inputs) for lib, wrap in ((chainrule, ours), (torch, torch.Tensor.clone)))
    for a, b in zip(mine, theirs, strict=True):
        np.testing.assert_allclose(a.detach().numpy(), b.detach().numpy(), rtol=rtol, atol=atol)


@pytest.mark.parametrize("rows", [1, 7, 8, 9, 33])
@pytest.mark.parametrize("n", [63, 64, 100, 4096, 9001])
def test_rows_alone_and_together_agree(rows, n):
    """A row's result does not depend on the rows that are folded beside it."""
    x = ours(numbers(rows, n))
    for name in ("sum", "amax", "argmax", "prod", "nansum"):
        together = getattr(x, name)(1)
        alone = chainrule.stack([getattr(row, name)(0) for row in x.unbind(0)])
        assert chainrule.equal(together, alone), name


@pytest.mark.parametrize("rows", [1100, 9000])
@pytest.mark.parametrize("width", [1000, 1001, 1024])
def test_broadcast_copies_of_many_megabytes(rows, width):
    """Their rows need not begin where a streaming store can."""
    column, row = numbers(rows, 1), numbers(width, seed=1)
    for t in (column, row):
        mine = ours(t).expand(rows, width).contiguous()
        assert torch.equal(torch.from_numpy(mine.numpy()), t.expand(rows, width).contiguous())
    mine = ours(column).double().expand(rows, width).clone()
    assert torch.equal(torch.from_numpy(mine.numpy()), column.double().expand(rows, width).clone())


STREAMED = {
    "number": lambda t, x: x + 1,
    "row": lambda t, x: x * x[0],
    "column": lambda t, x: x - x[:, :1],
    "transposed": lambda t, x: x.t() + x.t(),
    "unaligned": lambda t, x: x[:, 1:] * 2,
    "chain": lambda t, x: (x * 2 + x).relu(),
    "convert": lambda t, x: x.double(),
    "narrow": lambda t, x: (x * 100).to(t.int32) + 1,
    "softmax": lambda t, x: x.softmax(1),
    "layer_norm": lambda t, x: t.nn.functional.layer_norm(x, x.shape[1:]),
    "linear": lambda t, x: t.nn.functional.linear(x, x[:1024]).relu(),
}


@pytest.mark.parametrize("name", STREAMED)
def test_streamed_results(name):
    """Of 32 MB and more."""
    x = numbers(8300, 1024)
    for rows in (8250, 8300):
        mine = STREAMED[name](chainrule, ours(x[:rows]))
        theirs = STREAMED[name](torch, x[:rows])
        assert mine.numel() * mine.element_size() >= 32 << 20
        scale = 300 if name == "linear" else 1
        np.testing.assert_allclose(mine.numpy(), theirs.numpy(), rtol=2e-5 * scale, atol=2e-6 * scale)


def test_streamed_gradients():
    x = numbers(8300, 1024)
    results = []
    for leaf in (ours(x), x.clone()):
        leaf.requires_grad_()
        ((leaf * leaf + leaf.softmax(1)).tanh() * leaf).sum().backward()
        results.append(leaf.grad.numpy())
    np.testing.assert_allclose(*results, rtol=1e-4, atol=1e-5)


def test_a_large_copy_between_layouts():
    x = numbers(40, 50, 700)
    assert_same(ours(x).transpose(0, 1).contiguous(), x.transpose(0, 1).contiguous())
    assert_same(ours(x)[:, ::2, 3:-5].clone(), x[:, ::2, 3:-5].clone())


@pytest.mark.parametrize("dtype", [torch.uint8, torch.int16, torch.float32, torch.float64, torch.complex128])
@pytest.mark.parametrize("shape", [(8, 8), (17, 31), (33, 257), (5, 16, 70), (3, 40, 2, 19)])
def test_transposed_copies(shape, dtype):
    """Blocks at the edges are smaller than the others."""
    x = (numbers(*shape) * 100).to(dtype)
    for order in itertools.permutations(range(len(shape))):
        turned, mine = x.permute(order), ours(x).permute(order)
        assert_same(mine.contiguous(), turned.contiguous())
        assert_same(mine[1:, ..., 2:].contiguous(), turned[1:, ..., 2:].contiguous())
        target = ours(torch.zeros_like(turned.contiguous()))
        assert_same(target.copy_(mine), turned)


@pytest.mark.parametrize("shape", [(2, 3, 5), (37, 1100, 61), (200, 40, 96)])
@pytest.mark.parametrize(("beta", "alpha"), [(1, 1), (2.0, 0.5), (0, 1)])
def test_a_row_added_to_a_product(shape, beta, alpha):
    m, k, n = shape
    row, a, b = numbers(n), numbers(m, k, seed=1), numbers(k, n, seed=2)
    mine = chainrule.addmm(ours(row), ours(a), ours(b), beta=beta, alpha=alpha)
    expected = torch.addmm(row.double(), a.double(), b.double(), beta=beta, alpha=alpha)
    np.testing.assert_allclose(mine.numpy(), expected.numpy(), rtol=1e-4, atol=1e-4)
    turned = chainrule.nn.functional.linear(ours(a), ours(b.t().contiguous()), ours(row))
    np.testing.assert_allclose(turned.numpy(), (a.double() @ b.double() + row).numpy(), rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("shape", [(301, 1030, 77), (130, 1100, 130), (200, 1024, 49), (64, 1100, 500)])
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_layouts_of_a_long_product_agree(shape, dtype):
    """As in a weight's gradient; operands that change places give the same bits."""
    m, k, n = shape
    a, b = ours(numbers(k, m, dtype=dtype)), ours(numbers(k, n, seed=1, dtype=dtype))
    expected = a.t().contiguous() @ b
    assert chainrule.equal(a.t() @ b, expected)
    assert chainrule.equal((b.t() @ a).t(), expected)
    np.testing.assert_allclose(expected.numpy(), a.numpy().T @ b.numpy(), rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize(("kernel", "stride", "padding", "dilation"), [(2, 2, 0, 1), (3, 1, 1, 1), (3, 3, 1, 2)])
def test_max_pooling_of_wide_rows(kernel, stride, padding, dilation):
    x = numbers(2, 3, 9, 311)
    x[0, 1, 4, 200], x[1, 2, 3, 5] = float("nan"), float("-inf")
    x[1, 0] = x[1, 0].round()  # ties
    options = {"stride": stride, "padding": padding, "dilation": dilation, "return_indices": True}
    mine = chainrule.nn.functional.max_pool2d(ours(x), kernel, **options)
    theirs = torch.nn.functional.max_pool2d(x, kernel, **options)
    assert_same(mine[0], theirs[0])
    assert_same(mine[1], theirs[1])


@pytest.mark.parametrize("lengths", [(64, 64), (150, 300), (300, 150), (130, 130)])
@pytest.mark.parametrize("key_heads", [1, 4])
@pytest.mark.parametrize("causal", [False, True])
def test_attention_over_several_blocks(lengths, key_heads, causal):
    """Every gradient is begun by the block that comes first and added to by the others."""
    queries, keys = lengths
    q = numbers(2, 4, queries, 16)
    k, v = (numbers(2, key_heads, keys, 16, seed=seed) for seed in (1, 2))

    def attention(library, q, k, v):
        f = library.nn.functional.scaled_dot_product_attention
        return f(q, k, v, is_causal=causal, enable_gqa=key_heads != 4)

    same_gradients(attention, q, k, v)


@pytest.mark.parametrize("order", [(0, 1, 2), (2, 1, 0)])
def test_attention_of_parts_of_one_tensor(order):
    """Gradients of parts may lie together already; joined they are right, whatever the parts' order."""

    def attention(library, x):
        parts = [t.view(2, 64, 4, -1).transpose(1, 2) for t in x.split(32, 2)]
        y = library.nn.functional.scaled_dot_product_attention(*(parts[i] for i in order), is_causal=True)
        return y.transpose(1, 2).reshape(2, 64, 32) + x[:, :, :32]

    same_gradients(attention, numbers(2, 64, 96))


@pytest.mark.parametrize("options", [{}, {"bidirectional": True, "num_layers": 2}, {"bias": False}])
@pytest.mark.parametrize("batch", [3, 150])
def test_lstm_layers(options, batch):
    steps, features, hidden = 4, 5, 50
    theirs = torch.nn.LSTM(features, hidden, **options)
    names = [name for name, _ in theirs.named_parameters()]
    directions = 2 * options["num_layers"] if "bidirectional" in options else 1

    def run(library, x, h, c, *weights):
        net = library.nn.LSTM(features, hidden, **options)
        out, state = library.func.functional_call(net, dict(zip(names, weights, strict=True)), (x, (h, c)))
        return out, *state

    state = [numbers(directions, batch, hidden, seed=i) for i in (1, 2)]
    same_gradients(run, numbers(steps, batch, features), *state, *(p.detach() for p in theirs.parameters()), atol=1e-3)


@pytest.mark.parametrize("lr", [0.1, float("inf")])
@pytest.mark.parametrize("weight_decay", [0, 0.01])
@pytest.mark.parametrize("dense", [False, True])
def test_plain_sgd_where_the_gradient_is_zero(lr, weight_decay, dense):
    """Of 7,000 elements, a few windows of blocks and a rest; some windows begin with a zero, some do not."""
    values = numbers(7000)
    values[3], values[70], values[4500] = float("inf"), float("nan"), -0.0
    gradient = numbers(7000, seed=1) if dense else torch.zeros(7000)
    gradient[0], gradient[130], gradient[2048:2050], gradient[5000], gradient[6999] = 0, 1, -3, 2, -2
    stepped = []
    for library, wrap in ((chainrule, ours), (torch, torch.Tensor.clone)):
        p = wrap(values).requires_grad_()
        p.grad = wrap(gradient)
        library.optim.SGD([p], lr=lr, weight_decay=weight_decay).step()
        stepped.append(p.detach().numpy())
    np.testing.assert_allclose(*stepped, rtol=1e-6, atol=1e-7 if dense else 0)  # dense steps end near 0, too


def test_the_cache_keeps_the_sizes_used_last():
    """What has not been used for long makes room for what has; at most the limit is kept."""
    memory, mega = chainrule.memory.statistics, 1 << 20
    chainrule.memory.trim()
    chainrule.memory.set_cache_limit(8 * mega)
    try:
        old, new = chainrule.empty(4 * mega, dtype=chainrule.uint8), [chainrule.empty(3 * mega // 4) for _ in range(2)]
        places = {t.data_ptr() for t in new}
        del old
        assert memory()["cached"] == 4 * mega
        del new
        assert memory()["cached"] == 6 * mega
        again = [chainrule.empty(3 * mega // 4) for _ in range(2)]
        assert {t.data_ptr() for t in again} == places
    finally:
        chainrule.memory.set_cache_limit(512 * mega)


@unless_sanitized
def test_free_blocks_are_split_and_joined():
    """A block of 512 KB is two of 256 KB, and these are one again once both are free; the same memory all along."""
    memory, half = chainrule.memory.statistics, 1 << 18
    chainrule.memory.trim()
    whole = chainrule.zeros(2 * half, dtype=chainrule.uint8)
    place = whole.data_ptr()
    del whole
    parts = [chainrule.full((half,), value, dtype=chainrule.uint8) for value in (1, 2)]
    assert sorted(t.data_ptr() for t in parts) == [place, place + half]
    assert memory()["cached"] == 0
    assert [int(t.min()) for t in parts] == [int(t.max()) for t in parts] == [1, 2]
    del parts[0]
    other = chainrule.zeros(2 * half, dtype=chainrule.uint8)  # a neighbour in use is not joined
    assert other.data_ptr() != place
    assert int(parts[0].min()) == int(parts[0].max()) == 2
    del parts
    whole = chainrule.zeros(2 * half, dtype=chainrule.uint8)
    assert whole.data_ptr() == place


@unless_sanitized
def test_blocks_of_many_sizes_never_overlap():
    random, live = np.random.default_rng(0), []
    sizes = [2**k * eighths // 32 for k in range(15, 22) for eighths in (8, 8, 8, 11, 13)]
    for step in range(3000):
        if live and (random.random() < 0.5 or len(live) > 60):
            x, value = live.pop(random.integers(len(live)))
            assert x.min().item() == x.max().item() == value
        else:
            live.append((chainrule.full((int(random.choice(sizes)),), float(step)), step))
    assert all(x.min().item() == x.max().item() == value for x, value in live)


def test_the_peak_of_memory():
    kept = chainrule.zeros(1000, 1000)
    chainrule.memory.reset_peak()
    before = chainrule.memory.statistics()
    assert before["peak_allocated"] == before["allocated"] >= 4_000_000
    kept + 1
    after = chainrule.memory.statistics()
    assert after["allocated"] == before["allocated"]
    assert after["peak_allocated"] >= before["allocated"] + 4_000_000
    chainrule.memory.trim()
    assert chainrule.memory.statistics()["cached"] == 0


# ---- products of other types


@pytest.mark.parametrize("sizes", [(8, 8, 9), (33, 17, 50), (1030, 5, 40), (3, 300, 70)])
@pytest.mark.parametrize("dtype", [torch.complex64, torch.complex128, torch.int64, torch.int32, torch.uint8])
def test_products_of_complex_numbers_and_integers(sizes, dtype):
    m, n, k = sizes
    rng = np.random.default_rng(0)
    a, b = (torch.from_numpy(rng.integers(-9, 9, shape)).to(dtype) for shape in ((m, k), (k, n)))
    if dtype.is_complex:
        a, b = a * (2 + 1j), b * (1 - 3j)
    for left, right in itertools.product((a, a.t().contiguous().t()), (b, b.t().contiguous().t())):
        assert_same(ours(left) @ ours(right), left @ right)
    start = a[:, :1].expand(m, n)
    weights = {"beta": 2 - 1j, "alpha": 1j} if dtype.is_complex else {"beta": 2, "alpha": 3}
    assert_same(chainrule.addmm(ours(start), ours(a), ours(b), **weights), torch.addmm(start, a, b, **weights))


def test_products_of_integers_wrap_around():
    a = torch.full((20, 40), 2**61 + 3)
    assert_same(ours(a) @ ours(a.t()), a @ a.t())


# ---- short rows


@pytest.mark.parametrize("length", [1, 2, 3, 7, 16, 31, 64, 100, 127, 128, 129])
@pytest.mark.parametrize("dtype", [torch.float32, torch.int16, torch.float64])
def test_rows_of_any_length(length, dtype):
    x, whole = numbers(37, 11, length), numbers(11, length, seed=1).mul(9).to(dtype)
    others = [whole, whole[:, :1], whole[:1], whole[0], whole[0, 0], numbers(37, 11, 2 * length, seed=2)[..., ::2]]
    for other in others:
        assert_same(ours(x) * ours(other), x * other)
        assert_same(
            ours(x.transpose(0, 1)) + ours(other.transpose(0, 1) if other.ndim == 3 else x[0, 0, 0]),
            x.transpose(0, 1) + (other.transpose(0, 1) if other.ndim == 3 else x[0, 0, 0]),
        )
    target = torch.zeros(37, 11, 2 * length)
    mine = ours(target)
    mine[..., 1::2] = ours(x) * ours(whole)
    target[..., 1::2] = x * whole
    assert_same(mine, target)


@pytest.mark.parametrize("order", list(itertools.permutations(range(4))))
def test_copies_of_short_rows(order):
    for dtype in (torch.uint8, torch.float16, torch.float32, torch.complex128):
        x = torch.arange(2 * 3 * 40 * 5).reshape(2, 3, 40, 5).to(dtype)
        assert_same(ours(x).permute(order).contiguous(), x.permute(order).contiguous())


@pytest.mark.parametrize("options", [{}, {"padding_idx": 7}, {"scale_grad_by_freq": True}])
@pytest.mark.parametrize("rows", [5000, 3])
def test_the_gradient_of_a_table_of_several_parts(rows, options):
    """Rows that many indices name get the same sum from any number of threads, to the bit."""
    indices = torch.from_numpy(np.random.default_rng(0).integers(0, rows, 9000) ** 2 % rows)
    gradient, results, before = numbers(9000, 65), [], chainrule.get_num_threads()
    for threads in (1, 2, 5):
        chainrule.set_num_threads(threads)
        table = chainrule.zeros(rows, 65, requires_grad=True)
        chainrule.nn.functional.embedding(ours(indices), table, **(options if rows > 7 else {})).backward(
            ours(gradient)
        )
        results.append(table.grad)
    chainrule.set_num_threads(before)
    assert all(chainrule.equal(results[0], r) for r in results)
    table = torch.zeros(rows, 65, requires_grad=True)
    torch.nn.functional.embedding(indices, table, **(options if rows > 7 else {})).backward(gradient)
    np.testing.assert_allclose(results[0].numpy(), table.grad.numpy(), rtol=1e-4, atol=1e-3)


@pytest.mark.parametrize(
    "dtype", [torch.bool, torch.uint8, torch.bfloat16, torch.float32, torch.int64, torch.complex128]
)
@pytest.mark.parametrize("shape", [(1,), (70_001,), (300, 257), (3, 40, 1, 65), (2, 0, 3), (150_000, 2)])
def test_flipped_rows(shape, dtype):
    """Reversed or copied whole, several pieces to a row."""
    x = (numbers(*shape) * 100).to(dtype)
    for count in range(len(shape) + 1):
        for dims in itertools.combinations(range(len(shape)), count):
            assert_same(ours(x).flip(dims), x.flip(dims))
    assert_same(ours(x).t().flip(0) if x.ndim == 2 else ours(x), x.t().flip(0) if x.ndim == 2 else x)


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64, torch.bfloat16])
@pytest.mark.parametrize("shape", [(300, 96), (2, 96), (31, 24, 3), (5, 12, 2, 4), (3, 6, 4, 4)])
@pytest.mark.parametrize("groups", [1, 3, 6])
def test_group_norm_of_few_positions(shape, groups, dtype):
    """Whole groups are rows; with 16 positions and more, channels are."""
    x, w, b = (
        numbers(*shape, dtype=dtype),
        numbers(shape[1], seed=1, dtype=dtype),
        numbers(shape[1], seed=2, dtype=dtype),
    )

    def norm(library, x, *parameters):
        return library.nn.functional.group_norm(x, groups, *parameters)

    loose = 0.1 if dtype == torch.bfloat16 else 1e-4
    if dtype == torch.bfloat16:
        assert_same(norm(chainrule, ours(x), ours(w), ours(b)).float(), norm(torch, x, w, b).float(), scale=1e4)
        return
    for inputs in ((x,), (x, w), (x, w, b)):
        same_gradients(norm, *inputs, rtol=loose, atol=loose)


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
@pytest.mark.parametrize("exponent", [0, 0.0, -0.0, 1, 2])
def test_short_powers_and_their_gradients(exponent, dtype):
    x = numbers(3000, dtype=dtype)
    x[:5] = torch.tensor([0.0, -0.0, float("inf"), float("-inf"), float("nan")])
    for g in (1.0, float("inf")):
        results = []
        for library, leaf in ((chainrule, ours(x)), (torch, x.clone())):
            leaf.requires_grad_()
            y = leaf**exponent
            y.backward(library.full_like(y, g))
            results.append((y.detach(), leaf.grad))
        for mine, theirs in zip(*results, strict=True):
            assert_same(mine, theirs)


@pytest.mark.parametrize("place", [0, 1023, 1024, 5000, 99_999])
def test_tensors_that_differ_in_one_element(place):
    x = numbers(100, 1000)
    y = x.clone()
    assert chainrule.equal(ours(x), ours(y))
    y.view(-1)[place] += 1
    assert not chainrule.equal(ours(x), ours(y))
    assert not chainrule.equal(ours(x).t(), ours(y).t())
    y.view(-1)[place] = x.view(-1)[place] = float("nan")
    assert chainrule.equal(ours(x), ours(y)) == torch.equal(x, y)


@pytest.mark.parametrize("shape", [(40, 70), (200, 16), (3, 300, 1), (2, 17)])
@pytest.mark.parametrize("training", [True, False])
def test_batch_norm_of_rows(shape, training):
    """One position, and so many channels that they are normalised as columns."""
    x, w, b = numbers(*shape) * 3 + 100, numbers(shape[1], seed=1), numbers(shape[1], seed=2)
    running = numbers(shape[1], seed=3), numbers(shape[1], seed=4).abs()

    def norm(library, x, *parameters):
        mean, var = (ours(t) if library is chainrule else t.clone() for t in running)
        weight, bias = parameters or (None, None)
        y = library.nn.functional.batch_norm(x, mean, var, weight, bias, training, 0.2)
        return y, mean + 0 * x.sum(), var + 0 * x.sum()

    for inputs in ((x,), (x, w, b)):
        same_gradients(norm, *inputs, rtol=1e-3, atol=1e-3)


@pytest.mark.parametrize("mode", ["nearest", "nearest-exact", "linear", "bilinear", "bicubic", "trilinear", "area"])
@pytest.mark.parametrize("factor", [0.4, 0.5, 1.7, 2])
def test_interpolated_images(mode, factor):
    dims = {"linear": [1], "bilinear": [2], "bicubic": [2], "trilinear": [3]}.get(mode, [1, 2, 3])
    for d in dims:
        x = numbers(2, 3, *(23, 17, 30)[:d])
        same_gradients(lambda library, x: library.nn.functional.interpolate(x, scale_factor=factor, mode=mode), x)


@pytest.mark.parametrize("mode", ["bilinear", "nearest", "bicubic"])
@pytest.mark.parametrize("padding", ["zeros", "border", "reflection"])
def test_images_read_at_many_points(mode, padding):
    """More points than are read together, some of them outside."""
    x, grid = numbers(2, 5, 13, 17), numbers(2, 19, 31, 2, seed=1)

    def sample(library, x, grid):
        return library.nn.functional.grid_sample(x, grid, mode, padding, align_corners=False)

    same_gradients(sample, x, grid, rtol=1e-3, atol=1e-3)
    x[:, :, 3, 4] = float("inf")
    assert_same(sample(chainrule, ours(x), ours(grid)), sample(torch, x, grid), scale=1e4)


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64, torch.bfloat16])
def test_clamp_of_all_kinds_of_numbers(dtype):
    kinds = torch.tensor([0.0, -0.0, 1.0, -1.0, float("inf"), float("-inf"), float("nan")], dtype=dtype)
    x, low, high = (t.flatten() for t in torch.meshgrid(kinds, kinds, kinds, indexing="ij"))
    assert_same(chainrule.clamp(ours(x), ours(low), ours(high)), torch.clamp(x, low, high))
    for low, high in itertools.product([-1.0, 0.0, float("nan"), float("-inf")], [1.0, 0.0, float("nan")]):
        assert_same(ours(x).clamp(low, high), x.clamp(low, high))
    assert_same(ours(x).clamp(min=0), x.clamp(min=0))


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16])
def test_signs_of_halves(dtype):
    x = numbers(3, 1000, dtype=dtype)
    x[0, :5] = torch.tensor([0.0, -0.0, float("inf"), float("-inf"), 1e-7])
    for f in (
        lambda t: -t,
        lambda t: t.abs(),
        lambda t: -t.t()[::3],
        lambda t: t.clone().neg_(),
        lambda t: (-t).sign(),
    ):
        assert_same(f(ours(x)).float(), f(x).float())
        assert f(ours(x)).signbit().tolist() == f(x).signbit().tolist()


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16])
@pytest.mark.parametrize("shape", [(5, 9000), (700, 60), (3, 40, 300), (2, 20_000)])
def test_rows_of_halves(shape, dtype):
    """Converted stretch by stretch; they differ from rows of floats by one rounding."""
    x, w, b = numbers(*shape, dtype=dtype), numbers(shape[-1], seed=1, dtype=dtype), numbers(shape[-1], dtype=dtype)
    functions = {
        "softmax": lambda x, w, b: x.softmax(-1),
        "log_softmax": lambda x, w, b: x.log_softmax(-1),
        "layer_norm": lambda x, w, b: chainrule.nn.functional.layer_norm(x, x.shape[-1:], w, b),
        "layer_norm alone": lambda x, w, b: chainrule.nn.functional.layer_norm(x, x.shape[-1:]) + 0 * w + 0 * b,
        "rms_norm": lambda x, w, b: chainrule.nn.functional.rms_norm(x, x.shape[-1:], w) + 0 * b,
    }
    for name, f in functions.items():
        results = []
        for wide in (False, True):
            leaves = [ours(t.float() if wide else t).requires_grad_() for t in (x, w, b)]
            y = f(*leaves)
            g = ours(numbers(*shape, seed=5, dtype=dtype))
            y.backward(g.float() if wide else g)
            found = [y, *(leaf.grad for leaf in leaves)] if "norm" in name else [y, leaves[0].grad]
            results.append([t.detach().float().numpy() for t in found])
        for narrow, wide in zip(*results, strict=True):
            limit = 0.02 * np.abs(wide).max()
            np.testing.assert_allclose(narrow, wide, rtol=0.02, atol=limit, err_msg=name)


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_histograms_of_many_numbers(dtype):
    x = numbers(3, 20_000, dtype=dtype)
    x[0, :6] = torch.tensor([-2.0, 2.0, 0.0, float("inf"), float("-inf"), float("nan")])
    edges = torch.tensor([-2.0, -1.5, -1.5, 0.0, 2.0], dtype=dtype)
    for density in (False, True):
        assert_same(
            chainrule.histogram(ours(x), ours(edges), density=density)[0], x.histogram(edges, density=density)[0]
        )
        assert_same(
            chainrule.histogram(ours(x), 7, range=(-2.0, 2.0), density=density)[0],
            x.histogram(7, range=(-2.0, 2.0), density=density)[0],
        )
    assert_same(chainrule.histogram(ours(x[1:]), 11)[0], x[1:].histogram(11)[0])
    assert_same(chainrule.histogram(ours(x[:0]), 3)[0], x[:0].histogram(3)[0])


@pytest.mark.parametrize("shape", [(20, 30, 7), (300, 400, 16), (2, 900, 90)])
@pytest.mark.parametrize("p", [0.0, 1.0, 2.0, 3.0, float("inf")])
def test_distances_taken_part_by_part(shape, p):
    n, m, d = shape
    x, y = numbers(n, d), numbers(2, m, d, seed=1)

    def distances(library, x, y):
        return library.cdist(x, y, p, compute_mode="donot_use_mm_for_euclid_dist")

    same_gradients(distances, x, y, rtol=1e-3, atol=1e-3)


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16])
@pytest.mark.parametrize("name", ["batch_norm", "group_norm", "instance_norm"])
def test_channels_of_halves(name, dtype):
    """Converted piece by piece; they differ from channels of floats by one rounding."""
    x, w, b = numbers(3, 6, 20, 31, dtype=dtype), numbers(6, seed=1, dtype=dtype), numbers(6, seed=2, dtype=dtype)
    f = getattr(chainrule.nn.functional, name)
    arguments = {"batch_norm": (None, None), "group_norm": (3,), "instance_norm": (None, None)}[name]
    results = []
    for wide in (False, True):
        leaves = [ours(t.float() if wide else t).requires_grad_() for t in (x, w, b)]
        y = f(leaves[0], *arguments, *leaves[1:], **({"training": True} if name == "batch_norm" else {}))
        g = ours(numbers(3, 6, 20, 31, seed=5, dtype=dtype))
        y.backward(g.float() if wide else g)
        results.append([t.detach().float().numpy() for t in (y, *(leaf.grad for leaf in leaves))])
    for narrow, wide in zip(*results, strict=True):
        np.testing.assert_allclose(narrow, wide, rtol=0.02, atol=0.02 * np.abs(wide).max())


@pytest.mark.parametrize(
    "dtype", [torch.bool, torch.uint8, torch.bfloat16, torch.float32, torch.int64, torch.complex128]
)
def test_filled_tensors(dtype):
    for n in (70_001, 9 << 20):
        mine = ours(torch.zeros(n, dtype=dtype)).fill_(3)
        assert bool((mine == (1 if dtype == torch.bool else 3)).all())
    target = chainrule.zeros(300, 401)
    target[:, 1:].fill_(2.5)
    target.t()[0].fill_(-0.0)
    assert target.sum().item() == 2.5 * 300 * 400
    assert bool(target[:, 0].signbit().all())


@pytest.mark.parametrize("name", ["batch_norm", "group_norm"])
def test_tangents_of_normalised_rows(name):
    """Forward mode and reverse mode give the same derivative; what the value is made of adds nothing to it."""
    x, w, b = (ours(t) for t in (numbers(9, 24), numbers(24, seed=1), numbers(24, seed=2)))
    x, w, b = x.double(), w.double(), b.double()

    def norm(x, w, b):
        f = getattr(chainrule.nn.functional, name)
        return f(x, None, None, w, b, training=True) if name == "batch_norm" else f(x, 3, w, b)

    directions = tuple(ours(numbers(*t.shape, seed=9)).double() for t in (x, w, b))
    value, tangent = chainrule.func.jvp(norm, (x, w, b), directions)
    _, pull = chainrule.func.vjp(norm, x, w, b)
    along = sum((g * d).sum().item() for g, d in zip(pull(value), directions, strict=True))
    assert (value * tangent).sum().item() == pytest.approx(along, rel=1e-4)
