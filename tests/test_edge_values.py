"""Values at the edges: no freedom left, ranges too wide, NaN among rows, overlaps, complex infinities."""

from __future__ import annotations

import math
import warnings

import pytest

from both import agree

inf, nan = float("inf"), float("nan")
HUGE = 3.4028234663852886e38

VALUES = """
t.tensor([1., 2., 3.]).std(correction=4)
t.std(t.ones(3, 0), correction=-1)
gradient(t, lambda x: x.var(1, correction=4), [[1., 2., 4.]])
gradient(t, lambda x: x.std(1, correction=4), [[1., 2., 4.]])
gradient(t, lambda x: x.var(1, correction=3), [[1., 2., 4.]])
gradient(t, lambda x: x.var(correction=4), [[1., 2., 4.]])
gradient(t, lambda x: t.var_mean(x, 1, correction=4)[0], [[1., 2., 4.]])
gradient(t, lambda x: t.nn.functional.smooth_l1_loss(x, t.tensor([nan, 1., 0.]), reduction='none'), [1., nan, 2.])
gradient(t, lambda x: t.nn.functional.smooth_l1_loss(t.tensor([nan, 1., 4.]), x, reduction='none'), [1., nan, 2.])
gradient(t, lambda x: t.nn.functional.huber_loss(x, t.tensor([nan, 1., 1., 0.]), reduction='none'), [1., nan, 1., 2.])
gradient(t, lambda x: t.nn.functional.elu(x, 0.5), [nan, 1., 0., -1., inf])
gradient(t, lambda x: t.nn.functional.celu(x, 0.5), [nan, 1., 0., -1., inf])
gradient(t, t.selu, [nan, 1., 0., -1., inf])
gradient(t, t.sinc, [1e30, 1e20, 3e5, 0., nan, 1e-30])
gradient(t, t.prod, nan)
gradient(t, lambda x: t.logcumsumexp(x, 0), nan)
gradient(t, t.nanmean, nan)
gradient(t, lambda x: t.logcumsumexp(x, 0), [1., inf])
gradient(t, lambda x: t.logcumsumexp(x, 0), [inf, 1., 2.])
gradient(t, lambda x: t.logcumsumexp(x, 0), [1., 2., inf, nan])
gradient(t, lambda x: t.logcumsumexp(x, 0), [-inf, -inf, 1., -inf])
gradient(t, lambda x: t.logsumexp(x, 1), [[-inf, -inf], [-inf, 1.], [inf, 1.], [nan, 1.]])
distances(t, 0.)
distances(t, 1.)
distances(t, 3.)
gradient(t, lambda x: t.cdist(x, t.tensor([[0., 0., 0.], [1., 4., 3.]]), inf), [[1., 1., 0.], [2., 3., 3.]])
gradient(t, lambda x: t.nn.functional.pdist(x, inf), [[1., 1., 0.], [2., 2., 3.], [4., 4., 4.]])
gradient(t, lambda x: t.nn.functional.pdist(x, 1), [[1., nan, 0.], [2., 2., inf], [4., 4., 4.]])
gradient(t, lambda x: t.nn.functional.pdist(x, 0), [[1., nan, 0.], [2., 2., inf], [4., 4., 4.]])
t.nn.functional.conv1d(t.ones(1, 1, 9), t.ones(1, 1, 3), padding=2**63 - 5)
t.nn.functional.conv_transpose2d(t.ones(1, 1, 9, 9), t.ones(1, 1, 3, 3), padding=(0, 2**62))
t.nn.functional.fold(t.ones(3, 7), 16, 2**53)
t.empty(1, dtype=t.uint16).random_(2**40, 2**40 + 1)
t.empty(1, dtype=t.uint16).random_(3, 2**40)
t.empty(1, dtype=t.uint32).random_(-2**40, 2**40)
chebyshev(t, 'chebyshev_polynomial_t')
chebyshev(t, 'chebyshev_polynomial_u')
chebyshev(t, 'chebyshev_polynomial_v')
chebyshev(t, 'chebyshev_polynomial_w')
chebyshev(t, 'shifted_chebyshev_polynomial_t')
infinite(t, t.nn.functional.conv1d, (1, 1, 5), (1, 1, 3))
infinite(t, t.nn.functional.conv1d, (2, 4, 5), (6, 2, 3), padding=1, groups=2)
infinite(t, t.nn.functional.conv2d, (1, 2, 4, 5), (3, 2, 3, 2), padding=1, stride=2, dilation=(1, 2))
infinite(t, t.nn.functional.conv3d, (1, 1, 2, 3, 2), (1, 1, 2, 2, 2))
infinite(t, t.nn.functional.conv_transpose1d, (1, 2, 5), (2, 1, 3), bias=t.tensor([.5]).double())
infinite(t, t.nn.functional.conv_transpose2d, (1, 2, 3, 3), (2, 2, 3, 2), stride=2, padding=1, output_padding=1)
windows(t, t.nn.functional.conv1d, (1, 1, 5), (1, 1, 1), padding=2**31 - 1, stride=2**31 - 1)
windows(t, t.nn.functional.conv1d, (2, 4, 5), (6, 2, 3), padding=2**31, stride=2**31, groups=2)
windows(t, t.nn.functional.conv1d, (1, 1, 5), (1, 1, 3), padding=2**31, dilation=2**31)
windows(t, t.nn.functional.conv2d, (1, 1, 3, 3), (2, 1, 2, 1), padding=2**30, stride=2**30, dilation=2**29)
t.arange(24.).reshape(6, 4)[3:].as_strided_scatter(-t.ones(2, 2), (2, 2), (4, 1), 1)
t.arange(24.).reshape(6, 4)[3:].as_strided_scatter(-t.ones(2, 2), (2, 2), (4, 1), 10)
t.arange(24.).reshape(6, 4)[3:].as_strided_scatter(-t.ones(2, 2), (2, 2), (4, 1), 17).storage_offset()
t.arange(24.).reshape(6, 4)[:3].as_strided_scatter(-t.ones(2, 2), (2, 2), (4, 1), 17)
t.arange(24.).reshape(6, 4)[3:].as_strided_scatter(-t.ones(2, 2), (2, 2), (4, 1))
t.arange(24.).reshape(6, 4)[3:].t().as_strided_scatter(-t.ones(2, 2), (2, 2), (4, 1), 13)
t.arange(4.).expand(3, 4).as_strided_scatter(-t.ones(2, 2), (2, 2), (4, 1), 1)
t.arange(24.).reshape(6, 4)[3:].as_strided_scatter(-t.ones(2, 2), (2, 2), (4, 1), 30)
gradient(t, lambda x: x.std(0), [[0.7] * 3, [0.7] * 3, [0.7] * 3])
gradient(t, lambda x: x.std(1), [[0.1] * 7, [0.3] * 7])
t.full((5, 3), 0.1).var(0)
t.full((3, 5), 0.1).double().std(1)
t.var_mean(t.full((3, 7, 2), 0.7), 1)
t.tensor(0.7).expand(7, 4).var(0)
statistics(t, t.bfloat16, t.float32)
statistics(t, t.bfloat16, t.bfloat16)
statistics(t, t.float64, t.float32)
statistics(t, t.float32, t.float64)
statistics(t, t.int64, t.float32)
t.histc(t.tensor([1e38, -1e38, 3e38, -3e38]), 4)
t.histc(t.full((3,), HUGE), 4)
t.histc(t.full((3,), -HUGE), 4)
t.histc(t.full((3,), 1e30), 4)
t.histc(t.full((3,), 2e7), 4)
t.histc(t.tensor([1., 2.]), 4, min=-3e38, max=3e38)
t.histc(t.tensor([1., 2.]), 4, min=-1e39, max=1e39)
t.histc(t.tensor([1, 2]), 4, min=5, max=1)
t.histc(t.tensor([1, 2]), 0)
t.unique(t.tensor([[nan, 1.], [nan, 1.], [1., 2.]]), dim=0, return_inverse=True, return_counts=True)
t.unique(t.tensor([nan, 1., nan, 0.]), dim=0, return_inverse=True, return_counts=True)
t.unique(t.tensor([[1., nan], [0., nan], [1., 2.]]), dim=0)
t.unique(t.tensor([[3., 1.], [0., 2.], [3., 1.]] * 9), dim=0, return_inverse=True, return_counts=True)
t.logcumsumexp(t.tensor([complex(inf, 1), 1 + 1j, complex(-inf, 2)]), 0)
t.logcumsumexp(t.tensor([complex(-inf, 2), complex(-inf, 1), 1 + 1j]), 0)
t.logcumsumexp(t.tensor([complex(inf, inf), 1 + 1j]), 0)
t.logcumsumexp(t.tensor([complex(inf, 1), complex(inf, 2)]), 0)
t.logcumsumexp(t.tensor([complex(nan, 1), 1 + 1j]), 0)
t.logcumsumexp(t.tensor([1e-9 + 2j, 3 - 2j, -40 + 1j]), 0)
t.i0(t.tensor([inf, -inf, nan, 1e10]))
t.special.i1(t.tensor([inf, -inf, nan, 1e10], dtype=t.float64))
t.special.i1e(t.tensor([inf, -inf, nan]))
t.igamma(t.tensor([2e6, 1e9, 1e12, 1e15, 1e20]), t.tensor([2e6, 1e9, 1e12, 1e15, 1e20]))
t.igammac(t.full((5,), 1e7).double(), t.tensor([1e7, 1.001e7, 0.999e7, 9e6, 2e7]).double())
t.igamma(t.tensor(1e20).double(), t.tensor(0.99999999999999e20).double())
t.cov(t.arange(6.).reshape(2, 3), correction=5)
t.cov(t.arange(6.).reshape(2, 3), correction=9, aweights=t.tensor([1., 2., 3.]))
t.nn.functional.hardshrink(t.tensor([0.5, -0.5, 0.3, 0.3008], dtype=t.bfloat16), 0.3)
t.nn.functional.hardshrink(t.tensor([0.5, -0.5, 0.3, 0.2998], dtype=t.float16), 0.3)
t.addr(t.ones(2, 2).half(), t.full((2,), .3).half(), t.full((2,), .7).half(), beta=.5, alpha=2)
t.ones(2, 3).half().index_reduce_(0, t.tensor([0, 0, 0]), t.full((3, 3), 1.003).half(), 'prod')
t.cat([t.tensor([]), t.tensor([])], 1)
t.block_diag()
t.roll(t.arange(4), 1, dims=None)
t.empty(3, 0).data_ptr()
assigned(t.zeros(3, dtype=t.complex64), real=5, imag=t.arange(3.))
assigned(t.zeros(3), real=2)
assigned(t.zeros(3), imag=2)
assigned(t.zeros(3, dtype=t.complex64), real='a')
assigned(t.zeros(3, dtype=t.complex64, requires_grad=True), real=1)
assigned(t.ones(2, dtype=t.complex64, requires_grad=True) * 2, imag=t.ones(2)).real.sum()
t.int32.to_complex()
repr([t.half.to_complex(), t.complex32.to_real(), t.complex32.to_complex(), t.float8_e5m2.to_real(), t.half.to_real()])
t.float8_e5m2.to_complex()
t.quint8.to_complex()
t.Size([1, 2]) + Adds()
t.cummax(t.tensor(1.), 100)
t.index_select(t.ones(0, 3), 0, t.tensor([0]))
t.index_select(t.ones(2, 3), 1, t.tensor([5]))
t.tensor(Broken())
t.tensor(np.array([1, 2], dtype=np.longlong))
t.from_numpy(np.array([1, 2], dtype=np.longlong))
t.asarray(np.float64(0.5), copy=False)
t.empty(3, dtype=t.uint16).random_(60000, None) >= 60000
t.empty(3, dtype=t.uint16).random_(-1, -1)
t.empty(3, dtype=t.uint16).random_(-1, 4)
t.empty(3, dtype=t.uint64).random_(-1, 4)
t.empty(3, dtype=t.uint64).random_(5, None)
t.randint(-1, 1, (2,), dtype=t.uint32)
t.randint(0, 2**33, (2,), dtype=t.uint32)
deterministic(t, lambda: t.ones(3).put_(t.tensor([0, 0]), t.tensor([1., 2.])))
deterministic(t, lambda: t.ones(3).put_(t.tensor([0, 0]), t.tensor([1., 2.]), accumulate=True))
deterministic(t, lambda: t.nn.MaxUnpool1d(3, 1)(t.ones(1, 1, 7), t.zeros(1, 1, 7, dtype=t.long)))
deterministic(t, lambda: t.nn.MaxUnpool3d(3, 1)(t.ones(1, 1, 7, 7, 7), t.zeros(1, 1, 7, 7, 7, dtype=t.long)))
gradient(t, lambda x: t.nn.functional.adaptive_avg_pool1d(x, 0), [[1., 2.]])
gradient(t, lambda x: t.nn.functional.adaptive_max_pool1d(x, 0), [[1., 2.]])
gradient(t, lambda x: t.nn.functional.adaptive_avg_pool2d(x, (2, 0)), [[[1., 2.]]])
gradient(t, lambda x: t.nn.functional.adaptive_max_pool2d(x, (0, 1)), [[[[1., 2.]]]])
gradient(t, lambda x: t.nn.functional.adaptive_avg_pool3d(x, 0), [[[[1., 2.]]]])
gradient(t, lambda x: t.nn.functional.adaptive_max_pool2d(x[:0], (1, 1)), [[[[1., 2.]]]])
t._masked_softmax(t.ones(4, 5), t.arange(20).reshape(4, 5) % 3 > 0, 0, 1)
t._masked_softmax(t.ones(4, 5), t.arange(20).reshape(4, 5) % 3 > 0, None, 2)
t._masked_softmax(t.ones(2, 1, 3, 3), t.arange(6).reshape(2, 3) % 2 > 0, None, 1)
t._masked_softmax(t.ones(2, 1, 3, 3), t.arange(9).reshape(3, 3) % 2 > 0, None, 0)
t._masked_softmax(t.ones(2, 1, 3, 3), t.ones(3, 3, dtype=t.bool), None, 1)
t._masked_softmax(t.ones(2, 1, 3, 3), t.ones(2, 3, dtype=t.bool), None, 0)
t._masked_softmax(t.ones(2, 1, 3, 3), t.ones(2, 3, dtype=t.bool), None, 2)
t._masked_softmax(t.ones(2, 1, 3, 3), t.ones(2, 3, dtype=t.bool))
t._masked_softmax(t.ones(4, 5), t.ones(5, dtype=t.bool), None, 1)
t.linalg.vector_norm(t.ones(2), 1 + 2j)
t.linalg.matrix_norm(t.eye(2), 1 + 2j)
t.linalg.multi_dot([t.tensor(1.), t.ones(1)])
t.linalg.tensorsolve(t.eye(6).reshape(2, 3, 6), t.ones(2, 2))
t.linalg.ldl_solve(t.eye(2), t.tensor([0, 2], dtype=t.int32), t.ones(2, 1))
t.linalg.cholesky(t.eye(3)).stride()
t.linalg.cholesky(t.eye(3), upper=True).stride()
t.bartlett_window(3, layout=t.sparse_coo)
t.tensor([1.]).as_subclass(int)
t.ones(2).int().type(t.Tensor).dtype is t.float32
t.tensor([1, 2]).apply_(lambda x: 'a')
t.set_deterministic_debug_mode(1.5)
t.use_deterministic_algorithms(True, warn_only=1)
t.LongTensor((6, 0), 1, 1, 0)
type('Derived', (t.FloatTensor,), {})
t.cuda.FloatTensor()
t.cuda.FloatStorage.from_buffer()
t.empty(3, 3)[0:0].data_ptr()
""".strip().splitlines()

# Writing into the memory that is read gives what nobody asked for: both raise.
OVERLAPS = """
written(t.tensor([2, 1, 0]), lambda i: i.index_fill_(0, i, 0))
written(t.tensor([2, 1, 0]), lambda i: i.index_put_((i,), t.tensor(5)))
written(t.tensor([2, 1, 0]), lambda i: i.__setitem__(i, 0))
written(t.tensor([True, False, True]), lambda m: m[1:].masked_fill_(m[:-1], False))
written(t.tensor([True, False, True]), lambda m: m.masked_fill_(m, False))
written(t.rand(3), lambda x: x[:-1].__ilshift__(x[1:]))
written(t.rand(1).expand(3, 3), lambda x: x.bitwise_not_())
written(t.arange(6.), lambda x: x.index_fill_(0, t.tensor([1]), x[0]))
""".strip().splitlines()


def distances(t, p):
    """With NaN, infinities and equal points among them."""
    x = t.tensor([[1.0, nan, 0.0], [2.0, 3.0, 1.0], [0.0, 1.0, inf], [4.0, 4.0, 6.0]], requires_grad=True)
    y = t.tensor([[1.0, 2.0, -1.0], [nan, 4.0, 2.0], [4.0, 4.0, 6.0]], requires_grad=True)
    result = t.cdist(x, y, p)
    return result, t.autograd.grad(result, (x, y), t.arange(1.0, 13.0).reshape(4, 3))


def gradient(t, function, data):
    x = t.tensor(data, requires_grad=True)
    function(x).sum().backward()
    return x.grad


def deterministic(t, program):
    t.use_deterministic_algorithms(True)
    try:
        return program()
    finally:
        t.use_deterministic_algorithms(False)


def chebyshev(t, name):
    degrees = t.tensor([2.0**63, 1e30, inf, -inf, nan, -1.0, 9.0], dtype=t.float64)
    return getattr(t.special, name)(t.tensor([[0.25], [1.0], [-1.0]], dtype=t.float64), degrees)


def infinite(t, convolution, x, weight, **options):
    """Where the weight is infinite."""
    return windows(t, convolution, x, weight, inf, **options)


def windows(t, convolution, x, weight, first=1.0, **options):
    """A convolution and its gradients."""
    x = t.arange(1.0, 1 + math.prod(x), dtype=t.float64).reshape(x).requires_grad_()
    weight = t.arange(1.0, 1 + math.prod(weight), dtype=t.float64).reshape(weight)
    weight.view(-1)[0] = first
    y = convolution(x, weight.requires_grad_(), **options)
    return y, *t.autograd.grad(y, (x, weight), t.ones_like(y))


def statistics(t, dtype, running):
    mean, variance = t.zeros(3, dtype=running), t.ones(3, dtype=running)
    found = t.batch_norm_update_stats(t.arange(24).reshape(2, 3, 4).to(dtype), mean, variance, 0.5)
    return *found, mean, variance


def assigned(z, **parts):
    for name, value in parts.items():
        setattr(z, name, value)
    return z


class Adds:
    """A number that can be added to anything."""

    def __radd__(self, other):
        return 42


class Broken:
    """A sequence that cannot be read."""

    def __len__(self):
        return 3

    def __getitem__(self, item):
        raise KeyError(item)


def written(x, program):
    program(x)
    return x


def run(text):
    def program(t):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return eval(text, {"t": t, **globals()})

    return program


@pytest.mark.parametrize("text", VALUES)
def test_values(text):
    agree(run(text), words=4)


@pytest.mark.parametrize("text", OVERLAPS)
def test_overlaps(text):
    agree(run(text), words=12)


@pytest.mark.parametrize("rows", [17, 40])
def test_rows_with_nan_are_sorted_without_an_order(rows):
    """No order holds among them, and nothing is read outside."""
    import chainrule

    x = chainrule.randn(rows, 2)
    x[::3, 0] = nan
    values, inverse = chainrule.unique(x, dim=0, return_inverse=True)
    assert values.shape == x.shape
    assert sorted(inverse.tolist()) == list(range(rows))


def test_a_weight_of_another_dtype_does_not_round_the_input():
    import torch

    import chainrule

    x, weight = torch.arange(24.0).double().reshape(2, 3, 4) / 7, (torch.arange(12.0) / 3).reshape(3, 4)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # PyTorch's, of the way it takes
        expected = torch.rms_norm(x, (3, 4), weight)
    found = chainrule.rms_norm(chainrule.tensor(x.numpy()), (3, 4), chainrule.tensor(weight.numpy()))
    assert abs(found.numpy() - expected.numpy()).max() < 1e-14


@pytest.mark.parametrize(
    "pool",
    [
        lambda f, x: f.avg_pool2d(x, (2**31, 2)),
        lambda f, x: f.avg_pool2d(x, 2, (1, 2**31)),
        lambda f, x: f.avg_pool2d(x, (2**31, 0), (1, 0)),
        lambda f, x: f.max_pool2d(x, 2, 1, 2**31),
        lambda f, x: f.max_pool2d(x, 2, 1, 0, 2**31),
        lambda f, x: f.max_pool3d(x, 2, 2**31),
        lambda f, x: f.avg_pool1d(x[0], 2**31),
        lambda f, x: f.lp_pool1d(x[0], 2, 2**31),
        lambda f, x: f.max_pool1d(x[0], 2, 2**31),
    ],
)
def test_pools_count_in_ints(pool):
    agree(lambda t: pool(t.nn.functional, t.ones(1, 2, 4, 4)), words=8)


def test_what_is_not_deterministic_warns():
    """Where a program asks for no more than that."""

    def program(t):
        t.use_deterministic_algorithms(True, warn_only=True)
        try:
            with warnings.catch_warnings(record=True) as heard:
                warnings.simplefilter("always")
                t.ones(3).put_(t.tensor([0]), t.ones(1))
            return [str(w.message).partition(" (Triggered")[0] for w in heard]
        finally:
            t.use_deterministic_algorithms(False)

    agree(program)


@pytest.mark.parametrize("make", ["empty", "zeros"])
@pytest.mark.parametrize("size", [[0, 4, 2**61], [0, 2**62, 2, 3], [2**62, 2, 0], [0, 2, 2**63 - 1]])
def test_strides_beyond_int64(make, size):
    agree(lambda t: getattr(t, make)(size), words=2)
